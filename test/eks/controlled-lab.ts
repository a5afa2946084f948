// Controllers for a laboratory of the command line: pods go through the real webhook, and what waits moves the clock of the command
// and of the controllers.
import { type JsonObject, memoizeObject } from "@outrigger/base";
import { defaultedPod } from "@outrigger/fake-aws";
import type { Pod } from "@outrigger/pod";
import { vi } from "vitest";
import type { CliLab } from "./cli-lab.ts";
import { workloadControllers } from "./workload-controllers.ts";

/** A pod with an image of the hub `crashing.example` never becomes ready. The controllers act before each call, and a second passes. */
export async function withControllers(lab: CliLab, others: readonly CliLab["api"][] = []): Promise<void> {
  const ticks = await Promise.all([lab.api, ...others].map(withControllersOf));
  lab.sleep = async (milliseconds) => {
    vi.setSystemTime(Date.now() + milliseconds);
    for (const tick of ticks) await tick();
  };
}

async function withControllersOf(api: CliLab["api"]): Promise<() => Promise<void>> {
  let passed = 0;
  const now = () => Date.now() + passed;
  api.now = now;
  const admit = async (pod: JsonObject) => {
    const { namespace } = pod["metadata"] as JsonObject;
    const path = `/api/v1/namespaces/${String(namespace)}/pods?dryRun=All`;
    const sent = JSON.stringify(defaultedPod(pod as unknown as Pod));
    const answer = await api.direct({ method: "POST", path, body: sent, contentType: "application/json" });
    if (answer.status > 201) throw new Error(answer.body);
    return defaultedPod(JSON.parse(answer.body) as Pod) as unknown as JsonObject;
  };
  const textOf = memoizeObject((pod: JsonObject) => JSON.stringify(pod));
  const isBad = (pod: JsonObject) => textOf(pod).includes('"image":"crashing.example/');
  const fateOf = (pod: JsonObject) =>
    isBad(pod) ? { crashes: { container: "istio-proxy", exitCode: 1 } } : { readyAfter: 1000 };
  const { tick, settle } = workloadControllers({ api, now, admit, fateOf });
  await settle(() => {
    passed += 2000;
  });
  let ticking = false;
  api.before = async (_method, path) => {
    if (ticking || /^\/api\/v1\/namespaces\/[^/]+\/pods/.test(path)) return;
    ticking = true;
    passed += 1000;
    await tick();
    ticking = false;
  };
  return async () => void (await tick());
}
