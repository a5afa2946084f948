// Reads and judges the pods of a large cluster, for running-pods.ts: bundled as the command line is, and run by Node alone, because a
// loader of TypeScript takes more memory than the pods. Its parent sends where the API server is, and two releases.
import { setTimeout as pause } from "node:timers/promises";
import { limitCaches } from "@outrigger/base";
import { openKubeconfig } from "@outrigger/cluster";
import { loadRelease } from "@outrigger/injector";
import { readRunning } from "@outrigger/rollouts";
import type { ServedPods } from "./serve-pods.ts";

const { port, releases, caches } = await new Promise<ServedPods & { readonly caches: number }>((resolve) =>
  process.once("message", (message) => resolve(message as ServedPods & { readonly caches: number })),
);
limitCaches(caches);
const [before, after] = [loadRelease(releases[0]), loadRelease(releases[1])];
const kubeconfig = JSON.stringify({
  "current-context": "bench",
  contexts: [{ name: "bench", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
  users: [{ name: "u", user: {} }],
});
const kube = await openKubeconfig({
  files: ["kubeconfig"],
  readText: async () => kubeconfig,
  run: async () => "",
  sleep: async (milliseconds) => void (await pause(milliseconds)),
});

const atFirst = process.memoryUsage.rss();
const [started, cpu] = [performance.now(), process.cpuUsage()];
const served = { injector: after, release: "bbbbbbbbbbbb", channel: "stable", cluster: {} };
const { pods, workloads, states, changes } = await readRunning(kube, {
  servedFor: () => [{ ...served, parameters: { ISTIO_META_CLUSTER_ID: "east" } }],
  releaseOf: async () => before,
});
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
const megabytes = (count: number) => Math.round(count / 1e6);
// Linux counts it in kibibytes.
const most = process.resourceUsage().maxRSS * 1024;
console.log(`${pods} pods of ${workloads.length} workloads: ${JSON.stringify(states)}`);
console.log(`changes: ${changes.map(({ field, workloads: count }) => `${field} ×${count}`).join(", ")}`);
console.log(
  `${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of a processor), at most ${megabytes(most)} MB of memory, ${megabytes(atFirst)} MB before the first page`,
);
process.exit();
