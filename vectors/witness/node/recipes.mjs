// Bytes and entries in the notation of the case files.

import { createHash } from "node:crypto";

/** The bytes of a recipe. */
export const read = (recipe) => {
  const [[form, content]] = Object.entries(recipe);
  if (form === "concat") return Buffer.concat(content.map(read));
  if (form !== "repeat" && form !== "prng") return Buffer.from(content, { b64: "base64" }[form] ?? form);
  const [text, count] = content;
  return form === "prng" ? stream(text, count) : Buffer.alloc((text.length / 2) * count, text, "hex");
};

/** The entries of a folder, with numbered entries expanded. */
export const spellOut = (entries) =>
  entries.flatMap(({ numbered, ...rest }) =>
    numbered ? Array.from({ length: numbered[1] }, (_, n) => ({ path: `${numbered[0]}${n}`, ...rest })) : [rest],
  );

/** The longest stream of each seed so far. Many cases use its beginning. */
const made = new Map();

const stream = (seed, count) => {
  if (!(made.get(seed)?.length >= count)) {
    const bytes = Buffer.alloc(Math.ceil(count / 32) * 32);
    const counter = Buffer.alloc(8);
    for (let n = 0; n * 32 < count; n += 1) {
      counter.writeBigUInt64BE(BigInt(n));
      createHash("sha256").update(seed).update(counter).digest().copy(bytes, n * 32);
    }
    made.set(seed, bytes);
  }
  return made.get(seed).subarray(0, count);
};
