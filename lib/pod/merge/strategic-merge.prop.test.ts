import { type JsonObject, jsonEqual } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryOverlay, arbitraryPod, deepFreeze, RUNS } from "../../../test/support/arbitrary-pod.ts";
import { POD_DEFINITIONS } from "../generated/pod-schema.ts";
import { POD_TYPE, readSchema, type TypeSchema } from "../schema/schema.ts";
import { strategicMerge } from "./strategic-merge.ts";

type Merge = (target: JsonObject, overlay: JsonObject) => JsonObject;

const withType =
  (type: TypeSchema): Merge =>
  (target, overlay) =>
    strategicMerge(target, overlay, type);

/** No container of the target is lost, whatever an overlay without directives does. */
function keepsContainers(merge: Merge) {
  return (target: JsonObject, overlay: JsonObject) => {
    const merged = namesOf(merge(target, overlay));
    return namesOf(target).every((name) => merged.includes(name));
  };
}

function namesOf(pod: JsonObject): readonly string[] {
  const spec = pod["spec"] as { containers?: readonly { name: string }[] };
  return (spec.containers ?? []).map(({ name }) => name);
}

/** Whether the result has what the overlay says: merging it again changes nothing. */
function isSettled(merge: Merge) {
  return (target: JsonObject, overlay: JsonObject) => {
    const once = merge(target, overlay);
    return jsonEqual(merge(once, overlay), once);
  };
}

const uniqueOverlay = arbitraryOverlay.filter((overlay) => {
  const spec = overlay["spec"] as { containers?: readonly JsonObject[]; volumes?: readonly JsonObject[] } | undefined;
  const lists = [...(spec?.containers ?? []).flatMap((item) => [item["env"], item["ports"], item["volumeMounts"]])];
  return [spec?.containers, spec?.volumes, ...(lists as (readonly JsonObject[] | undefined)[])].every((list) => {
    const keys = (list ?? []).map((item) => item["mountPath"] ?? item["containerPort"] ?? item["name"]);
    return new Set(keys).size === keys.length;
  });
});

describe("strategicMerge()", () => {
  it("returns the target itself when the overlay is empty", () => {
    fc.assert(
      fc.property(arbitraryPod, (pod) => strategicMerge(pod, {}) === pod),
      { numRuns: RUNS },
    );
  });

  it("mutates nothing when both sides are frozen", () => {
    fc.assert(
      fc.property(arbitraryPod, arbitraryOverlay, (pod, overlay) => {
        const before = JSON.stringify([pod, overlay]);
        strategicMerge(deepFreeze(pod), deepFreeze(overlay));
        return JSON.stringify([pod, overlay]) === before;
      }),
      { numRuns: RUNS },
    );
  });

  it("loses no container when the overlay has no directives", () => {
    fc.assert(fc.property(arbitraryPod, arbitraryOverlay, keepsContainers(strategicMerge)), { numRuns: RUNS });
  });

  it("is settled after one time when the overlay names each item once", () => {
    fc.assert(fc.property(arbitraryPod, uniqueOverlay, isSettled(strategicMerge)), { numRuns: RUNS });
  });

  it("holds neither directives nor nulls of the overlay", () => {
    const marked = fc.tuple(arbitraryOverlay, fc.constantFrom("delete", "replace"), fc.nat());
    fc.assert(
      fc.property(arbitraryPod, marked, (pod, [overlay, directive, seed]) => {
        const merged = strategicMerge(pod, sprinkle(overlay, directive, seed));
        return !/"\$patch"|:null/.test(JSON.stringify(merged));
      }),
      { numRuns: RUNS },
    );
  });

  it("is found wrong when a merge key is forgotten", () => {
    const spec = (POD_DEFINITIONS["PodSpec"] as string).replace("containers=[Container@name", "containers=[Container");
    const mutant = withType(readSchema({ ...POD_DEFINITIONS, PodSpec: spec }, "Pod"));
    expect(
      fc.check(fc.property(arbitraryPod, arbitraryOverlay, keepsContainers(mutant)), {
        numRuns: 1000,
        endOnFailure: true,
      }).failed,
    ).toBe(true);
    expect(
      fc.check(fc.property(arbitraryPod, arbitraryOverlay, keepsContainers(withType(POD_TYPE))), {
        numRuns: 1000,
        endOnFailure: true,
      }).failed,
    ).toBe(false);
  });

  it("is found wrong when it edits in place or copies without need", () => {
    const inPlace: Merge = (target, overlay) => Object.assign(target, strategicMerge(target, overlay));
    const frozen = fc.property(arbitraryPod, arbitraryOverlay, (pod, overlay) => {
      inPlace(deepFreeze(pod), deepFreeze(overlay));
    });
    expect(fc.check(frozen, { numRuns: 1000, endOnFailure: true }).failed).toBe(true);
    const copying: Merge = (target, overlay) => ({ ...strategicMerge(target, overlay) });
    expect(
      fc.check(
        fc.property(arbitraryPod, (pod) => copying(pod, {}) === pod),
        { numRuns: 10 },
      ).failed,
    ).toBe(true);
  });

  it("is found wrong when items are added instead of merged", () => {
    const adding: Merge = (target, overlay) => {
      const merged = strategicMerge(target, overlay);
      const list = [...((overlay["spec"] as { containers?: [] })?.containers ?? [])];
      const spec = merged["spec"] as JsonObject;
      return { ...merged, spec: { ...spec, containers: [...list, ...((spec["containers"] as []) ?? [])] } };
    };
    expect(
      fc.check(fc.property(arbitraryPod, uniqueOverlay, isSettled(adding)), { numRuns: 1000, endOnFailure: true })
        .failed,
    ).toBe(true);
  });
});

/** Marks one item or object of the overlay and sets one field to null, chosen by the seed. */
function sprinkle(overlay: JsonObject, directive: string, seed: number): JsonObject {
  const spec = overlay["spec"] as JsonObject | undefined;
  const containers = spec?.["containers"] as readonly JsonObject[] | undefined;
  const marked = (containers ?? []).map((container, at) =>
    at === seed % 3
      ? { ...container, $patch: directive }
      : { ...container, image: null, env: [{ name: "a", $patch: directive }] },
  );
  return { ...overlay, spec: { ...spec, containers: marked, securityContext: { $patch: directive, fsGroup: null } } };
}
