// What a template's constants would add to any pod that its guardrails do not admit. Pure.
import { type FieldPath, type JsonObject, objectOf, textOf } from "@outrigger/base";
import { containersOf, imagePowers, isAdmitted, judgesImages } from "./judge-injection.ts";
import type { Guardrails } from "./parse-guardrails.ts";
import {
  annotatedPowers,
  grantedPowers,
  type Power,
  podPowers,
  variableSources,
  volumeSources,
  volumeTypes,
} from "./powers.ts";
import { reportInto, type Violation, violation } from "./violation.ts";

/**
 * What of a template's constants the guardrails do not admit, on whatever pod. A value that depends on the pod is not judged, but
 * a host path is one wherever it leads.
 *
 * @param unknown the text in place of such a value
 */
export function judgeConstants(guardrails: Guardrails, overlay: JsonObject, unknown: string): readonly Violation[] {
  const spec = objectOf(overlay["spec"]);
  const found: Violation[] = [];
  const report = reportInto(found);
  const judge = (powers: readonly Power[], base: FieldPath, container?: string) => {
    for (const power of powers) if (!isAllowed(power, container)) report(violation(power, base));
  };
  for (const [name, { container, steps }] of containersOf(spec)) {
    judge([...grantedPowers(container, spec), ...variableSources(container)], steps, name);
    const image = textOf(container["image"]) ?? "";
    if (judgesImages(guardrails) && image !== "") judge(imagePowers(guardrails, image), [...steps, "image"]);
  }
  judge([...podPowers(spec), ...volumeTypes(spec), ...volumeSources(spec)], ["spec"]);
  judge(annotatedPowers(objectOf(overlay["metadata"])), ["metadata"]);
  return found;

  function isAllowed(power: Power, container: string | undefined): boolean {
    if (!power.value.includes(unknown)) return isAdmitted(guardrails, power, container);
    return power.kind !== "hostPath" || guardrails.allowed.has("hostPath") || isAdmitted(guardrails, power, container);
  }
}
