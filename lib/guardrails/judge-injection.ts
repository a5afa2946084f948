// What an injection adds to a pod that its guardrails do not admit. Pure.
import {
  isObject,
  type JsonObject,
  memoize,
  memoizeObject,
  metadataKeys,
  objectOf,
  objectsOf,
  once,
  parseJson,
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
 * @param release by which it does, as long as it is in use: what is free of its parts is not judged again
 */
export function judgeInjection(
  guardrails: Guardrails,
  author: JsonObject,
  injected: JsonObject,
  release: object = guardrails,
): readonly Power[] {
  const { level, allowed } = guardrails;
  if (level === "off") return [];
  const isAsked = allowed.has("boundedAnnotations") ? undefined : askedBy(author);
  const powers = injectionPowers(author, injected, optionsOf(guardrails)(release), isAsked);
  if (powers.length === 0 && !BOUNDS.some((kind) => allowed.has(kind))) return powers;
  return [...powers.flatMap((power) => refused(guardrails, power)), ...exceeded(guardrails, author, injected)];
}

/** The question of guardrails, and the parts of a release that they admit. */
const optionsOf = memoizeObject((guardrails: Guardrails) =>
  memoizeObject(
    (_release: object): Options => ({
      isStrict: guardrails.level === "restricted",
      isAdmitted: (power) => refused(guardrails, power).length === 0,
      free: memoizeObject(() => new Map()),
      freeOfMesh: memoizeObject(() => memoizeObject(() => new Map())),
    }),
  ),
);

/** Whether the pod's author asks for something in annotations of Istio's that could be written into the pod as well. */
function askedBy({ metadata }: JsonObject): (power: Power) => boolean {
  const annotations = objectOf(objectOf(metadata)["annotations"]);
  const image = textOf(annotations[metadataKeys.proxyImage]);
  const bootstrap = textOf(annotations[metadataKeys.bootstrapOverride]);
  // Read only where something depends on them.
  const volumes = once(() => VOLUMES.flatMap((key) => namesIn(textOf(annotations[key]) ?? "")));
  const words = once(() => new Set(WORDY.flatMap((key) => textOf(annotations[key])?.split(/\W+/) ?? [])));
  return ({ kind, value, volume, word }) =>
    (word !== undefined && bootstrap !== undefined && OF_BOOTSTRAP.includes(word)) ||
    (volume !== undefined && volumes().includes(volume)) ||
    (word !== undefined && words().has(word)) ||
    (kind === "configMap" && value === bootstrap) ||
    (kind.startsWith("image") && value === image);
}

/** The variable and the volume that the shipped templates write for an author's bootstrap. */
const OF_BOOTSTRAP = ["ISTIO_BOOTSTRAP_OVERRIDE", "custom-bootstrap-volume"];

/** Annotations in which an author adds volumes to the proxy, and mounts them there. */
const VOLUMES = [metadataKeys.userVolume, metadataKeys.userVolumeMount];

/** Annotations in which an author names variables and fields of the proxy's configuration. */
const WORDY = [metadataKeys.proxyConfig, metadataKeys.datadogEnvironment];

const namesIn = memoize((json): readonly string[] => {
  const volumes = parseJson(json);
  return isObject(volumes) ? Object.keys(volumes) : objectsOf(volumes).map(({ name }) => textOf(name) ?? "");
});

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
