// An API server of a large cluster for running-pods.ts, in a process of its own: it makes its pods anew for each page. Started with a
// number of pods, it sends its parent the port and two releases: the one that made the pods, and the one that is served.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { compileRelease, injectPod, loadRelease, type Release } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { defaulted } from "../../test/support/changed-by-others.ts";

/** What the parent is sent. */
export interface ServedPods {
  readonly port: number;
  readonly releases: readonly [made: Release, served: Release];
  readonly bytes: number;
}

const PODS = Number(process.argv[2]);
const REPLICAS = 10;
const parameters = { ISTIO_META_CLUSTER_ID: "east" };

const tree = await readSourceTree("templates");
const releases = ["1.99.0", "1.99.1"].map((tag) => compileRelease([tree, { "values/90": `global:\n  tag: ${tag}\n` }]));

/** The text of a pod of workload 0, in which the others exchange names: what is in braces is in no template. */
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
const request = { pod: sent, namespace: "shop", cluster: {}, parameters, release: "aaaaaaaaaaaa" };
const made = injectPod(loadRelease(releases[0] as (typeof releases)[number]), request);
if (!made.injected) throw new Error(made.message);
const running = { ...defaulted(made.pod), status: { phase: "Running" } } as unknown as {
  readonly metadata: object;
  readonly spec: object;
};
const metadata = { ...running.metadata, name: "w-00000-5d8f-{pod}", uid: "uid-{pod}" };
const text = JSON.stringify({ ...running, metadata, spec: { ...running.spec, nodeName: "node-{pod}" } });

function pageOf(path: string): string {
  const { searchParams: query } = new URL(path, "http://localhost");
  const [start, limit] = [Number(query.get("continue") ?? "0"), Number(query.get("limit"))];
  const items = Array.from({ length: Math.min(limit, PODS - start) }, (_, index) => {
    const number = start + index;
    const workload = String(Math.floor(number / REPLICAS)).padStart(5, "0");
    return text.replaceAll("w-00000", `w-${workload}`).replaceAll("{pod}", `p${number}`);
  });
  const more = start + limit < PODS ? `,"continue":"${start + limit}"` : "";
  return `{"kind":"PodList","metadata":{"resourceVersion":"1"${more}},"items":[${items.join(",")}]}`;
}

const server = createServer((asked, answer) => {
  answer.setHeader("content-type", "application/json").end(pageOf(asked.url ?? "/"));
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port, releases, bytes: text.length * PODS });
});
process.on("disconnect", () => process.exit());
