// Pods that an API server accepts, injected, changed by others, and then given the images and resources of another release where they
// run: they are current, and a later injection of them does what it did before.
import { isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { defaultedPod } from "@outrigger/fake-aws";
import { compileRelease, type Injector, injectPod, loadRelease, podChanges } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { changedByOthers } from "../../../test/support/changed-by-others.ts";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { pick, randomOf } from "../../../test/support/random.ts";
import { inPlacePatch, resizePatch } from "./in-place.ts";
import { judgePod } from "./judge-pod.ts";

const RUNS = Number(process.env["OUTRIGGER_PODS_IN_PLACE"] ?? 50);
const SETTINGS = { channel: "stable", cluster: {}, parameters: {} };
const AGENT = (tag: string, memory: string) => ({
  config: "defaultTemplates: [sidecar, agent]\n",
  "templates/agent": `spec:\n  containers:\n  - name: agent\n    image: agent:${tag}\n    resources: {limits: {memory: ${memory}}}\n`,
  "values/90": `global:\n  tag: ${tag}\n`,
});

function injected(injector: Injector, pod: Pod, release: string): Pod | undefined {
  try {
    const result = injectPod(injector, { pod, namespace: "shop", ...SETTINGS, release });
    return result.injected ? result.pod : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

/** A strategic merge of what is written in place: by the names of containers. */
function written(pod: JsonObject, patch: JsonObject): JsonObject {
  const { metadata, spec } = patch as { metadata: { annotations: JsonObject }; spec: Record<string, JsonObject[]> };
  const own = pod as { metadata: { annotations: JsonObject }; spec: Record<string, JsonObject[]> };
  const lists = Object.entries(spec).map(([list, items]) => [
    list,
    own.spec[list]?.map((one) => merged(one, items.find(({ name }) => name === one["name"]) ?? {})),
  ]);
  return {
    ...pod,
    metadata: { ...own.metadata, annotations: { ...own.metadata.annotations, ...metadata.annotations } },
    spec: { ...own.spec, ...Object.fromEntries(lists) },
  } as JsonObject;
}

function merged(one: JsonObject, change: JsonObject): JsonObject {
  const entries = Object.entries(change).map(([key, value]) => {
    const there = one[key];
    return [key, isObject(value) ? merged(objectOf(there), value) : (value ?? "")] as const;
  });
  return { ...one, ...Object.fromEntries(entries) };
}

describe("inPlaceOf()", () => {
  it(`makes ${RUNS} pods current by their images and resources alone, and leaves later injections as they were`, async () => {
    const shipped = await readSourceTree("templates");
    const [before, after, larger] = [AGENT("1.99.0", "64Mi"), AGENT("1.99.1", "64Mi"), AGENT("1.99.0", "0.125Gi")].map(
      (tree) => loadRelease(compileRelease([shipped, tree])),
    ) as [Injector, Injector, Injector];
    const makePod = podGenerator();
    const judged = (pod: JsonObject, served: Injector) =>
      judgePod(pod, {
        servedFor: () => [{ ...SETTINGS, injector: served, release: "2" }],
        releaseOf: async () => before,
      });
    const faults: string[] = [];
    let [changed, resized] = [0, 0];
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = randomOf(seed);
      const made = defaultedPod(makePod(random));
      const once = injected(before, { ...made, metadata: { ...made.metadata, namespace: "shop" } }, "1");
      if (once === undefined) continue;
      const pod = changedByOthers(once, random, true);
      const served = pick(random, [after, larger]);
      const { verdict } = await judged(pod, served);
      if (verdict.state !== "outdated" || "why" in verdict.inPlace) continue;
      changed++;
      if (verdict.inPlace.resources.length > 0) resized++;
      const large = written(pod, resizePatch(pod, verdict.inPlace));
      const next = written(large, inPlacePatch(large, verdict.inPlace));
      const state = (await judged(next, served)).verdict.state;
      const [earlier, later] = [injected(before, pod as Pod, "1"), injected(served, next as Pod, "2")];
      const effects = [podChanges(pod, earlier as JsonObject), podChanges(next, later as JsonObject)].map((changes) =>
        JSON.stringify(changes.map(({ field }) => field)),
      );
      if (state !== "current" || effects[0] !== effects[1])
        faults.push(`seed ${seed}: ${state}, ${effects.join(" or ")}`);
      if (later?.metadata?.annotations?.["sidecar.istio.io/status"] !== verdict.inPlace.record) {
        faults.push(`seed ${seed}: another record`);
      }
    }
    expect(faults).toEqual([]);
    expect(changed).toBeGreaterThan(RUNS / 2);
    expect(resized).toBeGreaterThan(RUNS / 8);
  });
});
