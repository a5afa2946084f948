// How long judging the pods of a large cluster takes, and how much memory: node --expose-gc --import tsx test/bench/running-pods.ts
import { kubeClient } from "@outrigger/cluster";
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { readRunning } from "@outrigger/rollouts";
import { defaulted } from "../support/changed-by-others.ts";

const PODS = Number(process.argv[2] ?? 50_000);
const PAGE = 500;
const REPLICAS = 10;
const SETTINGS = { cluster: {}, parameters: { ISTIO_META_CLUSTER_ID: "east" } };

const tree = await readSourceTree("templates");
const [before, after] = ["1.99.0", "1.99.1"].map((tag) =>
  loadRelease(compileRelease([tree, { "values/90": `global:\n  tag: ${tag}\n` }])),
) as [ReturnType<typeof loadRelease>, ReturnType<typeof loadRelease>];

/** The text of a pod of workload 0, in which the others exchange names. */
const sent = defaulted({
  metadata: {
    generateName: "w-00000-5d8f-",
    namespace: "shop",
    labels: { app: "w-00000", "pod-template-hash": "5d8f" },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "w-00000-5d8f", uid: "uid-w-00000", controller: true },
    ],
  },
  spec: { containers: [{ name: "app", image: "app:1", ports: [{ containerPort: 8080 }] }] },
} as Pod);
const made = injectPod(before, { pod: sent, namespace: "shop", ...SETTINGS, release: "aaaaaaaaaaaa" });
if (!made.injected) throw new Error(made.message);
const running = { ...defaulted(made.pod), status: { phase: "Running" } } as unknown as {
  readonly metadata: object;
  readonly spec: object;
};
const metadata = { ...running.metadata, name: "w-00000-5d8f-POD", uid: "UID-POD" };
const text = JSON.stringify({ ...running, metadata, spec: { ...running.spec, nodeName: "node-POD" } });

let most = 0;
/** Microseconds of a processor that making the pages took: an API server's business. */
let making = 0;
const page = (start: number): string => {
  const cpu = process.cpuUsage();
  const items = Array.from({ length: Math.min(PAGE, PODS - start) }, (_, index) => {
    const number = start + index;
    const workload = String(Math.floor(number / REPLICAS)).padStart(5, "0");
    return text.replaceAll("w-00000", `w-${workload}`).replaceAll("POD", `p${number}`);
  });
  const more = start + PAGE < PODS ? `,"continue":"${start + PAGE}"` : "";
  most = Math.max(most, process.memoryUsage().rss);
  const { user, system } = process.cpuUsage(cpu);
  making += user + system;
  return `{"kind":"PodList","metadata":{"resourceVersion":"1"${more}},"items":[${items.join(",")}]}`;
};
const kube = kubeClient({
  name: "bench",
  exchange: async ({ path }) => ({
    status: 200,
    body: page(Number(new URL(path, "https://localhost").searchParams.get("continue") ?? "0")),
  }),
  sleep: async () => {},
});
const started = performance.now();
const cpu = process.cpuUsage();
const report = await readRunning(kube, {
  servedFor: () => [{ ...SETTINGS, injector: after, release: "bbbbbbbbbbbb", channel: "stable" }],
  releaseOf: async () => before,
});
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
const size = Math.round((text.length * PODS) / 1e6);
console.log(
  `${report.pods} pods of ${report.workloads.length} workloads (${size} MB): ${JSON.stringify(report.states)}`,
);
console.log(`changes: ${report.changes.map(({ field, workloads }) => `${field} ×${workloads}`).join(", ")}`);
console.log(
  `${seconds.toFixed(1)} s (${((user + system - making) / 1e6).toFixed(1)} s of a processor), at most ${Math.round(most / 1e6)} MB of memory`,
);
