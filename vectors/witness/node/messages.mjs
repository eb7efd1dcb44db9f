// Two libraries that read and write the chain's messages. A message must encode back to the same bytes.

import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
} from "@solana/transaction-messages";
import web3 from "@solana/web3.js";
import bs58 from "bs58";

import { Skipped, attempt, require } from "./refusal.mjs";

const PACKET = 1232;

/** @solana/transaction-messages accepts non-shortest lengths, trailing bytes and other versions. */
export const byCodecs = {
  decode: (bytes) =>
    attempt(() => {
      const message = getCompiledTransactionMessageDecoder().decode(bytes);
      require(message.version === "legacy", "not legacy");
      require(Buffer.from(getCompiledTransactionMessageEncoder().encode(message)).equals(bytes), "does not encode back");
      return partsOf(message);
    }),
  encode: ({ accounts, blockhash, instruction }) => {
    const header = { numSignerAccounts: 2, numReadonlySignerAccounts: 1, numReadonlyNonSignerAccounts: 1 };
    const { program: programAddressIndex, accounts: accountIndices, data } = instruction;
    const message = { version: "legacy", header, staticAccounts: accounts, lifetimeToken: blockhash };
    message.instructions = [{ programAddressIndex, accountIndices, data }];
    return attempt(() => Buffer.from(getCompiledTransactionMessageEncoder().encode(message)));
  },
};

/** A message of the codecs in the notation of the cases. */
export const partsOf = ({ header, staticAccounts, lifetimeToken, instructions }) => ({
  header: [header.numSignerAccounts, header.numReadonlySignerAccounts, header.numReadonlyNonSignerAccounts],
  accounts: [...staticAccounts],
  blockhash: lifetimeToken,
  instructions: instructions.map(({ programAddressIndex: program, accountIndices = [], data = [] }) => ({
    program,
    accounts: [...accountIndices],
    data: Buffer.from(data),
  })),
});

/** @solana/web3.js: its buffer is one packet. It keeps data in base58, which is slow for longer data. */
export const byWeb3 = {
  decode: (bytes) => {
    require(bytes.length > 0 && bytes[0] < 0x80, "not legacy");
    if (bytes.length > PACKET) throw new Skipped("web3.js cannot write a message longer than a packet");
    return attempt(() => {
      const message = web3.Message.from(bytes);
      const parts = web3PartsOf(message);
      require(Buffer.from(message.serialize()).equals(bytes), "does not encode back");
      return parts;
    });
  },
  encode: ({ accounts, blockhash, instruction }) => {
    if (instruction.data.length > PACKET) throw new Skipped("web3.js cannot write a message longer than a packet");
    const message = new web3.Message({
      header: { numRequiredSignatures: 2, numReadonlySignedAccounts: 1, numReadonlyUnsignedAccounts: 1 },
      accountKeys: accounts.map((text) => new web3.PublicKey(text)),
      recentBlockhash: blockhash,
      instructions: [
        { programIdIndex: instruction.program, accounts: instruction.accounts, data: bs58.encode(instruction.data) },
      ],
    });
    return attempt(() => message.serialize());
  },
};

/** A message of web3.js in the notation of the cases. */
export const web3PartsOf = ({ header, accountKeys, recentBlockhash, instructions }) => ({
  header: [header.numRequiredSignatures, header.numReadonlySignedAccounts, header.numReadonlyUnsignedAccounts],
  accounts: accountKeys.map((each) => each.toBase58()),
  blockhash: recentBlockhash,
  instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
    program: programIdIndex,
    accounts,
    data: Buffer.from(bs58.decode(data)),
  })),
});
