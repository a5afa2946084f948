import { readFileSync } from "node:fs";
import { compileRelease, injectPod, loadRelease, decodePod, remakePod } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { defaulted } from "/work/k46/test/support/changed-by-others.ts";
import { readPage } from "/work/k46/lib/cluster/kube/read-page.ts";
import { replicaOf } from "@outrigger/cluster"; const replicaText = (o: any) => replicaOf(o)?.text;
import { judgePod } from "/work/k46/lib/rollouts/compare/judge-pod.ts";
import { podChanges } from "/work/k46/lib/rollouts/compare/pod-changes.ts";
import { readRunning } from "/work/k46/lib/rollouts/running.ts";
import { limitCaches } from "@outrigger/base";
import { isInjected } from "@outrigger/webhook";
limitCaches(64_000_000);
const parameters = { ISTIO_META_CLUSTER_ID: "east" };
const tree = await readSourceTree("/work/k46/templates");
const releases = ["1.99.0", "1.99.1"].map((tag) => compileRelease([tree, { "values/90": `global:\n  tag: ${tag}\n` }]));
const sent = defaulted({ metadata: { generateName: "w-00000-5d8f-", namespace: "shop", labels: { app: "w-00000", "pod-template-hash": "5d8f" },
 ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "w-00000-5d8f", uid: "uid-w-00000", controller: true }] },
 spec: { containers: [{ name: "app", image: "app:1", ports: [{ containerPort: 8080 }] }] } } as any);
const [b, a] = releases.map(r => loadRelease(r!));
const made: any = injectPod(b!, { pod: sent, namespace: "shop", cluster: {}, parameters, release: "aaaaaaaaaaaa" });
const running: any = { ...defaulted(made.pod), status: { phase: "Running" } };
const text = JSON.stringify({ ...running, metadata: { ...running.metadata, name: "w-00000-5d8f-{pod}", uid: "{pod}" }, spec: { ...running.spec, nodeName: "node-{pod}" } });
const page = (start: number) => `{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[${Array.from({ length: 500 }, (_, i) => { const n = start + i; return text.replaceAll("w-00000", `w-${String(Math.floor(n / 10)).padStart(5, "0")}`).replaceAll("{pod}", `p${n}`); }).join(",")}]}`;
const pages = [0, 500, 1000, 1500].map(page);
const flat = pages.map((p) => Buffer.from(p).toString());
const served: any = { injector: a, release: "bbbbbbbbbbbb", channel: "stable", cluster: {}, parameters };
const ports: any = { servedFor: () => [served], releaseOf: async () => b };
async function time(name: string, n: number, run: () => unknown) {
  let best = Infinity;
  for (let i = 0; i < 12; i++) { const t = process.cpuUsage(); await run(); const u = process.cpuUsage(t); best = Math.min(best, u.user + u.system); }
  console.log(name.padEnd(28), (best / n).toFixed(1), "µs each; 50,000:", (best / n * 50000 / 1e6).toFixed(2), "s");
}
const N = 2000;
const kube0: any = { async *list() { for (const p of flat) yield* readPage(p, () => JSON.parse(p)).objects; } };
if (process.env["ONLY_RUN"]) { for (let i = 0; i < 15; i++) await readRunning(kube0, ports); process.exit(); }
await time("parse whole", N, () => { for (const p of flat) for (const o of JSON.parse(p).items) o.metadata; });
await time("read pages", N, () => { for (const p of flat) for (const o of readPage(p, () => JSON.parse(p)).objects) (o as any).metadata; });
await time("read pages, spec too", N, () => { for (const p of flat) for (const o of readPage(p, () => JSON.parse(p)).objects) (o as any).spec; });
await time("read pages, replicaText", N, () => { let c = 0; for (const p of flat) for (const o of readPage(p, () => JSON.parse(p)).objects) c += replicaText(o)!.length; });
await time("  and into a map", N, () => { const m = new Map(); for (const p of flat) for (const o of readPage(p, () => JSON.parse(p)).objects) { const r = replicaOf(o)!; if (m.get(r.controller) !== r.text) m.set(r.controller, r.text); }; });
await time("  isInjected", N, () => { for (const p of flat) for (const o of readPage(p, () => JSON.parse(p)).objects) isInjected(o as any); });
const kube: any = { async *list() { for (const p of flat) yield* readPage(p, () => JSON.parse(p)).objects; } };
await time("readRunning", N, () => readRunning(kube, ports));
const pods = flat.flatMap((p) => (JSON.parse(p).items as any[]).filter((_, i) => i % 10 === 0));
await time("judge", pods.length * 10, async () => { for (const p of pods) await judgePod(p, ports); });
await time("decode", pods.length * 10, () => { for (const p of pods) decodePod(p, "encoded"); });
const dec = pods.map((p) => decodePod(p, "encoded"));
const rq = (pod: any) => ({ pod, namespace: "shop", cluster: {}, parameters, release: "bbbbbbbbbbbb" });
await time("injectPod", pods.length * 10, () => { for (const p of dec) injectPod(a!, rq(p)); });
await time("remakePod", pods.length * 10, () => { for (const p of dec) remakePod(b!, rq(p)); });
const pairs: any[] = dec.map((p) => [remakePod(b!, rq(p)), remakePod(a!, rq(p))]);
await time("podChanges", pods.length * 10, () => { for (const [x, y] of pairs) podChanges(x, y); });
