// A JavaScript library that wraps the wire formats of several vendors, against an inference gateway: the AI SDK.
//
// Settings in the environment: ASSAY_GATEWAY_URL, ASSAY_GATEWAY_KEY, ASSAY_MODEL (one that supports tools and images).
// Optional: ASSAY_CONTROL_URL (to use faults of the simulator).
// Exits with 1 at the first failed assertion.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateObject,
  generateText,
  jsonSchema,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from "ai";

globalThis.AI_SDK_LOG_WARNINGS = false;

const { ASSAY_GATEWAY_URL: URL, ASSAY_GATEWAY_KEY: KEY, ASSAY_MODEL: MODEL, ASSAY_CONTROL_URL: CONTROL } = process.env;

// An image of 2 by 1 pixels.
const GIF = "R0lGODlhAgABAIAAAAAAAP///yH5BAEAAAAALAAAAAACAAEAAAICBAoAOw==";
const schema = jsonSchema({
  type: "object",
  properties: {
    city: { type: "string" },
    unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    days: { type: "integer", minimum: 1, maximum: 7 },
  },
  required: ["city", "unit", "days"],
  additionalProperties: false,
});
const ABOUT = "Tell me about lighthouses";
const QUESTION = "How will the weather be in Lisbon?";
const FOUND = "18 degrees and clear";

const chats = (apiKey = KEY) =>
  createOpenAICompatible({
    name: "gateway",
    baseURL: `${URL}/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
// The gateway expects a bearer key, and its own name for the version header.
const writes = (authToken = KEY) =>
  createAnthropic({
    baseURL: `${URL}/v1`,
    authToken,
    headers: { "svc-version": "2023-06-01" },
  });

// No call is tried again. The messages endpoint requires a number of tokens.
const use = (model, more) => ({ model, maxRetries: 0, maxOutputTokens: 500, ...more });

function fits(given) {
  assert.deepEqual(Object.keys(given).sort(), ["city", "days", "unit"]);
  assert.equal(typeof given.city, "string");
  assert.ok(["celsius", "fahrenheit"].includes(given.unit));
  assert.ok(Number.isInteger(given.days) && given.days >= 1 && given.days <= 7);
}

const counts = ({ inputTokens, outputTokens, totalTokens }) => [inputTokens, outputTokens, totalTokens];

// What the gateway returns without the library.
async function post(path, body) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
  const reply = await fetch(`${URL}${path}`, { method: "POST", headers, body: JSON.stringify({ model: MODEL, ...body }) });
  assert.equal(reply.status, 200);
  return reply.json();
}

// A stream must not fail: by default the library writes an error to the console and ends the text.
async function pieces(stream, parts = []) {
  for await (const part of stream.fullStream) {
    if (part.type === "error") throw part.error;
    parts.push(part);
  }
  return parts;
}
const silent = { onError() {} };

async function text(model) {
  const reply = await generateText(use(model, { prompt: ABOUT }));
  assert.ok(reply.text.includes("lighthouses"), reply.text);
  assert.equal(reply.finishReason, "stop");
  assert.equal(reply.response.modelId, MODEL);
  const [asked, answered, total] = counts(reply.usage);
  assert.ok(asked > 0 && answered > 0);
  assert.equal(asked + answered, total);
  const short = await generateText(use(model, { prompt: ABOUT, maxOutputTokens: 2 }));
  assert.equal(short.finishReason, "length");
  assert.equal(short.usage.outputTokens, 2);

  const stream = streamText(use(model, { prompt: ABOUT, ...silent }));
  const parts = (await pieces(stream)).filter((part) => part.type === "text-delta");
  assert.ok(parts.length > 3);
  assert.equal(parts.map((part) => part.text).join(""), reply.text);
  assert.equal(await stream.finishReason, "stop");
  assert.deepEqual(counts(await stream.usage), [asked, answered, total]);
  return reply;
}

async function tools(model) {
  const declared = { weather: tool({ description: "A forecast", inputSchema: schema }) };
  const turn = await generateText(use(model, { prompt: QUESTION, tools: declared }));
  assert.equal(turn.finishReason, "tool-calls");
  assert.equal(turn.toolCalls.length, 1);
  const [call] = turn.toolCalls;
  assert.equal(call.toolName, "weather");
  assert.ok(call.toolCallId && !call.invalid);
  fits(call.input);

  const stream = streamText(use(model, { prompt: QUESTION, tools: declared, ...silent }));
  const parts = await pieces(stream);
  const deltas = parts.filter((part) => part.type === "tool-input-delta");
  const calls = await stream.toolCalls;
  assert.equal(calls.length, 1);
  const [again] = calls;
  assert.equal(again.toolName, "weather");
  fits(again.input);
  assert.deepEqual(JSON.parse(deltas.map((part) => part.delta).join("")), again.input);
  // For a stream of the messages endpoint the library declares the tool in another form, so the model may answer otherwise.
  if (model.provider.startsWith("gateway")) assert.deepEqual(again.input, call.input);
  assert.equal(await stream.finishReason, "tool-calls");

  // The library runs the tool and returns its result to the model by itself.
  for (const streamed of [false, true]) {
    const ran = [];
    const execute = async (input) => {
      ran.push(input);
      return FOUND;
    };
    const running = { weather: tool({ description: "A forecast", inputSchema: schema, execute }) };
    const options = use(model, { prompt: QUESTION, tools: running, stopWhen: stepCountIs(3) });
    const answer = streamed ? streamText({ ...options, ...silent }) : await generateText(options);
    if (streamed) await pieces(answer);
    assert.deepEqual(ran, [(streamed ? again : call).input]);
    const [steps, last] = [await answer.steps, await answer.text];
    assert.deepEqual(steps.map((step) => step.finishReason), ["tool-calls", "stop"]);
    assert.ok(last.includes(FOUND), last);
  }
}

async function image(model) {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image", image: `data:image/gif;base64,${GIF}` },
  ];
  const seen = (await generateText(use(model, { messages: [{ role: "user", content }] }))).text;
  for (const fact of ["image/gif", "43 bytes", "2 by 1"]) assert.ok(seen.includes(fact), seen);
}

async function object(model) {
  const reply = await generateObject(use(model, { prompt: QUESTION, schema, schemaName: "forecast" }));
  fits(reply.object);
  const stream = streamObject(use(model, { prompt: QUESTION, schema, schemaName: "forecast", ...silent }));
  const states = [];
  for await (const state of stream.partialObjectStream) states.push(state);
  assert.ok(states.length > 1);
  assert.deepEqual(states.at(-1), await stream.object);
  fits(await stream.object);
}

const failsWith = (call, statusCode) =>
  assert.rejects(call, (error) => {
    assert.ok(APICallError.isInstance(error), String(error));
    assert.equal(error.statusCode, statusCode);
    assert.equal(typeof JSON.parse(error.responseBody).detail, "string");
    return true;
  });

async function errors(provider) {
  await failsWith(generateText(use(provider()("no-such-model"), { prompt: "Hello" })), 404);
  await failsWith(generateText(use(provider("sk-wrong")(MODEL), { prompt: "Hello" })), 401);
  await failsWith(pieces(streamText(use(provider("sk-wrong")(MODEL), { prompt: "Hello", ...silent }))), 401);
}

// Failures that only a simulator can be asked for: no server answers, and a stream that breaks midway.
async function faulty(model) {
  const faults = async (...names) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(names.map((fault) => ({ fault })));
    assert.ok((await fetch(`${CONTROL}/_sim/v1/faults`, { method: "PUT", headers, body })).ok);
  };
  try {
    await faults("gateway.server-down");
    await failsWith(generateText(use(model, { prompt: ABOUT })), 503);
    await faults("gateway.stream-error-event");
    // The library throws the error of the event, in whatever form it is sent.
    const begun = [];
    await assert.rejects(pieces(streamText(use(model, { prompt: ABOUT, ...silent })), begun));
    assert.ok(begun.some((part) => part.type === "text-delta"), "the stream must break midway");
  } finally {
    await faults();
  }
}

for (const provider of [chats, writes]) {
  const model = provider()(MODEL);
  const reply = await text(model);
  if (provider === chats) {
    const messages = [{ role: "user", content: ABOUT }];
    const said = await post("/v1/chat/completions", { messages, max_tokens: 500 });
    assert.equal(reply.text, said.choices[0].message.content);
    assert.deepEqual(counts(reply.usage), ["prompt", "completion", "total"].map((name) => said.usage[`${name}_tokens`]));
  }
  await tools(model);
  await image(model);
  await object(model);
  await errors(provider);
  if (CONTROL) await faulty(model);
}
const version = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`node_modules/${name}/package.json`, import.meta.url))).version;
const versions = ["ai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic"].map((name) => `${name} ${version(name)}`);
console.log(`${versions.join(", ")} for JavaScript: OK`);
