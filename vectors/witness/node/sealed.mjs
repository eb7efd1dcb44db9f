// Key E by ethers, wrapped keys by eciesjs, envelopes and bundles by @noble/ciphers, tarballs by nanotar.


import { gcm } from "@noble/ciphers/aes.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { ECIES_CONFIG, decrypt, encrypt } from "eciesjs";
import { SigningKey, Wallet } from "ethers";
import { gunzipSync } from "fflate";
import { parseTar } from "nanotar";

import { ordered, parsed, written } from "./json.mjs";
import { read } from "./recipes.mjs";
import { attempt, require } from "./refusal.mjs";

const TITLE = "Svc Cloud \u2014 encryption key";
const hexed = (bytes) => ({ hex: Buffer.from(bytes).toString("hex") });
const utf8 = (bytes) => attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// --- strings

/** Node accepts base64url, white space and spare bits, so a string must be the encoding of its bytes. */
const fromBase64 = (text) => {
  require(typeof text === "string", "not a string");
  const bytes = Buffer.from(text, "base64");
  require(bytes.toString("base64") === text, "does not encode back");
  return bytes;
};
const toBase64 = (bytes) => Buffer.from(bytes).toString("base64");

/** JSON that all parsers read alike: no duplicate keys, and only integers below 2^53. */
const portable = (text) => JSON.parse(written(ordered(text)));

// --- keys

const secretKey = (recipe) => {
  const secret = read(recipe);
  require(secret.length === 32, "a key has 32 bytes");
  return attempt(() => (new SigningKey(secret).publicKey, secret));
};

const publicKey = (text) => {
  require(/^0x04[0-9a-fA-F]{128}$/.test(text), "form");
  return attempt(() => Buffer.from(SigningKey.computePublicKey(text).slice(2), "hex"));
};

const derive = (i) => {
  const wallet = new Wallet(new SigningKey(secretKey(i.private_key)));
  const lines = i.derivation_text.split("\n");
  require(lines.length === 7 && lines.every((line) => line !== "" && !line.includes("\r")), "seven lines");
  require(lines[0] === TITLE && lines[6] === "Version: 1", "title and version");
  require(lines[5] === `Wallet: ${wallet.address}`, "wallet");
  const signature = Buffer.from(wallet.signMessageSync(i.derivation_text).slice(2), "hex");
  const own = keccak_256(signature);
  return { signature: hexed(signature), private_key: hexed(own), public_key: new SigningKey(own).publicKey };
};

// --- wrapping

const config = (symmetricNonceLength) =>
  Object.assign(Object.create(Object.getPrototypeOf(ECIES_CONFIG)), ECIES_CONFIG, { symmetricNonceLength });

/** The library's encryption, with its two random values replaced by those of the case. */
const wrapped = (recipient, draw, plaintext) => {
  const [ephemeral, nonce] = [secretKey(draw.ephemeral_private_key), read(draw.nonce)];
  const key = publicKey(recipient);
  const draws = [ephemeral, nonce];
  const own = Object.getOwnPropertyDescriptor(globalThis.crypto, "getRandomValues");
  const getRandomValues = (array) => {
    const next = draws.shift();
    if (next?.length !== array.length) throw new Error("the library draws a different length");
    array.set(next);
    return array;
  };
  Object.defineProperty(globalThis.crypto, "getRandomValues", { value: getRandomValues, configurable: true });
  try {
    const bytes = encrypt(key, plaintext, config(nonce.length));
    if (draws.length > 0) throw new Error("the library draws fewer values");
    return bytes;
  } finally {
    if (own) Object.defineProperty(globalThis.crypto, "getRandomValues", own);
    else delete globalThis.crypto.getRandomValues;
  }
};

const unwrapped = (secret, bytes, nonce) => {
  require(bytes.length >= 65 + nonce + 16 && bytes[0] === 4, "layout");
  return attempt(() => decrypt(secret, bytes, config(nonce)));
};

// --- envelopes and bundles

const sealed = (i, plaintext, recipients) => {
  const [dek, iv] = [read(i.dek), read(i.iv)];
  require(dek.length === 32 && iv.length === 12, "lengths");
  const whole = gcm(dek, iv).encrypt(plaintext);
  const wrap = ({ public_key: key, ...draw }) => toBase64(wrapped(key, draw, dek));
  return {
    alg: "aes-256-gcm",
    ct: toBase64(whole.subarray(0, -16)),
    iv: toBase64(iv),
    tag: toBase64(whole.subarray(-16)),
    deks: Object.fromEntries(recipients.map((name) => [name, wrap(i.deks[name])])),
  };
};

const opened = (envelope, name, recipe) => {
  require(envelope.alg === "aes-256-gcm", "cipher");
  const [ct, iv, tag] = [envelope.ct, envelope.iv, envelope.tag].map(fromBase64);
  require(iv.length === 12 && tag.length === 16, "lengths");
  const bytes = fromBase64(envelope.deks[name]);
  const dek = unwrapped(secretKey(recipe), bytes, bytes.length === 125 ? 12 : 16);
  require(dek.length === 32, "length of the key");
  return attempt(() => gcm(dek, iv).decrypt(Buffer.concat([ct, tag])));
};

const openEnvelope = (i) => {
  const { envelope } = i;
  require(isObject(envelope) && isObject(envelope.deks), "not an object");
  require(Number.isInteger(envelope.v) && envelope.v <= 3, "version");
  if (envelope.v < 3 && i.role === "backend") return { plaintext: null, warnings: ["LEGACY_ENVELOPE_SKIPPED"] };
  const plain = opened(envelope, i.dek, i.private_key);
  portable(utf8(plain));
  return { plaintext: hexed(plain), warnings: [] };
};

const openBundle = (i) => {
  const bytes = read(i.bundle);
  if (i.bundle_hash != null) {
    require(/^[0-9a-fA-F]{64}$/.test(i.bundle_hash), "form of the hash");
    require(Buffer.from(sha256(bytes)).toString("hex") === i.bundle_hash.toLowerCase(), "hash");
  }
  const bundle = portable(utf8(bytes));
  require(isObject(bundle) && isObject(bundle.deks), "not an object");
  require(bundle.v === 1 && bundle.kind === "svc-bundle", "kind");
  require(Object.keys(bundle.deks).sort().join() === "encryption,vm", "two recipients");
  const tarball = opened(bundle, i.dek, i.private_key);
  const tar = tarball[0] === 0x1f && tarball[1] === 0x8b ? attempt(() => gunzipSync(tarball)) : tarball;
  const names = attempt(() => parseTar(tar)).filter(({ type }) => type === "file").map(({ name }) => name);
  require(names.some((name) => name.replace(/^\.\//, "") === "manifest.json"), "manifest");
  return { tarball: hexed(tarball) };
};

export const sealing = {
  "base64.decode": ({ text }) => ({ bytes: hexed(fromBase64(text)) }),
  "key_e.derive": derive,
  "ecies.encrypt": (i) => ({ ciphertext: hexed(wrapped(i.public_key, i, read(i.plaintext))) }),
  "ecies.decrypt": (i) => ({
    plaintext: hexed(unwrapped(secretKey(i.private_key), read(i.ciphertext), i.nonce_length ?? 16)),
  }),
  "envelope.seal": (i) => {
    parsed(i.plaintext_json);
    return { envelope: { v: 3, ...sealed(i, Buffer.from(i.plaintext_json), ["user", "encryption"]) } };
  },
  "envelope.open": openEnvelope,
  "bundle.seal": (i) => ({
    bundle: { v: 1, kind: "svc-bundle", ...sealed(i, read(i.tarball), ["vm", "encryption"]) },
  }),
  "bundle.open": openBundle,
};
