// The verdict of each library by itself, without the rules that the witness adds. If it differs from the case's,
// divergences.json must list it with a reason.

import { verify as verifyByOpenssl } from "node:crypto";

import { ed25519 } from "@noble/curves/ed25519.js";
import { getCompiledTransactionMessageDecoder } from "@solana/transaction-messages";
import web3 from "@solana/web3.js";
import bs58 from "bs58";
import { ECIES_CONFIG, decrypt } from "eciesjs";
import { Wallet, computeAddress, hexlify, verifyMessage } from "ethers";

import { partsOf, web3PartsOf } from "./messages.mjs";
import { read } from "./recipes.mjs";
import { byYauzl, byZipJs } from "./zips.mjs";

const hexed = (bytes) => ({ hex: Buffer.from(bytes).toString("hex") });
const rules =
  (...names) =>
  ({ expect }) =>
    names.some((name) => expect.rule === name || (name.endsWith(".") && expect.rule.startsWith(name)));
const row =
  (...names) =>
  ({ requirements }) =>
    names.includes(requirements[0]);
const all = () => true;

/** The key, message and signature of a header, leniently decoded. */
const signed = ({ authorization, bindings, op }) => {
  const [message, signature] = authorization.split(" ")[1].split(".").map((part) => Buffer.from(part, "base64url"));
  const { key, incoming_key: incoming } = bindings.at(-1);
  return [signature, message, bs58.decode(op === "accept" ? incoming : key)];
};
const accepted = (good) => {
  if (!good) throw new Error("the signature does not verify");
  return {};
};
const config = (symmetricNonceLength) =>
  Object.assign(Object.create(Object.getPrototypeOf(ECIES_CONFIG)), ECIES_CONFIG, { symmetricNonceLength });
const reordered = (text) => {
  const { type, channel, content } = JSON.parse(text);
  const { address, key, type: kind, ref, content: inner, hashes, time } = content;
  const kept = { address, key, type: kind, ref, ...(hashes === undefined ? { content: inner } : { hashes }), time };
  return JSON.stringify({ type, channel, content: kept });
};
const wire = ({ instructions, ...rest }) => ({
  ...rest,
  instructions: instructions.map((each) => ({ ...each, data: hexed(each.data) })),
});
const unzipped = (library) => async (i) => ({ files: (await library(read(i.zip))).length && undefined });
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** Witness, library, operation, the rejects that the library can judge, and the call. */
export const ALONE = [
  ["node", "eciesjs", "ecies.decrypt", all, (i) => ({
    plaintext: hexed(decrypt(read(i.private_key), read(i.ciphertext), config(i.nonce_length ?? 16))),
  })],
  ["node", "ethers", "eip191.sign", all, (i) => {
    const wallet = new Wallet(hexlify(read(i.private_key)));
    return { address: wallet.address, signature: { hex: wallet.signMessageSync(read(i.message)).slice(2) } };
  }],
  ["node", "ethers", "eip191.recover", all, (i) => ({
    address: verifyMessage(read(i.message), hexlify(read(i.signature))),
  })],
  ["node", "ethers", "request.verify", rules("signature."), (i) =>
    accepted(verifyMessage(i.message_json, i.signature).toLowerCase() === i.address.toLowerCase())],
  ["node", "ethers", "address.from_public_key", all, (i) => ({ address: computeAddress(i.public_key) })],
  ["node", "Node", "base64.decode", all, (i) => ({ bytes: hexed(Buffer.from(i.text, "base64")) })],
  ["node", "Node", "record.canonical", rules("canonical."), (i) => ({ canonical: reordered(i.message_json) })],
  ["node", "Node", "publish.record.encode", rules("record.time"), ({ fields: { t } }) =>
    accepted(new Date(t).toISOString() === t)],
  ["node", "Node", "domain.canonical", all, ({ domain }) => accepted(new URL(`https://${domain}/`).hostname === domain)],
  ["node", "@noble/curves", "vfkey.verify", row("publish.envelope.signature"), (i) => accepted(ed25519.verify(...signed(i)))],
  ["node", "Node", "vfkey.verify", row("publish.envelope.signature"), (i) => {
    const [signature, message, key] = signed(i);
    const spki = { key: Buffer.concat([SPKI, key]), format: "der", type: "spki" };
    return accepted(verifyByOpenssl(null, message, spki, signature));
  }],
  ["node", "@solana/transaction-messages", "transaction.decode", all, (i) =>
    wire(partsOf(getCompiledTransactionMessageDecoder().decode(read(i.message))))],
  ["node/web3", "@solana/web3.js", "transaction.decode", ({ expect }) => expect.rule !== undefined, (i) => {
    const bytes = read(i.message);
    return bytes.length > 1232 ? undefined : wire(web3PartsOf(web3.Message.from(bytes)));
  }],
  ["node", "yauzl", "drop.inspect_zip", rules("zip.form", "zip.counted", "zip.traversal", "zip.absolute"), unzipped(byYauzl)],
  ["node/ipld", "@zip.js/zip.js", "drop.inspect_zip", rules("zip.form", "zip.counted", "zip.traversal", "zip.absolute"), unzipped(byZipJs)],
];

/** Whether an output matches the case. Members that a library does not return are not compared. */
const fits = (answer, ok) =>
  Object.entries(answer).every(([name, value]) => value === undefined || sorted(value) === sorted(ok[name]));
const sorted = (value) =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** The library's verdict on a case if it differs; undefined if it agrees or cannot judge the case. */
const heard = async (ask, { in: input, expect }) => {
  let answer;
  try {
    answer = await ask(input);
  } catch {
    return expect.verdict === "reject" ? undefined : "reject";
  }
  if (answer === undefined) return undefined;
  if (expect.verdict === "reject") return "accept";
  return fits(answer, expect.ok) ? undefined : "other";
};

/** Every divergence in the form of divergences.json, without reasons. */
export const divergencesOf = async (records, casesOf, versionOf) => {
  const found = new Map();
  for (const [witness, library, operation, judges, ask] of ALONE) {
    const { file } = records.find((record) => record.witness === witness && record.op === operation);
    let agreed = 0;
    for (const each of casesOf(file)) {
      if (each.expect.verdict === "reject" && !judges(each)) continue;
      const says = await heard(ask, each);
      if (says === undefined) agreed += Number(each.expect.verdict === "accept");
      else {
        const entry = { witness, library, version: versionOf(library), operation, says, cases: [] };
        const name = `${operation} ${witness} ${library} ${says}`;
        if (!found.has(name)) found.set(name, entry);
        found.get(name).cases.push(each.id);
      }
    }
    if (agreed === 0) throw new Error(`${library} agrees with no case of ${operation}: the call must be wrong`);
  }
  return [...found.values()].map((entry) => ({ ...entry, cases: entry.cases.sort() }));
};
