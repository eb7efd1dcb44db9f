// Reads a publish with a common client library of the chain: node verify.mjs CHAIN-URL SIGNATURE KEY RECORD-START
import { Connection, PublicKey } from "@solana/web3.js";
import { ed25519 } from "@noble/curves/ed25519";
import bs58 from "bs58";
import assert from "node:assert/strict";

const [url, signature, key, start] = process.argv.slice(2);
const MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
const chain = new Connection(url, { commitment: "confirmed", wsEndpoint: url.replace("http", "ws") });

const found = await chain.getTransaction(signature, { commitment: "confirmed", maxSupportedTransactionVersion: 0 });
assert.ok(found, "the transaction is found");
assert.equal(found.meta.err, null);
const { message, signatures } = found.transaction;
assert.equal(signatures[0], signature, "the id is the fee payer's signature");
assert.equal(message.header.numRequiredSignatures, 2);
const keys = message.staticAccountKeys ?? message.accountKeys;
assert.equal(keys[1].toBase58(), key);
const bytes = message.serialize();
signatures.forEach((one, n) => {
  assert.ok(ed25519.verify(bs58.decode(one), bytes, keys[n].toBytes()), `signature ${n} is valid`);
});
const [memo] = message.compiledInstructions;
assert.equal(keys[memo.programIdIndex].toBase58(), MEMO);
const record = Buffer.from(memo.data).toString("utf8");
assert.ok(record.startsWith(start), record);
assert.ok(found.meta.logMessages.includes(`Program log: Signed by ${key}`));

const { value: [status] } = await chain.getSignatureStatuses([signature]);
assert.equal(status.err, null);
assert.ok(["confirmed", "finalized"].includes(status.confirmationStatus));
const latest = await chain.getLatestBlockhash();
assert.equal((await chain.isBlockhashValid(latest.blockhash)).value, true);
assert.ok((await chain.getBlockHeight()) <= latest.lastValidBlockHeight);
assert.ok((await chain.getVersion())["solana-core"]);
assert.ok(new PublicKey(await chain.getGenesisHash()));
const listed = await chain.getSignaturesForAddress(new PublicKey(key), { limit: 10 });
assert.ok(listed.some((one) => one.signature === signature));
console.log(record);
