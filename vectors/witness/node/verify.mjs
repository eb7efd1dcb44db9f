// Confirms the golden cases with third-party libraries: @noble/curves for Ed25519, @solana/transaction-messages and
// @solana/web3.js for messages, ethers for wallet signatures, eciesjs and @noble/ciphers for encryption, and two sets
// of libraries for identifiers and zips, each of which confirms the cases independently.
//
// Prints one JSON line per operation and set of libraries, and exits with 1 on any disagreement with a case, with the
// manifest's counts, or with divergences.json. With --write it also records its results in data/witnesses.json. A case
// that a library cannot express is skipped with a reason and not counted.

import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 as hash256, sha512 } from "@noble/hashes/sha2.js";
import bs58 from "bs58";

import { ALONE, divergencesOf } from "./alone.mjs";
import { filesOf } from "./folder.mjs";
import { gateway } from "./gateway.mjs";
import { history } from "./history.mjs";
import { documents, paths } from "./metadata.mjs";
import { parsed } from "./json.mjs";
import { byCodecs, byWeb3 } from "./messages.mjs";
import { network } from "./network.mjs";
import { read } from "./recipes.mjs";
import { records as ofRecords } from "./records.mjs";
import { Refused, Skipped, attempt, require } from "./refusal.mjs";
import { sealing } from "./sealed.mjs";
import { byImporter, byIpld } from "./unixfs.mjs";
import { byYauzl, byZipJs, inspected } from "./zips.mjs";

const DATA = new URL("../../data/", import.meta.url);
const KEYS = { pub: ["d", "c", "v", "t"], transfer: ["d", "newVault", "t"], accept: ["d", "transfer", "t"] };
const WINDOW = 600_000;
const MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

// --- bytes and strings

const hexed = (bytes) => ({ hex: Buffer.from(bytes).toString("hex") });
/** An implementation with another lineage than Python's hashlib. */
const sha256 = (bytes) => Buffer.from(hash256(bytes)).toString("hex");
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");
const fromBase64url = (text) => {
  const bytes = Buffer.from(text, "base64url");
  require(base64url(bytes) === text, "not canonical base64url");
  return bytes;
};
const utf8 = (bytes) => attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
const key = (text) => {
  const bytes = attempt(() => bs58.decode(text));
  require(bytes.length === 32, "a key has 32 bytes");
  return bytes;
};
const instant = (text) => {
  require(typeof text === "string" && /(Z|[+-]\d\d:\d\d)$/.test(text), "no offset");
  const moment = Date.parse(text);
  require(!Number.isNaN(moment), "not a time");
  return moment;
};
/** The round trip alone would accept signed years with more than four digits. */
const exact = (text) => {
  require(/^\d{4}-/.test(text), "a year of four digits");
  const moment = instant(text);
  require(new Date(moment).toISOString() === text, "not the exact form");
  return moment;
};

// --- operations

const domainCanonical = ({ domain }) => {
  const label = "(?!-)[a-z0-9-]{1,63}(?<!-)";
  require(domain.length <= 253 && new RegExp(`^${label}(\\.${label})+$`).test(domain), "grammar");
  return {};
};

const vfkeySign = (i) => {
  const claims = { v: 1, m: i.method, p: i.path, d: i.domain, t: i.time, h: sha256(read(i.body)) };
  const message = Buffer.from(`svc-vf:1:auth:${JSON.stringify(claims)}`);
  return { header: `VfKey ${base64url(message)}.${base64url(ed25519.sign(message, read(i.secret_key)))}` };
};

/** The library multiplies by the cofactor and checks the order of the key only. Here the equation holds without it. */
const signs = (signer, signature, message) => {
  const [A, R] = [signer, signature.subarray(0, 32)].map((bytes) => ed25519.Point.fromBytes(bytes));
  if (A.isSmallOrder() || R.isSmallOrder()) return false;
  if (!ed25519.verify(signature, message, signer, { zip215: false })) return false;
  const number = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
  const order = ed25519.Point.Fn.ORDER;
  const k = number(sha512(Buffer.concat([signature.subarray(0, 32), signer, message]))) % order;
  const S = ed25519.Point.BASE.multiplyUnsafe(number(signature.subarray(32)));
  return S.equals(R.add(A.multiplyUnsafe(k)));
};

const vfkeyVerify = (i) => {
  const header = i.authorization;
  require(header?.startsWith("VfKey "), "scheme");
  const parts = header.slice("VfKey ".length).split(".");
  require(parts.length === 2, "parts");
  const [message, signature] = parts.map(fromBase64url);
  require(signature.length === 64, "signature length");
  const text = utf8(message);
  require(text.startsWith("svc-vf:1:auth:"), "prefix");
  const claims = attempt(() => JSON.parse(text.slice("svc-vf:1:auth:".length)));
  require(!Array.isArray(claims) && Object.keys(claims).sort().join("") === "dhmptv", "six keys");
  require(claims.v === 1 && claims.m === i.method && claims.p === i.path, "version, method, path");
  require(Math.abs(instant(claims.t) - instant(i.now)) <= WINDOW, "window");
  require(claims.h === sha256(read(i.body)), "hash");
  domainCanonical({ domain: claims.d });
  const binding = i.bindings.find(({ domain }) => domain === claims.d);
  require(binding, "binding");
  const accept = i.op === "accept";
  require(!accept || binding.incoming_key, "no transfer is pending");
  const signer = accept ? binding.incoming_key : binding.key;
  require(attempt(() => signs(key(signer), signature, message)), "signature");
  return { domain: claims.d, key: signer, frozen: Boolean(binding.incoming_key) && !accept };
};

const canonicalRecord = (kind, fields) =>
  Buffer.from(`svc-vf:1:${kind}:${JSON.stringify(Object.fromEntries(KEYS[kind].map((name) => [name, fields[name]])))}`);

const checkRecord = (kind, fields) => {
  require(Object.hasOwn(KEYS, kind), "kind");
  require(Object.keys(fields).sort().join() === [...KEYS[kind]].sort().join(), "keys");
  require(Object.values(fields).every((value) => typeof value === "string" && value !== ""), "empty or not a string");
  domainCanonical({ domain: fields.d });
  exact(fields.t);
};

const recordEncode = ({ kind, fields }) => {
  checkRecord(kind, fields);
  return { record: hexed(canonicalRecord(kind, fields)) };
};

const recordParse = (i) => {
  const record = read(i.record);
  const found = /^svc-vf:1:([a-z]+):(\{.*\})$/su.exec(utf8(record));
  require(found, "form");
  const fields = parsed(found[2]);
  checkRecord(found[1], fields);
  require(canonicalRecord(found[1], fields).equals(record), "not canonical");
  return { kind: found[1], fields };
};

const transactions = (library) => ({
  "transaction.encode": (i) => {
    const accounts = [i.fee_payer, i.client, i.memo_program];
    [...accounts, i.blockhash].forEach(key);
    const data = read(i.record);
    require(data.length < 65536, "length");
    const instruction = { program: 2, accounts: [1], data };
    return { message: hexed(library.encode({ accounts, blockhash: i.blockhash, instruction })) };
  },
  "transaction.decode": (i) => {
    const { instructions, ...rest } = library.decode(read(i.message));
    return { ...rest, instructions: instructions.map((each) => ({ ...each, data: hexed(each.data) })) };
  },
});

const checkMessage = (i) => {
  const { header, accounts, instructions } = byCodecs.decode(read(i.message));
  require(header[0] === 2, "signatures");
  require(accounts[1] === i.client && accounts[0] !== i.client, "accounts");
  require(instructions.length === 1, "instructions");
  const [{ program, accounts: indices, data }] = instructions;
  require(accounts[program] === (i.memo_program ?? MEMO), "program");
  require(indices.length === 1 && indices[0] === 1, "instruction's accounts");
  // Checks 8 to 12 as the single comparison that the document names: read t, rebuild, compare.
  const asked = i.request;
  const kind = asked.op ?? "pub";
  const t = /"t":"([^"\\]*)"\}$/.exec(utf8(data))?.[1];
  const values = {
    pub: { c: asked.cid, v: asked.version?.trim() ? asked.version : "0" },
    transfer: { newVault: asked.new_authority },
    accept: { transfer: asked.transfer ?? "" },
  }[kind];
  const fields = { d: asked.domain, ...values, t };
  checkRecord(kind, fields);
  require(canonicalRecord(kind, fields).equals(data), "a different record");
  require(Math.abs(exact(t) - instant(i.now)) <= WINDOW, "window");
  return { record: hexed(data) };
};

const verifyTransaction = (i) => {
  require(i.meta.err == null, "error");
  const program = i.memo_program ?? MEMO;
  const { accounts, instructions } = byCodecs.decode(read(i.message));
  const memos = instructions.filter((each) => accounts[each.program] === program);
  require(memos.length === 1 && memos[0].data.equals(read(i.record)), "record");
  const logs = i.meta.logMessages ?? [];
  require(!logs.includes("Log truncated"), "truncated");
  const stack = [];
  let verified = false;
  for (const line of logs) {
    const [, invoked, depth] = /^Program (\w+) invoke \[(\d+)\]$/.exec(line) ?? [];
    const [, ended, how] = /^Program (\w+) (success|failed: .*)$/s.exec(line) ?? [];
    if (invoked) {
      stack.push({ name: invoked, signed: false });
      require(Number(depth) === stack.length, "nesting");
    } else if (ended) {
      const top = stack.pop();
      require(top?.name === ended, "nesting");
      verified ||= stack.length === 0 && ended === program && how === "success" && top.signed;
    } else if (stack.length > 0 && line === `Program log: Signed by ${i.client}`) {
      stack.at(-1).signed = true;
    }
  }
  require(verified, "no successful invocation names the client");
  return {};
};

/** Identifiers and zips by one set of libraries. */
const drop = (unixfs, unzip) => ({
  "cid.file": async (i) => ({ cid: await unixfs.file(read(i.content)) }),
  "cid.directory": async (i) => ({ cid: await unixfs.folder(filesOf(i.entries), i.hamt_size) }),
  "drop.inspect_zip": async (i) => {
    const files = await inspected(read(i.zip), unzip);
    const bytes = files.reduce((sum, each) => sum + each.bytes.length, 0);
    return { files: files.length, bytes, cid: await unixfs.folder(files) };
  },
});

/** The witnesses: their names, libraries and operations. */
const VOICES = [
  {
    witness: "node",
    libraries: ["@noble/curves", "@noble/hashes", "@solana/transaction-messages", "bs58"],
    operations: {
      "domain.canonical": domainCanonical,
      "vfkey.sign": vfkeySign,
      "vfkey.verify": vfkeyVerify,
      "publish.record.encode": recordEncode,
      "publish.record.parse": recordParse,
      ...transactions(byCodecs),
      "publish.check_message": checkMessage,
      "publish.verify_transaction": verifyTransaction,
    },
  },
  { witness: "node", libraries: ["ajv", "eventsource-parser"], operations: gateway },
  { witness: "node", libraries: [], operations: paths },
  { witness: "node", libraries: ["ajv"], operations: documents },
  { witness: "node/web3", libraries: ["@solana/web3.js", "bs58"], operations: transactions(byWeb3) },
  { witness: "node", libraries: ["ethers", "@noble/hashes"], operations: network },
  { witness: "node", libraries: ["eciesjs", "@noble/ciphers", "ethers", "@noble/hashes", "nanotar", "fflate"], operations: sealing },
  { witness: "node", libraries: ["ethers", "@noble/hashes"], operations: ofRecords },
  { witness: "node", libraries: ["eciesjs", "@noble/ciphers", "ethers", "@noble/hashes"], operations: history },
  { witness: "node", libraries: ["ipfs-unixfs-importer", "yauzl"], operations: drop(byImporter, byYauzl) },
  { witness: "node/ipld", libraries: ["@ipld/unixfs", "@zip.js/zip.js"], operations: drop(byIpld, byZipJs) },
];

/** JSON with sorted members. */
const sorted = (value) =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** The readings of rules that the document leaves open: a library's own answer is recorded, whatever it is. */
const OPEN = new Set(["A-106/followed", "A-138/one-reading", "A-138/wide-end", "A-140/names-are-bytes"]);

/** What the operation found if it disagrees with the case, else undefined. */
const judge = async (operation, each) => {
  const fault = await disagreement(operation, each);
  if (fault !== undefined && OPEN.has(each.reading)) {
    throw new Skipped(`observed: the libraries differ (${fault.split(":")[0]})`);
  }
  return fault;
};

const disagreement = async (operation, { in: input, expect }) => {
  let answer;
  try {
    answer = await operation(input);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return expect.verdict === "reject" ? undefined : `rejected: ${error.message}`;
  }
  if (expect.verdict === "reject") return `accepted: ${JSON.stringify(answer)}`;
  return sorted(answer) === sorted(expect.ok) ? undefined : `a different output: ${JSON.stringify(answer)}`;
};

const lock = JSON.parse(readFileSync(new URL("package-lock.json", import.meta.url)));
const versionOf = (name) =>
  name === "Node" ? process.versions.node : lock.packages[`node_modules/${name}`].version;
const versions = (names) => [...names, "Node"].map((name) => `${name} ${versionOf(name)}`);

/** The record of one witness's run over a file of cases. */
const run = async ({ witness, libraries, operations }, file, text) => {
  const cases = JSON.parse(text);
  const counts = { accept: 0, reject: 0 };
  const skipped = {};
  for (const each of cases) {
    try {
      const fault = await judge(operations[each.op], each);
      if (fault === undefined) {
        counts[each.expect.verdict] += 1;
      } else {
        agrees = false;
        console.error(`${witness}: ${each.id}: ${fault}`);
      }
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      skipped[each.id] = error.message;
    }
  }
  const [{ op }, accepts, rejects] = [cases[0], counts.accept, counts.reject];
  return { witness, op, file, sha256: sha256(text), accepts, rejects, skipped, libraries: versions(libraries) };
};

/** The operations of this witness as a program for `assay vectors run`. */
const serve = async () => {
  const operations = Object.assign({}, ...VOICES.toReversed().map((voice) => voice.operations));
  const libraries = [...new Set(VOICES.flatMap((voice) => voice.libraries))].sort();
  const hello = { name: "witness-node", version: "1", libraries: versions(libraries), operations: Object.keys(operations) };
  const answer = async ({ op, in: input }) => {
    if (op === "hello") return { ok: hello };
    if (!Object.hasOwn(operations, op)) return { unsupported: true };
    try {
      return { ok: await operations[op](input) };
    } catch (error) {
      if (error instanceof Refused) return { reject: { rule: error.message } };
      if (error instanceof Skipped) return { unsupported: true };
      throw error;
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    console.log(JSON.stringify({ id: request.id, ...(await answer(request)) }));
  }
  process.exit(0);
};
if (process.argv.includes("--shim")) await serve();

let agrees = true;
const fail = (what) => {
  agrees = false;
  console.error(what);
};
const records = [];
const manifest = JSON.parse(readFileSync(new URL("manifest.json", DATA)));
const held = {};
for (const file of Object.keys(manifest.files).filter((file) => file.split("/").length === 2)) {
  const text = readFileSync(new URL(file, DATA));
  if (sha256(text) !== manifest.files[file]) fail(`${file}: the manifest has a different hash`);
  const cases = JSON.parse(text);
  const { op } = cases[0];
  held[op] ??= { accept: 0, reject: 0 };
  for (const { expect } of cases) held[op][expect.verdict] += 1;
  const voices = VOICES.filter(({ operations }) => Object.hasOwn(operations, op));
  if (voices.length === 0) fail(`${op}: no witness knows this operation`);
  for (const voice of voices) {
    const record = await run(voice, file, text);
    records.push(record);
    const { witness, accepts, rejects, skipped, libraries } = record;
    console.log(JSON.stringify({ witness, op, accepts, rejects, skipped, libraries }));
    if (accepts + rejects + Object.keys(skipped).length !== cases.length) fail(`${witness}: ${op}: some cases are not counted`);
  }
}
for (const [op, counted] of Object.entries(manifest.operations)) {
  if (sorted(counted) !== sorted(held[op] ?? {})) fail(`${op}: the manifest's counts differ from the files'`);
}

const known = JSON.parse(readFileSync(new URL("../divergences.json", DATA)));
const own = (witness) => witness.split("/")[0] === "node";
const found = await divergencesOf(records, (file) => JSON.parse(readFileSync(new URL(file, DATA))), versionOf);
/** Versions of libraries are locked and compared. The language's own version depends on the machine. */
const flat = (list) =>
  list.flatMap(({ cases, witness, library, version, says }) =>
    cases.map((id) => `${id}: ${library} ${library === "Node" ? "" : version} of ${witness} says ${says}`),
  );
const [listed, actual] = [new Set(flat(known.filter(({ witness }) => own(witness)))), new Set(flat(found))];
for (const each of actual) if (!listed.has(each)) fail(`${each}: not listed in divergences.json`);
for (const each of listed) if (!actual.has(each)) fail(`${each}: listed in divergences.json, but no longer found`);
console.log(JSON.stringify({ divergences: actual.size, libraries: ALONE.length }));
if (process.argv.includes("--divergences")) console.log(JSON.stringify(found, null, 2));
if (agrees && process.argv.includes("--write")) {
  const path = fileURLToPath(new URL("witnesses.json", DATA));
  const mine = new Set(VOICES.map(({ witness }) => witness));
  const others = JSON.parse(readFileSync(path, "utf8")).filter(({ witness }) => !mine.has(witness));
  const place = (each) => `${each.file} ${each.witness}`;
  const both = [...others, ...records].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  writeFileSync(path, `${JSON.stringify(both, null, 2)}\n`);
}
process.exit(agrees ? 0 : 1);
