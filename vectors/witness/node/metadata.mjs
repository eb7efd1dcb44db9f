// Documents of token metadata by ajv's schemas. Paths are parsed from the right by code written from the document's
// table: no third-party router accepts a path whose slashes have a meaning before decoding.

import { Ajv } from "ajv";

import { read } from "./recipes.mjs";
import { attempt, require } from "./refusal.mjs";

// --- paths

const decoded = (parameter) => {
  const bytes = parameter.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return attempt(() => text.decode(Buffer.from(bytes, "latin1")));
};

/** The part of a path after the contract: the end of the listed path, and the id's string. */
const ending = (tail) => {
  const parts = tail.split("/");
  if (parts.length === 2 && parts[1] === "overrides") return ["{token_id}/overrides", parts[0]];
  require(parts.length === 1, "not a listed path");
  const bare = tail.endsWith(".json") ? tail.slice(0, -".json".length) : "";
  return bare === "" ? ["{token_id}", tail] : ["{token_id}.json", bare];
};

const integer = (text) => {
  require(/^-?[0-9]+$/.test(text) && !text.includes("\n"), "not an integer");
  return BigInt(text).toString();
};

const route = (i) => {
  // One character per byte.
  const raw = Buffer.from(read(i.raw_path)).toString("latin1");
  require(raw.startsWith("/"), "no leading slash");
  const nothing = { contract_metadata_cid: null, contract_uri: null, token_id: null };
  if (raw === "/") return { ...nothing, path: "/" };
  const rest = raw.slice(1);
  const double = rest.lastIndexOf("//");
  const single = rest.indexOf("/");
  const byUri = double >= 0;
  const name = byUri ? "contract_uri" : "contract_metadata_cid";
  const [contract, tail] = byUri
    ? [rest.slice(0, double), rest.slice(double + 2)]
    : [single < 0 ? rest : rest.slice(0, single), single < 0 ? null : rest.slice(single + 1)];
  require(contract !== "", "the contract is empty");
  const own = { ...nothing, [name]: decoded(contract) };
  const before = byUri ? `/{${name}}//` : `/{${name}}`;
  if (tail === null || (byUri && tail === "")) return { ...own, path: before };
  const [after, id] = ending(tail);
  require(id !== "", "the id is empty");
  return { ...own, path: `${before}${byUri ? "" : "/"}${after}`, token_id: integer(decoded(id)) };
};

// --- documents

const text = { type: "string" };
const texts = { type: "array", items: text };
const listOf = (name) => ({ type: "array", items: { $ref: `#/$defs/${name}` } });
const optional = (schema) => ({ anyOf: [{ type: "null" }, schema] });
const all = (members, required) => ({ type: "object", properties: members, required });

const shared = {
  name: text,
  image: optional(text),
  animation_url: optional(text),
  description: optional(text),
  external_url: optional(text),
  attributes: optional(listOf("attribute")),
  external_properties: optional(listOf("external")),
};
const names = ["symbol", "description", "image", "banner_image", "featured_image", "external_link", "ref", "owner"];
const $defs = {
  attribute: all({ trait_type: text, value: { type: ["boolean", "integer", "string"] } }, ["trait_type", "value"]),
  external: all(
    {
      source: text,
      mandatory: optional({ type: "boolean" }),
      allowed: optional(texts),
      fallback: optional({ type: "object" }),
    },
    ["source"],
  ),
  template: all({ ...shared, tag: optional(text) }, ["name"]),
  token: all(shared, ["name"]),
  contract: all(
    {
      name: text,
      ...Object.fromEntries(names.map((name) => [name, optional(text)])),
      collaborators: optional(texts),
      default_token_template: optional({ $ref: "#/$defs/template" }),
    },
    ["name"],
  ),
  error: all({ loc: { type: "array", items: { type: ["string", "integer"] } }, msg: text, type: text }, ["loc", "msg", "type"]),
  "validation-error": all({ detail: listOf("error") }, ["detail"]),
};
const ajv = new Ajv({ strict: false });
const kinds = Object.fromEntries(
  ["contract", "token", "validation-error"].map((kind) => [kind, ajv.compile({ $defs, $ref: `#/$defs/${kind}` })]),
);

const record = ({ kind, document }) => {
  const is = kinds[kind];
  require(is(document), ajv.errorsText(is.errors));
  return {};
};

export const paths = { "metadata.route": route };
export const documents = { "metadata.record": record };
