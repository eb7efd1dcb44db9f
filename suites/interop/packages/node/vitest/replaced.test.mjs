import { startSimulator } from "assay-conformance";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the simulator works while a test replaces timers and fetch", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.reject(new Error("no network")));
  const sim = await startSimulator({ only: ["drop"] });
  await sim.vary("drop.status-201");
  expect(await sim.variations.list()).toEqual(["drop.status-201"]);
  await sim.stop();
  await expect(sim.reset()).rejects.toThrow("the simulator was stopped");
});
