import { useSimulator } from "assay-conformance";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const sim = useSimulator({ beforeAll, afterAll, beforeEach }, { seed: 7, only: ["network"] });

test("the window ends after a minute", async () => {
  await sim.limit("network.general-per-window", 1);
  const status = async () => (await fetch(`${sim.network.url}/api/v0/messages.json`)).status;
  expect([await status(), await status()]).toEqual([200, 429]);
  await sim.clock.advance("1m");
  expect(await status()).toBe(200);
});
