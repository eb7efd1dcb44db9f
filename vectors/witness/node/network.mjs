// Wallet signatures by ethers and @noble/hashes, and the table of responses about a STORE.

import { keccak_256 } from "@noble/hashes/sha3.js";
import { SigningKey, Wallet, computeAddress, hashMessage, recoverAddress } from "ethers";

import { ordered, parsed, written } from "./json.mjs";
import { read } from "./recipes.mjs";
import { attempt, require } from "./refusal.mjs";

const hex = (bytes) => Buffer.from(bytes).toString("hex");

// --- digests and keys

const sign = (i) => {
  const secret = read(i.private_key);
  require(secret.length === 32, "a key has 32 bytes");
  const message = read(i.message);
  const { address, signature } = attempt(() => {
    const wallet = new Wallet(new SigningKey(secret));
    return { address: wallet.address, signature: wallet.signMessageSync(message) };
  });
  return { digest: hashMessage(message).slice(2), signature: { hex: signature.slice(2) }, address };
};

/** Half the group order, rounded down. */
const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The library accepts other forms of v too. Of a high s it looks at the highest bit alone. */
const recovered = (message, signature) => {
  require(signature.length === 65, "length");
  require([0, 1, 27, 28].includes(signature[64]), "v");
  const scalar = (at) => BigInt(`0x${hex(signature.subarray(at, at + 32))}`);
  require(scalar(0) > 0n && scalar(32) > 0n, "zero");
  require(BigInt(`0x${hex(signature.subarray(32, 64))}`) <= HALF, "high s");
  return attempt(() => recoverAddress(hashMessage(message), `0x${hex(signature)}`));
};

const addressOf = ({ public_key: key }) => {
  require(/^0x04[0-9a-fA-F]{128}$/.test(key), "form");
  return { address: attempt(() => computeAddress(key)) };
};

// --- records and requests

const isText = (value) => typeof value === "string";

const canonical = (message) => {
  const record = ordered(message);
  require(record instanceof Map && isText(record.get("type")) && isText(record.get("channel")), "type and channel");
  const content = record.get("content");
  require(content instanceof Map && isText(content.get("address")), "content");
  require(Number.isInteger(content.get("time")), "time");
  require(content.has("content") || Array.isArray(content.get("hashes")), "no content and no hashes");
  const inner = content.has("content") ? "content" : "hashes";
  const names = ["address", "key", "type", "ref", inner, "time"].filter((name) => content.has(name));
  const kept = new Map(names.map((name) => [name, content.get(name)]));
  return written(new Map([["type", record.get("type")], ["channel", record.get("channel")], ["content", kept]]));
};

const digest = (text) => keccak_256(Buffer.from(text));

const signedBy = (message, signature, stated) => {
  require(/^(0x)?([0-9a-fA-F]{2})*$/.test(signature) && !signature.endsWith("\n"), "not hex");
  const address = recovered(message, Buffer.from(signature.replace(/^0x/, ""), "hex"));
  require(address.toLowerCase() === stated.toLowerCase(), "a different signer");
  return { address };
};

const verifyRequest = (i) => {
  const request = parsed(i.message_json);
  require(request !== null && typeof request === "object" && !Array.isArray(request), "not an object");
  require(Number.isInteger(request.timestamp), "timestamp");
  require(isText(request.nonce) && request.nonce !== "", "nonce");
  return signedBy(Buffer.from(i.message_json), i.signature, i.address);
};

// --- responses

/** Decides by the HTTP status first, in the order in which a reader sees a response. */
const classOf = (http, body) => {
  const status = body?.status;
  const store = body?.message?.type === "STORE" ? body.message.content?.item_hash : undefined;
  switch (http) {
    case 404:
      return ["absent"];
    case 410:
    case 200:
      if (status === "forgotten") return ["forgotten"];
      if (status === "pending" || status === "rejected") return ["unknown"];
      if (http === 410 || status === "removed") return ["removed"];
      if (status !== "processed" && status !== "removing") return ["absent"];
      return isText(store) && store !== "" ? ["live", store] : ["absent"];
    default:
      return ["unknown"];
  }
};

const WARNINGS = { forgotten: "STORE_FORGOTTEN", removed: "STORE_REMOVED", absent: "STORE_ABSENT" };

const classify = (i) => {
  const [name, cid = null] = classOf(i.http_status, i.body);
  return { class: name, cid, warning: WARNINGS[name] ?? null, forget_target: cid !== null };
};

export const network = {
  keccak256: (i) => ({ hash: hex(keccak_256(read(i.data))) }),
  "eip191.sign": sign,
  "eip191.recover": (i) => ({ address: recovered(read(i.message), read(i.signature)) }),
  "address.from_public_key": addressOf,
  "record.canonical": (i) => {
    const text = canonical(i.message_json);
    return { canonical: text, digest: hex(digest(text)) };
  },
  "record.verify": (i) => signedBy(digest(canonical(i.message_json)), i.signature, i.sender),
  "request.verify": verifyRequest,
  "store.classify": classify,
};
