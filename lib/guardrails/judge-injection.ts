// What an injection adds to a pod that its guardrails do not admit. Pure.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  memoizeObject,
  metadataKeys,
  objectOf,
  objectsOf,
  textOf,
} from "@outrigger/base";
import { isImageReference } from "@outrigger/pod";
import { exceeded } from "./bounds.ts";
import { injectionPowers } from "./injection-powers.ts";
import type { Options } from "./judge-difference.ts";
import { BOUNDS, isLimited } from "./kinds.ts";
import { isForbidden } from "./levels.ts";
import { matchesPattern } from "./patterns.ts";
import type { Power } from "./power.ts";
import type { Guardrails } from "./read-guardrails.ts";

/**
 * Returns the powers of an injected pod that its guardrails do not admit. What the author wrote is never judged, nor
 * what the author asked for in an annotation that names just that, unless the guardrails say `boundedAnnotations`.
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

/** The question of guardrails, and the parts of releases that they admit; both live as long as the guardrails. */
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
  const bootstrap = textOf(annotations[metadataKeys.bootstrapOverride]);
  const words = new Set(WORDY.flatMap((key) => textOf(annotations[key])?.split(/\W+/) ?? []));
  if (bootstrap !== undefined) for (const word of OF_BOOTSTRAP) words.add(word);
  return ({ kind, value, volume, word }) =>
    (volume !== undefined && volumes.includes(volume)) ||
    (word !== undefined && words.has(word)) ||
    (kind === "configMap" && value === bootstrap) ||
    (kind.startsWith("image") && value === image);
}

/** The variable and the volume that the shipped templates write for an author's bootstrap. */
const OF_BOOTSTRAP = ["ISTIO_BOOTSTRAP_OVERRIDE", "custom-bootstrap-volume"];

/** Annotations in which an author names variables and fields of the proxy's configuration. */
const WORDY = [metadataKeys.proxyConfig, metadataKeys.datadogEnvironment];

function namesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== "string") return [];
  try {
    const volumes: JsonValue = JSON.parse(value);
    return isObject(volumes) ? Object.keys(volumes) : objectsOf(volumes).map(({ name }) => textOf(name) ?? "");
  } catch {
    return [];
  }
}

/** Returns the parts of a power that the guardrails do not admit: an image may be named without a digest besides. */
export function refused(guardrails: Guardrails, power: Power): readonly Power[] {
  const { kind, value } = power;
  const { allowed } = guardrails;
  const own = isAdmitted(guardrails, power) ? NOTHING : [power];
  if (kind !== "image" || (!allowed.has("image") && !allowed.has("imageDigest"))) return own;
  if (!isImageReference(value)) return [{ ...power, kind: "imageReference" }];
  const isFixed = !allowed.has("imageDigest") || /@sha256:[0-9a-f]{64}$/.test(value);
  return isFixed ? own : [...own, { ...power, kind: "imageWithoutDigest" }];
}

const NOTHING: readonly Power[] = [];

/** Whether the level and the entries of its kind admit a power: those for a container do if there is one for each that has it. */
export function isAdmitted(guardrails: Guardrails, power: Power): boolean {
  const { level, allowed, scoped } = guardrails;
  const { kind, value, holders = [] } = power;
  const entries = allowed.get(kind);
  if (entries?.some((pattern) => matchesPattern(pattern, value)) === true) return true;
  if (holders.length > 0 && scoped.length > 0) {
    const own = scoped.filter((entry) => entry.kind === kind && matchesPattern(entry.pattern, value));
    if (holders.every((holder) => own.some(({ isFor }) => isFor(holder)))) return true;
  }
  return !(entries !== undefined && isLimited(kind)) && !isForbidden(level, power);
}
