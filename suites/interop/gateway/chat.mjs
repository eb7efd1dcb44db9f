// The JavaScript client libraries of both wire formats against an inference gateway.
//
// Settings in the environment: ASSAY_GATEWAY_URL, ASSAY_GATEWAY_KEY, ASSAY_MODEL (one that supports tools and images).
// Optional: NODE_EXTRA_CA_CERTS (to call the servers as well) and ASSAY_CONTROL_URL (to use faults of the simulator).
// Exits with 1 at the first failed assertion.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const { ASSAY_GATEWAY_URL: URL, ASSAY_GATEWAY_KEY: KEY, ASSAY_MODEL: model } = process.env;
const { NODE_EXTRA_CA_CERTS: CA_FILE, ASSAY_CONTROL_URL: CONTROL } = process.env;

// An image of 2 by 1 pixels.
const GIF = "R0lGODlhAgABAIAAAAAAAP///yH5BAEAAAAALAAAAAACAAEAAAICBAoAOw==";
const parameters = {
  type: "object",
  properties: {
    city: { type: "string" },
    unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    days: { type: "integer", minimum: 1, maximum: 7 },
  },
  required: ["city", "unit", "days"],
  additionalProperties: false,
};
const ABOUT = "Tell me about lighthouses";
const QUESTION = "How will the weather be in Lisbon?";
const FOUND = "18 degrees and clear";

const chatClient = (url = URL, apiKey = KEY) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, timeout: 30_000 });
// The gateway expects a bearer key, and its own name for the version header.
const messagesClient = (url = URL, authToken = KEY) =>
  new Anthropic({
    baseURL: url,
    authToken,
    apiKey: null,
    maxRetries: 0,
    timeout: 30_000,
    defaultHeaders: { "svc-version": "2023-06-01" },
  });
const ask = (content) => [{ role: "user", content }];

function fits(given) {
  assert.deepEqual(Object.keys(given).sort(), ["city", "days", "unit"]);
  assert.equal(typeof given.city, "string");
  assert.ok(["celsius", "fahrenheit"].includes(given.unit));
  assert.ok(Number.isInteger(given.days) && given.days >= 1 && given.days <= 7);
}

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function chat(client) {
  const reply = await client.chat.completions.create({ model, messages: ask(ABOUT) });
  const whole = reply.choices[0].message.content;
  assert.ok(whole.includes("lighthouses"), whole);
  assert.equal(reply.choices[0].finish_reason, "stop");
  assert.ok(reply.usage.total_tokens > 0);
  const chunks = await all(
    await client.chat.completions.create({
      model,
      messages: ask(ABOUT),
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  const pieces = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta.content ?? ""));
  assert.ok(pieces.length > 3);
  assert.equal(pieces.join(""), whole);
  assert.ok(chunks.at(-1).usage.total_tokens > 0);
  assert.equal(await client.chat.completions.stream({ model, messages: ask(ABOUT) }).finalContent(), whole);
}

async function chatTools(client) {
  const tools = [{ type: "function", function: { name: "weather", description: "A forecast", parameters } }];
  const reply = await client.chat.completions.create({ model, messages: ask(QUESTION), tools });
  const { message, finish_reason } = reply.choices[0];
  assert.equal(finish_reason, "tool_calls");
  const [call] = message.tool_calls;
  assert.equal(call.function.name, "weather");
  fits(JSON.parse(call.function.arguments));
  const streamed = await client.chat.completions.stream({ model, messages: ask(QUESTION), tools }).finalMessage();
  assert.deepEqual(JSON.parse(streamed.tool_calls[0].function.arguments), JSON.parse(call.function.arguments));
  const messages = [...ask(QUESTION), message, { role: "tool", tool_call_id: call.id, content: FOUND }];
  const answer = await client.chat.completions.create({ model, messages, tools });
  assert.ok(answer.choices[0].message.content.includes(FOUND));
}

async function chatImage(client) {
  const image = { type: "image_url", image_url: { url: `data:image/gif;base64,${GIF}` } };
  const messages = ask([{ type: "text", text: "What is this?" }, image]);
  const seen = (await client.chat.completions.create({ model, messages })).choices[0].message.content;
  for (const fact of ["image/gif", "43 bytes", "2 by 1"]) assert.ok(seen.includes(fact), seen);
}

async function completions(client) {
  const whole = (await client.completions.create({ model, prompt: ABOUT })).choices[0].text;
  assert.ok(whole.includes("lighthouses"), whole);
  const chunks = await all(await client.completions.create({ model, prompt: ABOUT, stream: true }));
  assert.ok(chunks.length > 3);
  assert.equal(chunks.map((chunk) => chunk.choices[0].text).join(""), whole);
}

async function responses(client) {
  const reply = await client.responses.create({ model, input: ABOUT });
  assert.equal(reply.status, "completed");
  assert.ok(reply.output_text.includes("lighthouses"), reply.output_text);
  const stream = client.responses.stream({ model, input: ABOUT });
  const events = await all(stream);
  assert.equal(events[0].type, "response.created");
  assert.equal(events.at(-1).type, "response.completed");
  const pieces = events.filter((event) => event.type === "response.output_text.delta");
  assert.ok(pieces.length > 3);
  assert.equal(pieces.map((event) => event.delta).join(""), reply.output_text);
  assert.equal((await stream.finalResponse()).output_text, reply.output_text);
  const tools = [{ type: "function", name: "weather", parameters, strict: true }];
  const called = await client.responses.create({ model, input: QUESTION, tools });
  const [call] = called.output;
  assert.equal(call.type, "function_call");
  fits(JSON.parse(call.arguments));
  const streamed = await client.responses.stream({ model, input: QUESTION, tools }).finalResponse();
  assert.deepEqual(JSON.parse(streamed.output[0].arguments), JSON.parse(call.arguments));
  const result = { type: "function_call_output", call_id: call.call_id, output: FOUND };
  const answer = await client.responses.create({ model, input: [...ask(QUESTION), ...called.output, result], tools });
  assert.ok(answer.output_text.includes(FOUND), answer.output_text);
}

async function messages(client) {
  const create = (messages, more) => client.messages.create({ model, max_tokens: 500, messages, ...more });
  const reply = await create(ask(ABOUT));
  assert.equal(reply.stop_reason, "end_turn");
  assert.ok(reply.content[0].text.includes("lighthouses"), reply.content[0].text);
  const stream = client.messages.stream({ model, max_tokens: 500, messages: ask(ABOUT) });
  const events = await all(stream);
  assert.equal(events[0].type, "message_start");
  assert.equal(events.at(-1).type, "message_stop");
  assert.equal(await stream.finalText(), reply.content[0].text);
  assert.equal((await stream.finalMessage()).usage.output_tokens, reply.usage.output_tokens);
  const tools = [{ name: "weather", description: "A forecast", input_schema: parameters }];
  const called = await create(ask(QUESTION), { tools });
  const call = called.content.at(-1);
  assert.deepEqual([called.stop_reason, call.type, call.name], ["tool_use", "tool_use", "weather"]);
  fits(call.input);
  const streamed = client.messages.stream({ model, max_tokens: 500, messages: ask(QUESTION), tools });
  assert.deepEqual((await streamed.finalMessage()).content.at(-1).input, call.input);
  const result = { type: "tool_result", tool_use_id: call.id, content: FOUND };
  const turns = [...ask(QUESTION), { role: "assistant", content: called.content }, ...ask([result])];
  assert.ok((await create(turns, { tools })).content[0].text.includes(FOUND));
  const source = { type: "base64", media_type: "image/gif", data: GIF };
  const seen = await create(ask([{ type: "text", text: "What is this?" }, { type: "image", source }]));
  assert.ok(seen.content[0].text.includes("43 bytes"), seen.content[0].text);
}

async function models(client, other) {
  const discovered = await (await fetch(`${URL}/svc/models`)).json();
  const listed = (await all(client.models.list())).map((entry) => entry.id).sort();
  assert.deepEqual(listed, Object.keys(discovered).sort());
  assert.deepEqual((await all(other.models.list())).map((entry) => entry.id).sort(), listed);
  return discovered[model].servers.filter((url) => url.startsWith("http"));
}

async function errors(client, other) {
  const chats = (client, more) => client.chat.completions.create({ model, messages: ask("Hello"), ...more });
  const writes = (client, more) => client.messages.create({ model, max_tokens: 9, messages: ask("Hello"), ...more });
  const calls = [
    [chats, OpenAI, client, chatClient(URL, "sk-wrong")],
    [(c, more) => c.responses.create({ model, input: "Hello", ...more }), OpenAI, client, chatClient(URL, "sk-wrong")],
    [(c, more) => c.completions.create({ model, prompt: "Hello", ...more }), OpenAI, client, chatClient(URL, "sk-wrong")],
    [writes, Anthropic, other, messagesClient(URL, "sk-wrong")],
  ];
  for (const [call, library, right, wrong] of calls) {
    await assert.rejects(call(wrong), library.AuthenticationError);
    await assert.rejects(call(right, { model: "no-such-model" }), library.NotFoundError);
    await assert.rejects(call(right, { model: ["not", "a", "name"] }), library.UnprocessableEntityError);
  }
}

async function brokenStreams(client, other) {
  const faults = async (faults) => {
    const headers = { "content-type": "application/json" };
    const put = { method: "PUT", headers, body: JSON.stringify(faults) };
    assert.ok((await fetch(`${CONTROL}/_sim/v1/faults`, put)).ok);
  };
  await faults([{ fault: "gateway.stream-error-event" }]);
  try {
    const chat = await client.chat.completions.create({ model, messages: ask(ABOUT), stream: true });
    await assert.rejects(all(chat), OpenAI.APIError);
    const written = await other.messages.create({ model, max_tokens: 500, messages: ask(ABOUT), stream: true });
    await assert.rejects(all(written), Anthropic.APIError);
  } finally {
    await faults([]);
  }
}

const [client, other] = [chatClient(), messagesClient()];
await chat(client);
await chatTools(client);
await chatImage(client);
await completions(client);
await responses(client);
await messages(other);
await errors(client, other);
const servers = await models(client, other);
if (CONTROL) await brokenStreams(client, other);
if (CA_FILE) {
  assert.ok(servers.length > 0, "no server is listed");
  for (const url of servers) {
    await chat(chatClient(url));
    await messages(messagesClient(url));
  }
}
const version = (name) =>
  JSON.parse(readFileSync(new globalThis.URL(`node_modules/${name}/package.json`, import.meta.url))).version;
const versions = ["openai", "@anthropic-ai/sdk"].map((name) => `${name} ${version(name)}`);
console.log(`${versions.join(" and ")} for JavaScript: OK`);
