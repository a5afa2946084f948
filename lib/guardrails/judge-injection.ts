// What an injection adds to a pod that its guardrails do not admit, and injection within them. Nearly every injection is.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  memoizeObject,
  metadataKeys,
  OutriggerError,
  objectOf,
  objectsOf,
  ownError,
  textOf,
} from "@outrigger/base";
import { type Injector, type InjectRequest, type InjectResult, injectPod } from "@outrigger/injector";
import { containersOf, formatFieldPath, isQuantity, quantityThousandths } from "@outrigger/pod";
import type { Power } from "./fields.ts";
import { injectionPowers } from "./injection-powers.ts";
import { nameIn, type Options } from "./judge-difference.ts";
import { isForbidden } from "./levels.ts";
import { allows, BOUNDS, type Guardrails, LIMITED, powerText } from "./parse-guardrails.ts";

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
  const powers = injectionPowers(author, injected, optionsOf(guardrails));
  if (powers.length === 0 && !BOUNDS.some((kind) => allowed.has(kind))) return powers;
  const found = powers.flatMap((power) => refused(guardrails, power));
  // Annotations are read only where something depends on them.
  const isAsked = found.length === 0 || allowed.has("boundedAnnotations") ? () => false : askedBy(author);
  return [...found.filter((power) => !isAsked(power)), ...exceeded(guardrails, author, injected)];
}

/** What is asked by guardrails, and which parts of releases they admit: both are as long as they are. */
const optionsOf = memoizeObject(
  (guardrails: Guardrails): Options => ({
    isStrict: guardrails.level === "restricted",
    isAdmitted: (power) => refused(guardrails, power).length === 0,
    clean: new WeakMap(),
  }),
);

/** Whether the pod's author asks for something in annotations of Istio's that could be written into the pod as well. */
function askedBy({ metadata }: JsonObject): (power: Power) => boolean {
  const annotations = objectOf(objectOf(metadata)["annotations"]);
  const image = textOf(annotations[metadataKeys.proxyImage]);
  const volumes = ["userVolume", "userVolumeMount"].flatMap((key) => namesIn(annotations[`sidecar.istio.io/${key}`]));
  return ({ kind, value, volume }) =>
    (volume !== undefined && volumes.includes(volume)) || (kind.startsWith("image") && value === image);
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== "string") return [];
  try {
    const volumes: JsonValue = JSON.parse(value);
    return isObject(volumes) ? Object.keys(volumes) : objectsOf(volumes).map(({ name }) => textOf(name) ?? "");
  } catch {
    return [];
  }
}

/** What of a power the guardrails do not admit: an image may be named without a digest besides. */
export function refused(guardrails: Guardrails, power: Power): readonly Power[] {
  const { kind, value } = power;
  const { allowed } = guardrails;
  const own = isAdmitted(guardrails, power) ? NOTHING : [power];
  if (kind !== "image" || (!allowed.has("image") && !allowed.has("imageDigest"))) return own;
  if (!IMAGE.test(value)) return [{ ...power, kind: "imageReference" }];
  const isFixed = !allowed.has("imageDigest") || /@sha256:[0-9a-f]{64}$/.test(value);
  return isFixed ? own : [...own, { ...power, kind: "imageWithoutDigest" }];
}

const NOTHING: readonly Power[] = [];

/** Whether the level and the entries of its kind admit a power. */
export function isAdmitted(guardrails: Guardrails, power: Power): boolean {
  const { kind, value } = power;
  if (LIMITED.includes(kind) && guardrails.allowed.has(kind)) return allows(guardrails, kind, value);
  return !isForbidden(guardrails.level, power) || allows(guardrails, kind, value);
}

/** Domain, path, tag and digest. Source: the grammar of the distribution project. */
const IMAGE =
  /^(?:(?:[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*|\[[a-f\d:]+\])(?::\d+)?\/)?[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*)*(?::\w[\w.-]{0,127})?(?:@[a-z][a-z\d]*(?:[-_+.][a-z][a-z\d]*)*:[a-f\d]{32,})?$/i;

/** The first container with which they exceed a bound: each counts with its limit, otherwise its request. */
function exceeded({ allowed }: Guardrails, author: JsonObject, injected: JsonObject): readonly Power[] {
  const theirs = containersOf(author["spec"]).map(nameIn);
  return BOUNDS.flatMap((kind) => {
    const [bound = ""] = allowed.get(kind) ?? [];
    const most = amountOf(bound);
    if (most === undefined) return [];
    let sum = 0;
    for (const list of ["initContainers", "containers"]) {
      for (const [index, container] of listOf(objectOf(injected["spec"])[list]).entries()) {
        if (theirs.includes(nameIn(container))) continue;
        const { limits, requests } = objectOf(objectOf(container)["resources"]);
        sum += amountOf(objectOf(limits)[kind] ?? objectOf(requests)[kind]) ?? 0;
        const at = ["spec", list, index, "resources"];
        if (sum > most) return [{ kind, value: `more than ${bound} ${kind} in all`, at }];
      }
    }
    return [];
  });
}

function amountOf(value: JsonValue | undefined): number | undefined {
  const quantity = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : undefined;
}

/** What the guardrails do not admit of a pod that is injected. */
export function refusedIn(guardrails: Guardrails, injector: Injector, request: InjectRequest): readonly Power[] {
  try {
    const result = injectPod(injector, request);
    return result.injected ? judgeInjection(guardrails, result.author as JsonObject, result.pod as JsonObject) : [];
  } catch (error) {
    // A pod that is denied gets nothing.
    ownError(error);
    return [];
  }
}

/**
 * `injectPod`, refusing what the guardrails do not admit: the operator's fault, and never a pod with more power than it may have.
 *
 * @throws OutriggerError `guardrail-violated`, and what injectPod throws
 *
 * @example
 * ```ts
 * typeof guardedInjection({ level: "baseline", allowed: new Map() }) // => "function"
 * ```
 */
export function guardedInjection(guardrails: Guardrails): (injector: Injector, request: InjectRequest) => InjectResult {
  if (guardrails.level === "off") return injectPod;
  return (injector, request) => {
    const result = injectPod(injector, request);
    if (!result.injected) return result;
    const [power] = judgeInjection(guardrails, result.author as JsonObject, result.pod as JsonObject);
    if (power === undefined) return result;
    const path = formatFieldPath(power.at);
    const message = `Cannot inject: the templates add ${powerText(power)} (${path}), which this deployment's guardrails do not admit; change the template, or the setting guardrails with a deploy`;
    // The field, without its value: what is logged names nothing that an author wrote.
    const field = power.at.slice(0, 2).join(".");
    const said = `Cannot inject: the templates add what the guardrails do not admit, in ${field}`;
    throw new OutriggerError("guardrail-violated", message, { path, logged: { message: said, path: field } });
  };
}
