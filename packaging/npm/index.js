// The simulator for tests: it starts the program on free ports of loopback, and speaks to its control API.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");
// A test may replace the timers and `fetch` of the global object.
const { clearTimeout, setTimeout } = require("node:timers");
const { failure, find } = require("./lib/program.js");

// How long the program has to end after SIGTERM, in milliseconds.
const STOP_MS = 5000;
// Without a limit, the control API returns at most 100 requests.
const ALL_REQUESTS = 1_000_000;
// A shell that kills the program when its standard input ends. It ends with this process, also after SIGKILL.
const GUARD = 'read -r _; kill -KILL "$0"';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class SimulatorError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "SimulatorError";
    this.status = status;
  }
}

class Body {
  constructor({ bytes, text = "", hex }) {
    this.content = hex === undefined ? Buffer.from(text) : Buffer.from(hex, "hex");
    this.length = bytes;
  }

  get text() {
    return this.content.toString();
  }

  json() {
    if (this.content.length < this.length) {
      throw new SimulatorError(`the simulator keeps ${this.content.length} of the ${this.length} bytes: use content`);
    }
    return JSON.parse(this.text);
  }
}

function part({ headers, body }) {
  const all = {};
  for (const [name, value] of headers) all[name] = name in all ? `${all[name]}, ${value}` : value;
  return { headers: all, body: new Body(body) };
}

// The active faults, deviations or variations.
class Active {
  #sim;
  #kind;
  #changed = Promise.resolve();

  constructor(sim, kind) {
    this.#sim = sim;
    this.#kind = kind;
  }

  list() {
    return this.#sim.control("GET", this.#kind);
  }

  clear() {
    return this.change(() => []).then(() => undefined);
  }

  // One change after the other: each replaces the whole list.
  change(edit) {
    const next = this.#changed.then(async () => this.#sim.control("PUT", this.#kind, edit(await this.list())));
    this.#changed = next.catch(() => undefined);
    return next;
  }

  async add(entry) {
    const entries = await this.change((before) => [...before, entry]);
    // The control API returns an object with more members, and sorts strings.
    return new Added(this, typeof entry === "string" ? entry : entries.at(-1));
  }
}

class Added {
  #active;
  #key;

  constructor(active, entry) {
    this.#active = active;
    this.#key = withoutCounts(entry);
  }

  async remove() {
    await this.#active.change((entries) => {
      const index = entries.map(withoutCounts).lastIndexOf(this.#key);
      return entries.filter((_, number) => number !== index);
    });
  }
}

const COUNTS = ["matched", "receipts"];
const withoutCounts = (entry) => JSON.stringify(entry, (name, value) => (COUNTS.includes(name) ? undefined : value));

class Simulator {
  #options;
  #about;
  #child;
  #guard;
  #errors;
  #exited;
  #domains = [];

  constructor(options = {}) {
    this.#options = options;
    this.clock = {
      now: async () => (await this.control("GET", "clock")).now,
      advance: async (by) => (await this.control("POST", "clock", { advance: by })).now,
    };
    this.faults = new Active(this, "faults");
    this.deviations = new Active(this, "deviations");
    this.variations = new Active(this, "variations");
  }

  async start() {
    const { timeout = 30_000, options = [], executable = process.env.ASSAY_PROGRAM, ...world } = this.#options;
    const words = [...argumentsOf(world), ...options];
    let program = executable;
    try {
      program ||= find();
    } catch (error) {
      throw new SimulatorError(`${error.message}. Or name another program in the variable ASSAY_PROGRAM`);
    }
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "assay-"));
    try {
      const [ready, environment] = ["ready.json", "clients.env"].map((name) => path.join(folder, name));
      const files = ["--ready-file", ready, "--env-file", environment];
      this.#errors = fs.openSync(path.join(folder, "errors"), "a+");
      // In its own session, the program does not get the Ctrl-C of a terminal: hooks may still need it.
      const command = ["sim", "--quiet", "--listen", "127.0.0.1:0", ...words, ...files];
      this.#child = spawn(program, command, { stdio: ["ignore", "ignore", this.#errors], detached: true });
      let why;
      this.#exited = new Promise((resolve) => {
        this.#child.on("exit", () => resolve(this.#ended()));
        this.#child.on("error", (error) => {
          const remedy = `${program} does not start: ${error.message}: name the program of this machine`;
          resolve(executable ? remedy : failure(program, error));
        });
      });
      this.#exited.then((how) => (why ??= how));
      if (this.#child.pid) {
        this.#guard = spawn("sh", ["-c", GUARD, this.#child.pid], { stdio: ["pipe", "ignore", "ignore"], detached: true });
        // A test process may end without `stop`.
        for (const one of [this.#child, this.#guard, this.#guard.stdin]) one.unref();
      }
      const timer = setTimeout(() => (why ??= `not ready after ${timeout} ms: set a longer timeout`), timeout);
      while (!why && !fs.existsSync(ready)) await pause(5);
      clearTimeout(timer);
      if (why) {
        await this.stop();
        throw new SimulatorError(`assay sim ${words.join(" ")}: ${why}`);
      }
      this.#about = JSON.parse(fs.readFileSync(ready, "utf8"));
      const lines = fs.readFileSync(environment, "utf8").trim().split("\n");
      this.env = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
    if (this.urls.publish) {
      const { bindings } = (await this.control("GET", "state?service=publish")).publish;
      const [owner] = this.#shown("publish", "owner");
      this.#domains = Object.keys(bindings).filter((domain) => bindings[domain].key === owner);
    }
  }

  #ended() {
    const printed = Buffer.alloc(64 * 1024);
    const length = fs.readSync(this.#errors, printed, 0, printed.length, 0);
    const { exitCode, signalCode } = this.#child;
    const how = signalCode ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`;
    return `the program ${how}. It printed:\n${printed.toString("utf8", 0, length).trim() || "(nothing)"}`;
  }

  get #started() {
    if (!this.#about) throw new SimulatorError("the simulator is not started yet: use it inside of a test or of a later hook");
    return this.#about;
  }

  #shown(service, what) {
    return this.#started.services[service][what];
  }

  #url(site) {
    const { [site]: url } = this.urls;
    if (url) return url;
    throw new SimulatorError(`${site} is not started. The sites are ${Object.keys(this.urls).join(", ")}: see the option only`);
  }

  get urls() {
    return this.#started.sites;
  }

  get controlUrl() {
    return this.#started.control;
  }

  get gateway() {
    const url = this.#url("gateway");
    return { url, key: this.#shown("gateway", "key")[0], models: this.#shown("gateway", "models")[0].split(" ") };
  }

  get metadata() {
    return { url: this.#url("metadata"), contracts: this.#shown("metadata", "contract") };
  }

  get network() {
    return { url: this.#url("network") };
  }

  get hosting() {
    return { url: this.#url("hosting") };
  }

  get publish() {
    const url = this.#url("publish");
    return { url, chainUrl: this.#url("chain"), key: this.#shown("publish", "key")[0], domains: this.#domains };
  }

  get drop() {
    return { url: this.#url("drop") };
  }

  fault(fault, { where, nth, times, from, until } = {}) {
    return this.faults.add({ fault, where, nth, times, from, until });
  }

  deviate(id, at) {
    return this.deviations.add(at ? { id, at } : id);
  }

  vary(variation) {
    return this.variations.add(variation);
  }

  async limit(name, value) {
    const [service, limit = ""] = name.split(".");
    await this.control("PUT", "limits", { [service]: { [limit.replaceAll("-", "_")]: value } });
  }

  action(action, args = {}, { at } = {}) {
    return this.control("POST", "actions", { action, arguments: args, at });
  }

  async requests(wanted = {}) {
    const given = Object.entries({ ...wanted, limit: ALL_REQUESTS }).filter(([, value]) => value !== undefined);
    const { requests } = await this.control("GET", `requests?${new URLSearchParams(given)}`);
    return requests.map((one) => ({ ...one, request: part(one.request), response: part(one.response) }));
  }

  why() {
    return this.control("GET", "log");
  }

  async reset() {
    const { now } = await this.control("POST", "restore", { snapshot: "start" });
    if (this.#options.clock === "real" && !this.#options.epoch) await this.clock.advance(Math.max(0, Date.now() - now));
  }

  control(method, path, body) {
    const url = `${this.controlUrl}/${path}`;
    return new Promise((resolve, reject) => {
      const failed = async (error) => {
        // The end of the program may be seen later than the end of its connections.
        const ended = Promise.race([this.#exited, pause(200)]);
        const state = this.#errors === undefined ? "the simulator was stopped" : ((await ended) ?? "the program still runs");
        reject(new SimulatorError(`${method} ${url}: no response (${error.message}): ${state}`));
      };
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const request = http.request(url, { method, headers, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (data) => (text += data));
        response.on("error", failed);
        response.on("end", () => {
          const value = response.headers["content-type"]?.startsWith("application/json") ? JSON.parse(text) : text;
          if (response.statusCode < 400) resolve(value);
          else reject(new SimulatorError(value.error ?? text, response.statusCode));
        });
      });
      request.on("error", failed);
      request.end(body && JSON.stringify(body));
    });
  }

  async stop() {
    if (this.#errors === undefined) return;
    if (this.#child.pid && this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.ref();
      this.#child.kill();
      const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
      await this.#exited;
      clearTimeout(timer);
    }
    this.#guard?.kill("SIGKILL");
    fs.closeSync(this.#errors);
    this.#errors = undefined;
  }
}

// Node.js 18 may lack it.
if (Symbol.asyncDispose) {
  for (const [type, end] of [[Simulator, "stop"], [Added, "remove"]]) {
    type.prototype[Symbol.asyncDispose] = type.prototype[end];
  }
}

function argumentsOf({ seed = 1, clock = "auto", only = [], epoch, scenario, limits = {}, variations = [], deviations = [], ...rest }) {
  const [unknown] = Object.keys(rest);
  if (unknown) throw new SimulatorError(`the option ${unknown} is unknown: see SimulatorOptions, or write it in options`);
  const single = { "--seed": seed, "--clock": clock, "--only": only.join(","), "--epoch": epoch, "--scenario": scenario };
  const repeated = { "--limit": Object.entries(limits).map((pair) => pair.join("=")), "--variation": variations, "--deviate": deviations };
  return [
    ...Object.entries(single).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [name, String(value)])),
    ...Object.entries(repeated).flatMap(([name, values]) => values.flatMap((value) => [name, value])),
  ];
}

async function startSimulator(options) {
  const sim = new Simulator(options);
  await sim.start();
  return sim;
}

// The hooks of a test runner start the simulator, restore it before each test, and stop it.
function useSimulator({ before, after, beforeAll = before, afterAll = after, beforeEach }, options) {
  const sim = new Simulator(options);
  beforeAll(() => sim.start());
  beforeEach(() => sim.reset());
  afterAll(() => sim.stop());
  return sim;
}

module.exports = { SimulatorError, startSimulator, useSimulator };
