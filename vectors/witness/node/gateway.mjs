// Validates bodies of inference requests with ajv; the schemas are the document's tables. Reads streams with eventsource-parser.

import Ajv from "ajv";
import { createParser } from "eventsource-parser";

import { read } from "./recipes.mjs";
import { attempt, require } from "./refusal.mjs";

const text = { type: "string" };
const object = (required, properties) => ({ type: "object", required, properties });

const part = {
  type: "object",
  required: ["type"],
  oneOf: [
    object(["text"], { type: { const: "text" }, text }),
    object(["image_url"], { type: { const: "image_url" }, image_url: object(["url"], { url: text }) }),
  ],
};
const tool = object(["type", "function"], {
  type: { const: "function" },
  function: object(["name"], { name: text, description: text, parameters: { type: "object" } }),
});
const message = object([], {
  role: text,
  // The content of an assistant message with tool calls is null.
  content: { anyOf: [text, { type: "array", items: part }, { type: "null" }] },
  tool_call_id: text,
});
const schemas = {
  chat: object(["model", "messages"], {
    model: text,
    messages: { type: "array", items: message },
    stream: { type: "boolean" },
    tools: { type: "array", items: tool },
  }),
  messages: object(["model", "max_tokens", "messages"], {
    model: text,
    max_tokens: { type: "integer" },
    messages: { type: "array", items: object([], { role: text, content: text }) },
  }),
};

const ajv = new Ajv({ strict: false, coerceTypes: false });
const judges = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

const facts = {
  chat: ({ model, messages, stream = false, tools = [] }) => ({
    model,
    stream,
    messages: messages.length,
    images: messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === "image_url").length,
    tools: tools.map((each) => each.function.name),
  }),
  messages: ({ model, max_tokens, messages }) => ({ model, max_tokens, messages: messages.length }),
};

const validate = ({ endpoint, body }) => {
  const bytes = read(body);
  const parsed = attempt(() => JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)));
  const judge = judges[endpoint];
  require(judge(parsed), ajv.errorsText(judge.errors));
  return facts[endpoint](parsed);
};

/** The chunks of a stream before its end mark. */
const chunks = (body) => {
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(body));
  const events = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(text);
  const end = events.findIndex(({ data }) => data.trim() === "[DONE]");
  return events.slice(0, end < 0 ? undefined : end).map(({ event, data }) => {
    require(event !== "error", data);
    const chunk = attempt(() => JSON.parse(data));
    require((chunk?.error ?? null) === null, "an error");
    require(Array.isArray(chunk?.choices), "no choices");
    return chunk;
  });
};

/** Adds a piece to its call, as client libraries do. */
const add = (calls, { index, id, function: { name, arguments: words } = {} }) => {
  require(Number.isInteger(index) && index >= 0, "a piece without an index");
  require([id, name, words].every((part) => typeof (part ?? "") === "string"), "a part that is not a string");
  if (!calls.has(index)) calls.set(index, { id: "", name: "", words: "" });
  const call = calls.get(index);
  require(!id || !call.id || call.id === id, "another id");
  call.id ||= id ?? "";
  if (call.name !== name) call.name += name ?? "";
  call.words += words ?? "";
};

const byIndex = (map) => [...map].sort(([a], [b]) => a - b);

const readStream = ({ body }) => {
  const choices = new Map();
  for (const { index = 0, delta = {} } of chunks(read(body)).flatMap(({ choices }) => choices)) {
    if (!choices.has(index)) choices.set(index, { text: "", calls: new Map() });
    const choice = choices.get(index);
    const content = delta.content ?? "";
    const pieces = delta.tool_calls ?? [];
    require(typeof content === "string" && Array.isArray(pieces), "an increment of another type");
    choice.text += content;
    for (const piece of pieces) add(choice.calls, piece);
  }
  for (const { calls } of choices.values()) {
    const all = [...calls.values()];
    require(all.every(({ id, name }) => id && name), "a call without id or name");
    require(new Set(all.map(({ id }) => id)).size === all.length, "two calls with one id");
  }
  const whole = ([, { id, name, words }]) => ({ id, type: "function", function: { name, arguments: words } });
  return {
    choices: byIndex(choices).map(([index, { text, calls }]) => ({ index, text, tool_calls: byIndex(calls).map(whole) })),
  };
};

export const gateway = { "gateway.validate": validate, "gateway.read_stream": readStream };
