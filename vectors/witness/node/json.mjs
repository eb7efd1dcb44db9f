// A JSON parser that keeps what JSON.parse loses: the order of keys that look like numbers, duplicate keys, and the
// notation of numbers. JSON.parse itself decides what is valid, and reads and writes every string and number.

import { attempt, require } from "./refusal.mjs";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;
const SPACE = /[ \t\r\n]*/gy;

/** A number that serializers write differently. Where it is signed, it has no canonical form. */
class Odd {}

/** An integer may have a zero fraction or an exponent. JSON.stringify writes other fractions in their shortest form. */
const portable = (token) => {
  const number = Number(token) + 0;
  const isFraction = !Number.isInteger(number) && Math.abs(number) >= 0.0001;
  return Number.isSafeInteger(number) || isFraction ? number : new Odd();
};

/** JSON.parse accepts lone surrogates, which have no UTF-8 form. */
const wellFormed = (text) => {
  require(text.isWellFormed(), "a lone surrogate");
  return text;
};

/** A value as JSON.parse returns it. */
export const parsed = (text) =>
  attempt(() =>
    JSON.parse(text, (name, value) => {
      wellFormed(name);
      return typeof value === "string" ? wellFormed(value) : value;
    }),
  );

/** A value whose objects are maps. */
export const ordered = (text) => {
  parsed(text);
  const tokens = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    if (SPACE.lastIndex === text.length) break;
    TOKEN.lastIndex = SPACE.lastIndex;
    tokens.push(TOKEN.exec(text)[0]);
  }
  let at = 0;
  const value = () => {
    const token = tokens[at++];
    if (token === "{") return object();
    if (token === "[") return array();
    if (/^[-\d]/.test(token)) return portable(token);
    return JSON.parse(token);
  };
  const object = () => {
    const members = new Map();
    while (tokens[at] !== "}") {
      const name = JSON.parse(tokens[at]);
      require(!members.has(name), "a key appears twice");
      at += 2;
      members.set(name, value());
      if (tokens[at] === ",") at += 1;
    }
    at += 1;
    return members;
  };
  const array = () => {
    const values = [];
    while (tokens[at] !== "]") {
      values.push(value());
      if (tokens[at] === ",") at += 1;
    }
    at += 1;
    return values;
  };
  return value();
};

/** The JSON of such a value, without white space. */
export const written = (value) => {
  require(!(value instanceof Odd), "a number that serializers write differently");
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${[...value].map(([name, each]) => `${JSON.stringify(name)}:${written(each)}`).join(",")}}`;
};
