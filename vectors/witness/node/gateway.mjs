// Validates bodies of inference requests with ajv. The schemas are the document's tables.

import Ajv from "ajv";

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

export const gateway = { "gateway.validate": validate };
