// Kubernetes' own defaults and validation as a second oracle over the vendored cases: a pod that the API server takes is one that it takes
// injected, or it is denied; and what it stored is injected again by an empty patch. Every pod is a dry run in one namespace.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { type Injector, injectPod, loadRelease, type SourceTree } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { afterAll, beforeAll, expect, it } from "vitest";
import { vendoredSets } from "../../tools/conformance/case-sets.ts";
import { byDefault } from "../../tools/conformance/case-verdict.ts";
import { type ConformanceCase, treeOfCase } from "../../tools/conformance/conformance-case.ts";
import { releaseOfCase } from "../../tools/conformance/entry-points.ts";
import { labCertificate } from "../eks/lab-certificate.ts";
import { turnOf } from "../support/in-turn.ts";
import { shippedTree } from "../support/shipped-tree.ts";
import { type RealApiServer, startRealApiServer } from "./support/real-api-server.ts";
import { assetsFolder } from "./support/real-lab.ts";
import { inNamespace, withoutReferences } from "./support/vendored-pods.ts";

const NAMESPACE = "default";
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const AT_ONCE = 8;

/** Each commit sends a part of the cases, on all of which the same is asked. */
const turn = turnOf("Cases that are stored and injected again", 4);

const PRIORITY = /integer value of priority \(0\) must not be provided/;

type Fate =
  | "refused as the author wrote it"
  | "not injected"
  | "denied"
  | "failed"
  | "the same the second time"
  | "not stored whole"
  | "a class without its priority"
  | "tolerations of a template";

let api: RealApiServer;
beforeAll(async () => {
  api = await startRealApiServer(assetsFolder(), await labCertificate());
  const low = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "low" }, value: 10 };
  await api.admin.apply("/apis/scheduling.k8s.io/v1/priorityclasses/low", low, { force: true });
});
afterAll(() => api?.close());

it("an API server takes every pod that it took before the injection, and stores one that is injected by an empty patch", async () => {
  const all = vendoredSets()
    .flatMap((set) => set.cases)
    .filter(({ request }) => request.object !== undefined);
  const cases = all.filter((_, at) => turn.has(at % turn.shares));
  const injectorOf = injectors(await shippedTree());
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const judge = async (conformanceCase: ConformanceCase) => {
    const injector = injectorOf(conformanceCase);
    const written = inNamespace(NAMESPACE, withoutReferences(conformanceCase.request.object as JsonObject));
    const stored = await stores(written);
    // What `outrigger inject` reads, and what a webhook is sent.
    for (const [door, pod] of [
      ["manifest", written],
      ["webhook", stored],
    ] as const) {
      const fate =
        typeof stored === "string" ? "refused as the author wrote it" : await fateOf(injector, pod as JsonObject);
      const kind = `${conformanceCase.name.split("/")[0]}, ${door}: ${fate.split(": ")[0]}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (fate.includes(": ")) faults.push(`${conformanceCase.name}, ${door}: ${fate}`);
    }
  };
  const left = [...cases];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await judge(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(Object.fromEntries([...counts].sort()));
  expect(faults).toEqual([]);
  for (const door of ["manifest", "webhook"]) {
    const most = counts.get(`generated, ${door}: the same the second time`);
    expect(most).toBeGreaterThan((150 * cases.length) / all.length);
  }
});

/** Finds the injector of a case, as configured by default. Cases with one configuration share it. */
function injectors(shipped: SourceTree): (conformanceCase: ConformanceCase) => Injector {
  const known = new Map<string, Injector>();
  return ({ expect: _, ...input }) => {
    const configuration = JSON.stringify(treeOfCase(input));
    const injector = known.get(configuration) ?? loadRelease(byDefault(releaseOfCase(shipped, input)));
    known.set(configuration, injector);
    return injector;
  };
}

/** What becomes of a pod that the API server takes; after a colon, what is wrong. */
async function fateOf(injector: Injector, author: JsonObject): Promise<string> {
  const request = { namespace: NAMESPACE, parameters: {} };
  try {
    const first = injectPod(injector, { ...request, pod: author as Pod });
    if (!first.injected) return "not injected" satisfies Fate;
    const stored = await stores(first.pod as JsonObject);
    // A template that writes the name of a class has to write its value too: docs/contributing/measurements.md.
    if (typeof stored === "string" && PRIORITY.test(stored)) return "a class without its priority" satisfies Fate;
    if (typeof stored === "string") return `refused: ${stored}`;
    const again = injectPod(injector, { ...request, pod: stored as Pod });
    const patch = again.injected ? again.patchText : again.message;
    if (patch === "[]") return "the same the second time" satisfies Fate;
    // An API server adds tolerations to those that a template writes, and does so again.
    if (/^\[\{"op":"replace","path":"\/spec\/tolerations","value":\[[^\]]*\]\}\]$/.test(patch))
      return "tolerations of a template" satisfies Fate;
    // This API server drops a field that a feature gate, off by default, brings.
    const isDropped = isIn(first.pod, "clusterTrustBundle") && !isIn(stored, "clusterTrustBundle");
    return isDropped ? ("not stored whole" satisfies Fate) : `other: ${patch.slice(0, 300)}`;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return (error.code === "overlay-invalid" ? "failed" : "denied") satisfies Fate;
  }
}

function isIn(pod: object, field: string): boolean {
  return JSON.stringify(pod).includes(`"${field}":`);
}

/** The pod as the API server would store it, or its refusal. */
async function stores(pod: JsonObject): Promise<JsonObject | string> {
  try {
    return await api.admin.createDryRun(PODS, inNamespace(NAMESPACE, pod));
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}
