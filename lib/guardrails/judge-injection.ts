// What an injection adds to a pod that its guardrails do not admit: by comparing the pod with what comes out. Pure. Nearly every
// injection is within them, so what is admitted is left out before anything is compared.

import { type FieldPath, isObject, type JsonObject, type JsonValue, objectOf, objectsOf, once } from "@outrigger/base";
import { isQuantity, quantityThousandths } from "@outrigger/pod";
import {
  type AuthorChoices,
  chosenByAuthor,
  hostMounts,
  injectedEarlier,
  isProgramReplaced,
  NO_CHOICES,
} from "./author-parts.ts";
import { isForbidden } from "./levels.ts";
import { allows, BOUNDS, type Guardrails, LIMITED } from "./parse-guardrails.ts";
import {
  annotatedPowers,
  grantedPowers,
  leftOpen,
  type Power,
  podPowers,
  powerText,
  variableSources,
  volumeSources,
  volumeTypes,
} from "./powers.ts";
import { type Place, type Places, type Report, reportInto, type Violation, violation } from "./violation.ts";

/**
 * What of an injected pod its guardrails do not admit. What the author wrote is never judged, nor what the author asked for in an
 * annotation that names just that, unless the guardrails say `boundedAnnotations`.
 *
 * @param author the pod of the request
 * @param injected what it becomes
 */
export function judgeInjection(guardrails: Guardrails, author: JsonObject, injected: JsonObject): readonly Violation[] {
  if (guardrails.level === "off") return [];
  const [was, is] = [objectOf(author["spec"]), objectOf(injected["spec"])];
  const [before, after] = [containersOf(was), containersOf(is)];
  const found: Violation[] = [];
  const report = reportInto(found);
  // Annotations are read only where something depends on them.
  const isBounded = guardrails.allowed.has("boundedAnnotations");
  const chosen = once(() => (isBounded ? NO_CHOICES : chosenByAuthor(author)));
  const earlier = once(() => injectedEarlier(author));
  const judging: Judging = { guardrails, was, is, chosen, earlier, report };
  const isSharedSame = was["securityContext"] === is["securityContext"];
  for (const [name, place] of after) {
    const own = before.get(name)?.container;
    if (own !== place.container || !isSharedSame) judgeContainer(name, own, place, judging);
  }
  const powers = (of: JsonObject) => [
    ...podPowers(of),
    ...(guardrails.level === "restricted" ? volumeTypes(of) : []),
    ...(limitsSources(guardrails) ? volumeSources(of) : []),
  ];
  for (const power of refused(powers(is), judging))
    if (isNew(power, powers(was)) && !chosen().volumes.has(volumeOf(is, power))) report(violation(power, ["spec"]));
  if (was[TOKEN] === false && is[TOKEN] !== false)
    for (const power of refused([{ kind: TOKEN, value: "", at: [TOKEN] }], judging)) report(violation(power, ["spec"]));
  judgeAnnotations(objectOf(author["metadata"]), objectOf(injected["metadata"]), judging);
  judgeDeletions(before, after, judging);
  judgeResources(guardrails, before, after, report);
  return found;
}

const TOKEN = "automountServiceAccountToken";

interface Judging {
  readonly guardrails: Guardrails;
  /** The spec of the pod, and of what it becomes. */
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly chosen: () => AuthorChoices;
  /** Containers and volumes that an earlier injection has added. */
  readonly earlier: () => ReadonlySet<string>;
  readonly report: Report;
}

function judgeContainer(
  name: string,
  own: JsonObject | undefined,
  { container, steps }: Place,
  judging: Judging,
): void {
  const { guardrails, was, is, chosen, earlier, report } = judging;
  const powers = (of: JsonObject, pod: JsonObject) => [
    ...grantedPowers(of, pod),
    ...(guardrails.level === "restricted" ? leftOpen(of, pod) : []),
    ...(limitsSources(guardrails) ? variableSources(of) : []),
  ];
  for (const power of refused(powers(container, is), judging, name))
    if (own === undefined || isNew(power, powers(own, was))) report(violation(power, steps));
  for (const power of refused(hostMounts(container, was), judging, name))
    if (isNew(power, hostMounts(own ?? {}, was)) && !chosen().volumes.has(mountedBy(container, power)))
      report(violation(power, steps));
  if (own !== undefined && isProgramReplaced(name, own, container) && !earlier().has(name))
    for (const power of refused([gone("program of container", name)], judging)) report(violation(power, steps));
  const image = text(container["image"]);
  if (!judgesImages(guardrails) || image === text(own?.["image"]) || image === chosen().image) return;
  for (const power of refused(imagePowers(guardrails, image), judging)) report(violation(power, [...steps, "image"]));
}

function judgeAnnotations(before: JsonObject, after: JsonObject, judging: Judging): void {
  const own = objectOf(before["annotations"]);
  for (const power of refused(annotatedPowers(after), judging)) {
    const [, key] = power.at;
    if (own[String(key)] === undefined) judging.report(violation(power, ["metadata"]));
  }
}

/** Only what its author wrote is missed. */
function judgeDeletions(before: Places, after: Places, judging: Judging): void {
  const { was, is, earlier, report } = judging;
  const miss = (what: string, name: string, steps: FieldPath) => {
    if (earlier().has(name)) return;
    for (const power of refused([gone(what, name)], judging)) report(violation(power, steps));
  };
  for (const [name, { steps }] of before) if (!after.has(name)) miss("container", name, steps);
  const [volumes, left] = [was["volumes"], is["volumes"]];
  if (volumes === left || !Array.isArray(volumes)) return;
  for (const volume of volumes) {
    const { name } = objectOf(volume);
    const isLeft =
      Array.isArray(left) && (left.includes(volume) || left.some((each) => objectOf(each)["name"] === name));
    if (!isLeft) miss("volume", text(name), ["spec", "volumes"]);
  }
}

/** What the guardrails do not admit of a list: hardly ever anything. */
function refused(
  powers: readonly Power[],
  { guardrails }: Pick<Judging, "guardrails">,
  container?: string,
): readonly Power[] {
  return powers.filter((power) => !isAdmitted(guardrails, power, container));
}

function isNew(power: Power, before: readonly Power[]): boolean {
  const known = powerText(power);
  return !before.some((other) => powerText(other) === known);
}

/** Secrets, ConfigMaps and audiences are free until an entry names some. */
function limitsSources({ allowed }: Guardrails): boolean {
  return allowed.has("secret") || allowed.has("configMap") || allowed.has("audience");
}

export function judgesImages({ allowed }: Guardrails): boolean {
  return allowed.has("image") || allowed.has("imageDigest");
}

/** The image as something that a container is given, and that it is not named by digest. */
export function imagePowers({ allowed }: Guardrails, image: string): readonly Power[] {
  const own = { kind: "image", value: image, at: [] };
  const isFixed = !allowed.has("imageDigest") || /@sha256:[0-9a-f]{64}$/.test(image);
  return isFixed ? [own] : [own, { ...own, kind: "imageWithoutDigest" }];
}

export function isAdmitted(guardrails: Guardrails, power: Power, container: string | undefined): boolean {
  const { kind, value } = power;
  if (kind === "imageWithoutDigest") return false;
  const isLimited = (LIMITED as readonly string[]).includes(kind);
  if (isLimited) return !guardrails.allowed.has(kind) || allows(guardrails, kind, value);
  return !isForbidden(guardrails.level, power, container) || allows(guardrails, kind, value);
}

/** The name of the volume that a power is of; empty for another. */
function volumeOf(spec: JsonObject, { at: [list, index] }: Power): string {
  return list === "volumes" ? text(objectsOf(spec["volumes"])[Number(index)]?.["name"]) : "";
}

function mountedBy({ volumeMounts }: JsonObject, { at: [, index] }: Power): string {
  return text(objectsOf(volumeMounts)[Number(index)]?.["name"]);
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

export function containersOf(spec: JsonObject): Places {
  const places = new Map<string, Place>();
  for (const list of LISTS) {
    const containers = spec[list];
    if (!Array.isArray(containers)) continue;
    for (let index = 0; index < containers.length; index++) {
      const container = containers[index];
      if (isObject(container)) places.set(text(container["name"]), { container, steps: ["spec", list, index] });
    }
  }
  return places;
}

function gone(what: string, name: string): Power {
  return { kind: "deletion", value: `${what} ${name}`, at: [] };
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Reports the first container with which they exceed a bound: each counts with its limit, otherwise its request. */
function judgeResources({ allowed }: Guardrails, before: Places, after: Places, report: Report): void {
  for (const kind of BOUNDS) {
    const [bound] = allowed.get(kind) ?? [];
    const most = bound === undefined ? undefined : amountOf(bound);
    if (most === undefined) continue;
    let sum = 0;
    for (const [name, { container, steps }] of after) {
      if (before.has(name)) continue;
      sum += amountIn(container, kind);
      if (sum <= most) continue;
      report({ what: `more than ${bound} ${kind} in all`, entry: `${kind}:…`, steps: [...steps, "resources"] });
      break;
    }
  }
}

function amountIn(container: JsonObject, kind: string): number {
  const { limits, requests } = objectOf(container["resources"]);
  return amountOf(objectOf(limits)[kind] ?? objectOf(requests)[kind]) ?? 0;
}

function amountOf(value: JsonValue | undefined): number | undefined {
  const quantity = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : undefined;
}
