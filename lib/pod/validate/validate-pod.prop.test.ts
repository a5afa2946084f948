import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { podCases, setIn } from "../../../test/pod-validation/pod-cases.ts";
import { deepFreeze, RUNS } from "../../../test/support/arbitrary-pod.ts";
import { introducedViolations, validatePod } from "./validate-pod.ts";

const cases = podCases().filter(({ name }) => name === "app");
const twoCases = fc.tuple(fc.constantFrom(...cases), fc.constantFrom(...cases));

describe("pod validation", () => {
  it("finds in what changed what it finds in the whole, when the pod was fine before", () => {
    fc.assert(
      fc.property(twoCases, ([first, second]) => {
        fc.pre(first.refusal === null);
        const pod = setIn(first.pod, second.set);
        const whole = validatePod(pod).map(({ path, message }) => `${path} ${message}`);
        const introduced = introducedViolations(pod, first.pod).map(({ path, message }) => `${path} ${message}`);
        expect(introduced.length > 0).toBe(whole.length > 0);
        expect(whole).toEqual(expect.arrayContaining(introduced));
      }),
      { numRuns: RUNS },
    );
  });

  it("finds in constants that it has seen in another pod what it finds in new nodes", () => {
    fc.assert(
      fc.property(twoCases, ([first, second]) => {
        const constant = deepFreeze(structuredClone(first.pod));
        validatePod(constant);
        const pod = setIn(constant, second.set);
        expect(validatePod(pod)).toEqual(validatePod(structuredClone(pod)));
      }),
      { numRuns: RUNS },
    );
  });

  it("blames a change for no more than the whole pod has", () => {
    fc.assert(
      fc.property(twoCases, ([first, second]) => {
        const pod = setIn(first.pod, second.set);
        const whole = validatePod(pod).map(({ path, message }) => `${path} ${message}`);
        for (const { path, message } of introducedViolations(pod, first.pod))
          expect(whole).toContain(`${path} ${message}`);
      }),
      { numRuns: RUNS },
    );
  });

  it("takes any JSON as a pod, before or after, without throwing", () => {
    const field = fc.constantFrom("metadata", "spec", "containers", "env", "volumes", "resources", "limits", "name");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.jsonValue(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(field, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (pod, before) => {
        expect(introducedViolations(pod, before).length).toBeLessThanOrEqual(validatePod(pod).length);
      }),
      { numRuns: RUNS },
    );
  });
});
