// Every member of the simulator, its errors, and its end.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { SimulatorError, startSimulator, useSimulator } from "assay-conformance";
import OpenAI from "openai";

const messages = [{ role: "user", content: "Hello" }];
const sim = useSimulator({ before, after, beforeEach }, { seed: 7, only: ["gateway", "network"] });
const folder = mkdtempSync(join(tmpdir(), "assay-test-"));
after(() => rmSync(folder, { recursive: true }));

assert.throws(() => sim.gateway, /not started yet/);
assert.equal(createRequire(import.meta.url)("assay-conformance").startSimulator, startSimulator);

function chat(at, apiKey = at.gateway.key) {
  const client = new OpenAI({ baseURL: `${at.gateway.url}/v1`, apiKey, maxRetries: 0 });
  return client.chat.completions.create({ model: at.gateway.models[0], messages });
}

test("both client libraries get answers", async () => {
  const first = await chat(sim);
  const client = new OpenAI({ baseURL: sim.env.OPENAI_BASE_URL, apiKey: sim.env.OPENAI_API_KEY });
  let said = "";
  for await (const event of await client.chat.completions.create({ model: "assay-chat", messages, stream: true })) {
    said += event.choices[0].delta.content ?? "";
  }
  const anthropic = new Anthropic({ baseURL: sim.env.ANTHROPIC_BASE_URL, apiKey: sim.env.ANTHROPIC_API_KEY });
  const message = await anthropic.messages.create({ model: "assay-chat", max_tokens: 100, messages });
  assert.ok(first.choices[0].message.content && said && message.content[0].text);
  const requests = await sim.requests({ method: "POST", site: "gateway", status: 200 });
  assert.deepEqual(requests.map((one) => one.target), ["/v1/chat/completions", "/v1/chat/completions", "/v1/messages"]);
  assert.deepEqual(requests[2].request.body.json().messages, messages);
  assert.match(requests[2].request.headers["content-type"], /json/);
  assert.match(requests[1].response.body.text, /data: \[DONE\]/);
  assert.deepEqual(await sim.requests({ after: requests[1].exchange }), requests.slice(2));
});

test("the same test gets the same bytes", async () => {
  const first = await chat(sim);
  await sim.reset();
  assert.deepEqual(await chat(sim), first);
  const [other, third] = await Promise.all([7, 8].map((seed) => startSimulator({ seed, only: ["gateway"] })));
  assert.deepEqual(await chat(other), first);
  assert.notDeepEqual(await chat(third), first);
  const urls = [sim, other, third].flatMap((one) => [one.controlUrl, ...Object.values(one.urls)]);
  assert.equal(new Set(urls).size, urls.length);
  await Promise.all([other.stop(), third.stop()]);
});

test("a reset ends what a test has changed", async () => {
  const [start, limits] = [await sim.clock.now(), await sim.control("GET", "limits")];
  assert.equal(await sim.clock.advance("1h30m"), start + 5_400_000);
  await sim.fault("gateway.server-down");
  await sim.vary("wire.prose");
  await sim.deviate("network.info.prefix");
  await sim.limit("network.general-per-window", 1);
  assert.equal((await sim.control("GET", "limits")).network.general_per_window, 1);
  await sim.reset();
  assert.deepEqual([await sim.clock.now(), await sim.control("GET", "limits")], [start, limits]);
  const lists = [sim.faults.list(), sim.variations.list(), sim.deviations.list(), sim.requests(), sim.why()];
  assert.deepEqual(await Promise.all(lists), [[], [], [], [], []]);
});

test("what was added is removed", async () => {
  const kept = await sim.fault("gateway.server-down", { where: { server: "server-a" }, times: 3, from: "1h", until: "2h" });
  const at = { endpoint: "chat" };
  const others = [sim.fault("gateway.server-down"), sim.vary("wire.prose"), sim.deviate("gateway.chat.body", at), sim.fault("hold")];
  const added = await Promise.all(others);
  await assert.rejects(chat(sim), /503/);
  assert.deepEqual((await sim.faults.list()).map((fault) => fault.matched > 0), [false, true, false]);
  assert.deepEqual(await sim.variations.list(), ["wire.prose"]);
  assert.deepEqual(await sim.deviations.list(), [{ id: "gateway.chat.body", at }]);
  await Promise.all(added.map((one) => one.remove()));
  const [fault, ...rest] = await sim.faults.list();
  assert.deepEqual([fault.where, fault.times, rest], [{ server: "server-a" }, 3, []]);
  await kept.remove();
  await kept[Symbol.asyncDispose]?.();
  assert.deepEqual([await sim.faults.list(), await sim.variations.list(), await sim.deviations.list()], [[], [], []]);
  await sim.vary("wire.prose");
  await sim.variations.clear();
  assert.deepEqual(await sim.variations.list(), []);
});

test("violated rules have reasons", async () => {
  assert.equal((await fetch(`${sim.network.url}/nothing?a=1`)).status, 404);
  const [request] = await sim.requests({ rule: "network.", status: "4xx", path: "/noth*" });
  assert.deepEqual(request.why, [{ requirement: "network.info.prefix", why: "no endpoint at /nothing", accepted: false }]);
  assert.equal((await sim.why())[0].exchange, request.exchange);
  for (const body of [Buffer.from([255, 254]), Buffer.alloc(100_000)]) {
    await fetch(`${sim.network.url}/nothing`, { method: "POST", body });
  }
  const [binary, long] = (await sim.requests({ method: "POST" })).map((one) => one.request.body);
  assert.deepEqual([...binary.content], [255, 254]);
  assert.deepEqual([long.content.length, long.length], [65536, 100_000]);
  assert.throws(() => long.json(), /keeps 65536 of the 100000 bytes/);
});

test("actions return their results", async () => {
  const { key } = await sim.action("gateway.key", { state: "revoked" });
  await assert.rejects(chat(sim, key), /401/);
  const later = await sim.action("gateway.server", { site: "server-b", up: false }, { at: "10m" });
  assert.equal(later.at, (await sim.clock.now()) + 600_000);
});

test("errors are those of the control API", async () => {
  const calls = [
    [() => sim.fault("gateway.server-dwn"), /did you mean gateway.server-down\?/],
    [() => sim.fault("gateway.server-down", { where: { sever: "a" } }), /faults\[0\].where.sever: unknown key/],
    [() => sim.deviate("gateway.chat.bdy"), /gateway.chat.body/],
    [() => sim.vary("wire.prse"), /did you mean wire.prose\?/],
    [() => sim.limit("drop.drops-an-hour", 1), /drops_per_hour/],
    [() => sim.limit("drop", 1), /limits.drop/],
    [() => sim.action("gateway.key", { stat: "valid" }), /did you mean state\?/],
    [() => sim.requests({ sites: "gateway" }), /sites: unknown query parameter/],
    [() => sim.clock.advance("1x"), /is not a duration/],
  ];
  for (const [call, message] of calls) await assert.rejects(call(), { name: "SimulatorError", message, status: 400 });
  assert.throws(() => sim.drop, /drop is not started/);
  // A rejected change does not stop later ones.
  await sim.fault("gateway.server-down");
  assert.equal((await sim.faults.list()).length, 1);
});

test("options reach the program", async () => {
  const scenario = join(folder, "scenario.toml");
  writeFileSync(scenario, '[[fault]]\nfault = "drop.busy"\n');
  const lists = { variations: ["drop.status-201"], deviations: ["drop.response.expires-at/seconds"] };
  const world = { only: ["drop", "metadata", "publish"], epoch: "2027-01-01T00:00:00Z", clock: "manual", scenario, ...lists };
  const one = await startSimulator({ ...world, limits: { "drop.drops-per-hour": 3 }, options: ["--cors", "http://app.test"] });
  assert.equal(await one.clock.now(), Date.UTC(2027, 0));
  assert.equal((await one.faults.list())[0].fault, "drop.busy");
  assert.deepEqual([await one.variations.list(), await one.deviations.list()], [lists.variations, lists.deviations]);
  assert.equal((await one.control("GET", "limits")).drop.drops_per_hour, 3);
  const { headers } = await fetch(one.drop.url, { headers: { origin: "http://app.test" } });
  assert.equal(headers.get("access-control-allow-origin"), "http://app.test");
  assert.ok(one.metadata.contracts.length > 0 && one.publish.domains.length > 0 && one.publish.key && one.publish.chainUrl);
  assert.match(await one.control("GET", "ca"), /^-----BEGIN CERTIFICATE-----/);
  await one.stop();
});

test("a real clock follows this machine", async () => {
  const one = await startSimulator({ only: ["drop"], clock: "real" });
  await one.clock.advance("1h");
  await one.reset();
  assert.ok(Math.abs((await one.clock.now()) - Date.now()) < 60_000);
  await one.stop();
});

test("a start that fails says why", async () => {
  const silent = join(folder, "silent");
  writeFileSync(silent, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
  const starts = [
    [{ only: ["gatway"] }, /known services: gateway, metadata/],
    [{ deviations: ["nope"] }, /unknown requirement "nope"/],
    [{ options: ["--colour"] }, /unexpected argument '--colour'/],
    [{ options: ["--port", `drop=${new URL(sim.controlUrl).port}`] }, /\(drop\): Address already in use/],
    [{ scenario: "none.toml" }, /none.toml: No such file/],
    [{ executable: "/none" }, /\/none does not start: .*ENOENT: name the program of this machine/],
    [{ executable: silent, timeout: 100 }, /not ready after 100 ms/],
    [{ sed: 7 }, /option sed is unknown/],
  ];
  for (const [options, message] of starts) await assert.rejects(startSimulator(options), { name: "SimulatorError", message });
});

test("calls after the end say how it ended", async () => {
  const { find } = createRequire(import.meta.url)("assay-conformance/lib/program.js");
  const [executable, pid] = [join(folder, "program"), join(folder, "pid")];
  writeFileSync(executable, `#!/bin/sh\necho $$ >'${pid}'\nexec '${find()}' "$@"\n`, { mode: 0o755 });
  const one = await startSimulator({ only: ["drop"], executable });
  process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
  await assert.rejects(one.reset(), (error) => error instanceof SimulatorError && /no response .* was ended by SIGKILL/.test(error.message));
  await one.stop();
  await one.stop();
  await assert.rejects(one.reset(), /the simulator was stopped/);
});

async function isReachable(url) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    return await new Promise((resolve) => socket.on("connect", () => resolve(true)).on("error", () => resolve(false)));
  } finally {
    socket.destroy();
  }
}

const START = 'const sim = await require("assay-conformance").startSimulator({ only: ["drop"] }); console.log(sim.controlUrl);';
for (const [end, code] of Object.entries({ "process.kill(process.pid, 'SIGKILL')": null, "process.exit(3)": 3, "": 0 })) {
  test(`the program ends with the process that started it: ${end || "its end"}`, { timeout: 30_000 }, async () => {
    const ran = spawnSync(process.execPath, ["-e", `(async () => { ${START} ${end} })()`], { encoding: "utf8" });
    assert.equal(ran.status, code, ran.stderr);
    while (await isReachable(ran.stdout.trim())) await pause(10);
  });
}
