// Where the libraries of TypeScript lack it, it is empty.
declare global {
  interface AsyncDisposable {}
}

/** Milliseconds, or a string such as "90s" or "1h30m". */
export type Duration = number | string;

export interface SimulatorOptions {
  /** Equal seeds, start times and requests give equal bytes; 1 without it. */
  seed?: number;
  /** The services to start; all without it. */
  only?: Service[];
  /** "auto": time jumps to what a request waits for. This is the default. */
  clock?: "auto" | "manual" | "real";
  /** The start time of the world, such as "2026-01-01T00:00:00Z". */
  epoch?: string;
  /** The path of a scenario. */
  scenario?: string;
  /** Such as `{ "publish.requests-per-window": 1000 }`. */
  limits?: Record<string, Duration>;
  variations?: string[];
  deviations?: string[];
  /** Further options of `assay sim`. */
  options?: string[];
  /** The program; without it, the variable ASSAY_PROGRAM names it, or it is that of this package. */
  executable?: string;
  /** How long the start may take, in milliseconds; 30000 without it. */
  timeout?: number;
}

export type Service = "gateway" | "metadata" | "network" | "hosting" | "publish" | "drop";

/** The message of the control API, or why the simulator does not run. */
export class SimulatorError extends Error {
  /** The status of the control API's response. */
  readonly status?: number;
}

/** A rule that a request violated, and what was seen. `accepted` is true if a deviation switched the rule off. */
export interface Violation {
  requirement: string;
  why: string;
  accepted: boolean;
}

export interface Body {
  /** The first 64 KiB of the body; empty if it is secret. */
  readonly content: Uint8Array;
  /** The length of the whole body, in bytes. */
  readonly length: number;
  readonly text: string;
  json(): any;
}

export interface Part {
  /** The names are in lower case. */
  headers: Record<string, string>;
  body: Body;
}

/** A request that the simulator has received, and its response. */
export interface Received {
  /** The number of the exchange. */
  exchange: number;
  /** When it arrived, in milliseconds since 1970. */
  at: number;
  /** How long it took, by the clock of the world. */
  ms: number;
  site: string;
  /** The address of the client. */
  peer: string;
  method: string;
  /** Path and query. */
  target: string;
  /** null if there was no response. */
  status: number | null;
  ended: "whole" | "cut" | "left" | null;
  request: Part;
  response: Part;
  why: Violation[];
}

/** The requests for which all of this holds. */
export interface Wanted {
  site?: string;
  /** The path without the query; with `*` at its end, how the target begins. */
  path?: string;
  method?: string;
  /** A status, or a class such as "4xx". */
  status?: number | string;
  /** How the name of a violated rule begins. */
  rule?: string;
  /** The number of an exchange. */
  after?: number;
}

export interface Fault {
  fault: string;
  where: Record<string, string>;
  nth: number | null;
  times: number | null;
  from: number | null;
  until: number | null;
  /** The number of occasions that matched. */
  matched: number;
  /** When it applied. */
  receipts: number[];
}

export type Deviation = string | { id: string; at: Record<string, string> };

/** The active faults, deviations or variations. */
export interface Active<Entry> {
  list(): Promise<Entry[]>;
  clear(): Promise<void>;
}

/** An added fault, deviation or variation. `await using` removes it at the end of the block. */
export interface Added extends AsyncDisposable {
  remove(): Promise<void>;
}

export interface Simulator extends AsyncDisposable {
  /** The URL of each site. */
  readonly urls: Readonly<Record<string, string>>;
  readonly gateway: { url: string; key: string; models: string[] };
  readonly metadata: { url: string; contracts: string[] };
  readonly network: { url: string };
  readonly hosting: { url: string };
  /** The domains are those that were bound to the key at the start. */
  readonly publish: { url: string; chainUrl: string; key: string; domains: string[] };
  readonly drop: { url: string };
  /** What client libraries read from the environment, such as OPENAI_BASE_URL. */
  readonly env: Readonly<Record<string, string>>;
  readonly controlUrl: string;
  /** Times are milliseconds since 1970. `advance` returns the new time. */
  readonly clock: { now(): Promise<number>; advance(by: Duration): Promise<number> };
  readonly faults: Active<Fault>;
  readonly deviations: Active<Deviation>;
  readonly variations: Active<string>;
  /** Adds a fault. `from` and `until` are milliseconds since 1970, or durations from now as strings. */
  fault(
    fault: string,
    options?: { where?: Record<string, string>; nth?: number; times?: number; from?: Duration; until?: Duration },
  ): Promise<Added>;
  /** Breaks a requirement, everywhere or at a place such as `{ endpoint: "prepare" }`. */
  deviate(id: string, at?: Record<string, string>): Promise<Added>;
  /** Applies an allowed variation. */
  vary(variation: string): Promise<Added>;
  /** Sets a limit, such as `limit("publish.requests-per-window", 1000)`. */
  limit(name: string, value: Duration): Promise<void>;
  /** Performs an action and returns its result. With `at`, the action is performed at that time. */
  action(action: string, args?: Record<string, unknown>, options?: { at?: Duration }): Promise<any>;
  /**
   * The requests since the start or the last reset, oldest first. The simulator keeps the latest 512 events: about 100 requests, or
   * fewer with long streams.
   */
  requests(wanted?: Wanted): Promise<Received[]>;
  /** Why requests were rejected, oldest first. */
  why(): Promise<(Violation & { at: number; exchange: number })[]>;
  /** Restores the snapshot `start`: the world as the simulator began with it. */
  reset(): Promise<void>;
  /** Sends a request to the control API, such as `control("POST", "snapshot", {})`, and returns its response. */
  control(method: string, path: string, body?: unknown): Promise<any>;
  /** Stops the program. The end of the process does so, too. */
  stop(): Promise<void>;
}

export function startSimulator(options?: SimulatorOptions): Promise<Simulator>;

/** A hook of a test runner. */
export type Hook = (run: () => Promise<void>) => unknown;

/** Starts a simulator before the tests, resets it before each of them, and stops it after the last one. */
export function useSimulator(
  hooks: { beforeAll: Hook; afterAll: Hook; beforeEach: Hook } | { before: Hook; after: Hook; beforeEach: Hook },
  options?: SimulatorOptions,
): Simulator;
