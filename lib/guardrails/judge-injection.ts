// What an injection adds to a pod that its guardrails do not admit. Pure. Nearly every injection is within them.

import { type JsonObject, type JsonValue, objectOf, once } from "@outrigger/base";
import { isQuantity, quantityThousandths } from "@outrigger/pod";
import { type AuthorChoices, chosenByAuthor, NO_CHOICES } from "./author-choices.ts";
import { containersOf, injectionPowers } from "./injection-powers.ts";
import { isForbidden } from "./levels.ts";
import { allows, BOUNDS, type Guardrails, LIMITED } from "./parse-guardrails.ts";
import type { Power } from "./powers.ts";

/**
 * What of an injected pod its guardrails do not admit. What the author wrote is never judged, nor what the author asked for in an
 * annotation that names just that, unless the guardrails say `boundedAnnotations`.
 *
 * @param author the pod without an earlier injection
 * @param injected what it becomes
 */
export function judgeInjection(guardrails: Guardrails, author: JsonObject, injected: JsonObject): readonly Power[] {
  const { level, allowed } = guardrails;
  if (level === "off") return [];
  // Annotations are read only where something depends on them.
  const chosen = once(() => (allowed.has("boundedAnnotations") ? NO_CHOICES : chosenByAuthor(author)));
  const powers = injectionPowers(author, injected, level === "restricted").flatMap((power) =>
    refused(guardrails, power).filter((each) => !isChosen(each, chosen())),
  );
  return [...powers, ...resourcePowers(guardrails, author, injected)];
}

function isChosen({ kind, value, volume }: Power, { image, volumes }: AuthorChoices): boolean {
  return (volume !== undefined && volumes.has(volume)) || (kind.startsWith("image") && value === image);
}

/** What of a power the guardrails do not admit: an image may be named without a digest besides. */
export function refused(guardrails: Guardrails, power: Power): readonly Power[] {
  const { kind, value } = power;
  const { allowed } = guardrails;
  if (kind === "image") {
    const isJudged = allowed.has("image") || allowed.has("imageDigest");
    if (isJudged && !IMAGE.test(value)) return [{ ...power, kind: "imageReference" }];
    const isFixed = !allowed.has("imageDigest") || /@sha256:[0-9a-f]{64}$/.test(value);
    if (!isFixed)
      return [power, { ...power, kind: "imageWithoutDigest" }].filter((each) => !isAdmitted(guardrails, each));
  }
  return isAdmitted(guardrails, power) ? [] : [power];
}

function isAdmitted(guardrails: Guardrails, power: Power): boolean {
  const { kind, value, container } = power;
  if (kind === "imageWithoutDigest") return false;
  if ((LIMITED as readonly string[]).includes(kind) && guardrails.allowed.has(kind))
    return allows(guardrails, kind, value);
  return !isForbidden(guardrails.level, power, container) || allows(guardrails, kind, value);
}

/** Domain, path, tag and digest. Source: the grammar of the distribution project. */
const IMAGE =
  /^(?:(?:[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*|\[[a-f\d:]+\])(?::\d+)?\/)?[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*)*(?::\w[\w.-]{0,127})?(?:@[a-z][a-z\d]*(?:[-_+.][a-z][a-z\d]*)*:[a-f\d]{32,})?$/i;

/** The first container with which they exceed a bound: each counts with its limit, otherwise its request. */
function resourcePowers({ allowed }: Guardrails, author: JsonObject, injected: JsonObject): readonly Power[] {
  return BOUNDS.flatMap((kind) => {
    const [bound] = allowed.get(kind) ?? [];
    const most = bound === undefined ? undefined : amountOf(bound);
    if (most === undefined) return [];
    const before = containersOf(objectOf(author["spec"]));
    let sum = 0;
    for (const [name, { container, steps }] of containersOf(objectOf(injected["spec"]))) {
      if (before.has(name)) continue;
      sum += amountIn(container, kind);
      if (sum > most) return [{ kind, value: `more than ${bound} ${kind} in all`, at: [...steps, "resources"] }];
    }
    return [];
  });
}

function amountIn(container: JsonObject, kind: string): number {
  const { limits, requests } = objectOf(container["resources"]);
  return amountOf(objectOf(limits)[kind] ?? objectOf(requests)[kind]) ?? 0;
}

function amountOf(value: JsonValue | undefined): number | undefined {
  const quantity = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : undefined;
}
