import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { useSimulator } from "assay-conformance";
import OpenAI from "openai";

const sim = useSimulator({ before, after, beforeEach }, { seed: 7, only: ["gateway"] });

// The code under test: replace it with your own.
async function ask(question) {
  const client = new OpenAI({ baseURL: `${sim.gateway.url}/v1`, apiKey: sim.gateway.key });
  const response = await client.chat.completions.create({ model: "support", messages: [{ role: "user", content: question }] });
  return response.choices[0].message.content;
}

beforeEach(async () => {
  const answers = [{ contains: "refund", text: "You get your money back within 14 days." }];
  await sim.action("gateway.models", { models: [{ id: "support", answers }] });
});

test("the model gives a known answer", async () => {
  assert.equal(await ask("How do I get a refund?"), "You get your money back within 14 days.");
  const [request] = await sim.requests({ path: "/v1/chat/completions" });
  assert.equal(request.request.body.json().messages[0].role, "user");
});

test("the client retries when all servers are down", async () => {
  await sim.fault("gateway.server-down", { times: 3 }); // the model has three servers
  await ask("How do I get a refund?");
  assert.deepEqual((await sim.requests()).map((request) => request.status), [503, 200]);
});
