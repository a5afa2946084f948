import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createdPods } from "../../../test/pod-validation/admitted-pods.ts";
import { arbitraryPod, deepFreeze, RUNS } from "../../../test/support/arbitrary-pod.ts";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { randomOf } from "../../../test/support/random.ts";
import type { Pod } from "../generated/pod-types.ts";
import { compareQuantities } from "../quantity/compare-quantities.ts";
import { omitEmpty } from "../schema/stored-form.ts";
import { validatePod } from "../validate/validate-pod.ts";
import { admittedForm } from "./admitted-form.ts";
import { authoredForm } from "./authored-form.ts";

const generate = podGenerator();
const generatedPod = fc.integer().map((seed) => generate(randomOf(seed)));
const anyPod = fc.oneof(arbitraryPod as fc.Arbitrary<Pod>, generatedPod);
const namespace = "shop";

describe("admittedForm()", () => {
  it("is its own admitted form, and changes nothing of what it is given", () => {
    fc.assert(
      fc.property(anyPod, (pod) => {
        const admitted = admittedForm(deepFreeze(pod), { namespace });
        expect(admittedForm(admitted, { namespace })).toEqual(admitted);
      }),
      { numRuns: RUNS },
    );
  });

  it("loses and changes nothing that the author wrote", () => {
    fc.assert(
      fc.property(anyPod, (pod) => {
        const written = omitEmpty(JSON.parse(JSON.stringify(pod)) as Pod);
        const { metadata, spec } = admittedForm(pod, { namespace });
        expect(lostIn(written as JsonObject, { ...(pod as JsonObject), metadata, spec } as JsonObject, "")).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps a valid pod valid", () => {
    const written = createdPods().map((each) => each.written as Pod);
    fc.assert(
      fc.property(fc.oneof(generatedPod, fc.constantFrom(...written)), (pod) => {
        if (validatePod(pod).length === 0) expect(validatePod(admittedForm(pod, { namespace }))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

/** Paths of values that are not there any more as they were, or as an API server writes them. */
function lostIn(written: JsonValue | undefined, admitted: JsonValue | undefined, path: string): readonly string[] {
  if (written === null || written === undefined) return [];
  if (Array.isArray(written)) {
    const items = Array.isArray(admitted) ? admitted : [];
    return written.flatMap((item, index) => lostIn(item, items[index], `${path}[${index}]`));
  }
  if (isObject(written)) {
    const fields = isObject(admitted) ? admitted : {};
    return Object.entries(written).flatMap(([key, inner]) => lostIn(inner, fields[key], `${path}.${key}`));
  }
  const isZero = written === "" || written === 0 || written === false;
  const isSame = written === admitted || compareQuantities(String(written), String(admitted)) === 0;
  return isSame || isZero ? [] : [path];
}

describe("authoredForm()", () => {
  it("comes to the same pod, is its own authored form, and has nothing that is filled in", () => {
    fc.assert(
      fc.property(generatedPod, (pod) => {
        const admitted = admittedForm({ ...pod, metadata: { ...pod.metadata, namespace } }, { namespace });
        const authored = authoredForm(deepFreeze(admitted));
        expect(admittedForm(authored, { namespace })).toEqual(admitted);
        expect(authoredForm(authored)).toEqual(authored);
        expect(JSON.stringify(authored)).not.toMatch(
          /"terminationMessagePath":"\/dev\/termination-log"|kube-api-access-00000/,
        );
      }),
      { numRuns: RUNS / 4 },
    );
  });
});
