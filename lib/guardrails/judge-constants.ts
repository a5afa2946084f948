// What a template's constants would add to any pod that its guardrails do not admit. Pure.
import { type JsonObject, objectOf, textOf } from "@outrigger/base";
import { containersOf, isAdmitted, judgeImage, judgeInto, type Violation } from "./judge-injection.ts";
import type { Guardrails } from "./parse-guardrails.ts";
import { grantedPowers, podPowers } from "./powers.ts";

/**
 * What of a template's constants the guardrails do not admit, on whatever pod. A value that depends on the pod is not judged, but
 * a host path is one wherever it leads.
 *
 * @param unknown the text in place of such a value
 */
export function judgeConstants(guardrails: Guardrails, overlay: JsonObject, unknown: string): readonly Violation[] {
  const spec = objectOf(overlay["spec"]);
  const found: Violation[] = [];
  const judge = judgeInto(found, (power, container) => {
    if (!power.value.includes(unknown)) return isAdmitted(guardrails, power, container);
    return power.kind !== "hostPath" || guardrails.allowed.has("hostPath") || isAdmitted(guardrails, power, container);
  });
  for (const [name, { container, steps }] of containersOf(spec)) {
    for (const power of grantedPowers(container, spec)) judge(power, steps, name);
    const image = textOf(container["image"]) ?? "";
    if (image !== "" && !image.includes(unknown)) judgeImage(guardrails, image, [...steps, "image"], judge);
  }
  for (const power of podPowers(spec)) judge(power, ["spec"]);
  return found;
}
