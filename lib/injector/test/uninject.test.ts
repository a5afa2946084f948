// Uninjecting the pods of Istio's own injector, of every release, and of Outrigger: nothing of the mesh is left, or an error says so.

import { type JsonObject, metadataKeys, OutriggerError } from "@outrigger/base";
import { createPatch, omitEmpty, type Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { readCases } from "../../../test/reference/read-reference.ts";
import { casesOfRelease } from "../../../test/reference/release-expectations.ts";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { namespaceOf } from "../../../tools/conformance/conformance-case.ts";
import { injectPod } from "../inject-pod.ts";
import type { InjectionConfig, Injector } from "../injection.ts";
import { uninjectPod } from "../manifest/uninject-pod.ts";
import { ownerOf } from "../owner.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

/** The cases of Istio's own templates. Those of the other set have an overlay of their own, which writes what it likes. */
const SHIPPED = readCases("generated").filter(({ request }) => request.object !== undefined);
const CASES = [...SHIPPED, ...readCases("merge").filter(({ request }) => request.object !== undefined)];
/** The label that a template of the cases' own writes, which is not Istio's. */
const OWN_LABEL = "label extra";
const RELEASES = ["development", "1.30", "1.28"] as const;

let injector: Injector;

beforeAll(async () => {
  injector = loadRelease(compileRelease([await shippedTreeUntried()]));
}, 60_000);

function restored(pod: Pod, loaded: Injector = injector): Pod | string {
  try {
    return uninjectPod(loaded, pod, ownerOf(pod.metadata ?? {}).name) ?? pod;
  } catch (error) {
    if (error instanceof OutriggerError) return error.message;
    throw error;
  }
}

/** The names of what a pod has of labels, annotations, containers, volumes and pull secrets. */
function partsOf({ metadata, spec }: Pod): ReadonlySet<string> {
  const named = (list: string, items: readonly { readonly name?: string | undefined }[] | undefined) =>
    (items ?? []).map(({ name }) => `${list} ${name}`);
  return new Set([
    ...Object.keys(metadata?.labels ?? {}).map((key) => `label ${key}`),
    ...Object.keys(metadata?.annotations ?? {}).map((key) => `annotation ${key}`),
    ...named("container", [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]),
    ...named("volume", spec?.volumes),
    ...named("pull secret", spec?.imagePullSecrets),
  ]);
}

describe("uninjectPod() of Istio's own injection", () => {
  it.each(RELEASES)("leaves nothing of the mesh, or fails by name: %s", (release) => {
    const faults: string[] = [];
    let [count, refused] = [0, 0];
    for (const { name, config, request, expect: expected } of casesOfRelease(SHIPPED, release)) {
      const pod = expected.pod as Pod | undefined;
      if (pod?.metadata?.annotations?.[metadataKeys.status] === undefined) continue;
      count += 1;
      const author = request.object as Pod;
      const { injectedAnnotations = {} } = config as Partial<InjectionConfig>;
      const result = restored(pod, { ...injector, config: { ...injector.config, injectedAnnotations } });
      if (typeof result === "string") {
        refused += 1;
        expect(result).toMatch(/is left .*: .*; /);
        // What the record of a redirection by CNI says is known whole.
        expect(`${name}: ${result}`).not.toContain(metadataKeys.interceptionMode);
        continue;
      }
      const own = partsOf(author);
      const left = [...partsOf(result)].filter((part) => !own.has(part) && part !== OWN_LABEL);
      const parts = partsOf(result);
      // Of a volume with a name of Istio's, the record does not say whose it is: a container that mounts it is an error.
      const lost = [...own].filter((part) => part.startsWith("container ") && !parts.has(part));
      if (left.length + lost.length > 0) faults.push(`${name}: left ${left.join(", ")}; lost ${lost.join(", ")}`);
    }
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(200);
    expect(refused).toBeLessThan(count / 4);
  });
});

describe("uninjectPod() of a probe that asks the agent", () => {
  const httpGet = { path: "/app-health/web/readyz", port: 15020 };

  it.each([
    ["readinessProbe", { readinessProbe: { httpGet } }],
    ["livenessProbe", { livenessProbe: { httpGet } }],
    ["startupProbe", { startupProbe: { httpGet } }],
    ["lifecycle.preStop", { lifecycle: { preStop: { httpGet: { ...httpGet, path: "/app-lifecycle/web/prestopz" } } } }],
    ["lifecycle.postStart", { lifecycle: { postStart: { httpGet } } }],
  ])("fails by name where the proxy does not say what the author wrote: %s", (field, asking) => {
    const status = JSON.stringify({ initContainers: null, containers: ["istio-proxy"], volumes: null });
    const pod = {
      metadata: { name: "web", annotations: { [metadataKeys.status]: status } },
      spec: {
        containers: [
          { name: "web", image: "w", ...asking },
          { name: "istio-proxy", image: "proxyv2" },
        ],
      },
    };
    expect(restored(pod as Pod)).toContain(`spec.containers[web].${field} asks the proxy's agent`);
  });
});

describe("uninjectPod() of Outrigger's injection", () => {
  it("gives back the author's pod of every vendored case", () => {
    const faults: string[] = [];
    let count = 0;
    for (const each of CASES) {
      const author = omitEmpty(each.request.object as Pod);
      if (author.metadata?.annotations?.[metadataKeys.status] !== undefined) continue;
      const pod = injected(author, namespaceOf(each));
      if (pod === undefined) continue;
      count += 1;
      const patch = createPatch(author as JsonObject, omitEmpty(restored(pod) as Pod) as JsonObject);
      if (patch.length > 0) faults.push(`${each.name}: ${JSON.stringify(patch)}`);
    }
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(200);
  });
});

function injected(pod: Pod, namespace: string): Pod | undefined {
  try {
    const result = injectPod(injector, { pod, namespace, parameters: {} });
    return result.injected ? result.pod : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}
