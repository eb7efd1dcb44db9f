import { after, before, beforeEach } from "node:test";
import { type Received, SimulatorError, startSimulator, useSimulator } from "assay-conformance";
import { afterAll, beforeAll, beforeEach as beforeEachTest } from "vitest";

useSimulator({ beforeAll, afterAll, beforeEach: beforeEachTest });
const sim = useSimulator({ before, after, beforeEach }, { seed: 7, only: ["gateway"], limits: { "publish.prepare-lifetime-ms": "61s" } });

export async function all(): Promise<string[]> {
  await using other = await startSimulator({ clock: "manual" });
  const fault = await sim.fault("gateway.server-down", { where: { server: "server-a" }, times: 1 });
  await fault.remove();
  const received: Received[] = await other.requests({ path: "/v1/*", status: "4xx" });
  const now: number = await sim.clock.advance("1h");
  const text: string | undefined = received[0]?.request.body.text;
  return [sim.gateway.url, ...sim.publish.domains, sim.env["OPENAI_BASE_URL"] ?? "", text ?? "", String(now)];
}

// @ts-expect-error no such service
await startSimulator({ only: ["gatway"] });
// @ts-expect-error no such option
await startSimulator({ sed: 7 });
// @ts-expect-error a runner without hooks
useSimulator({});
export const status: number | undefined = new SimulatorError("").status;
