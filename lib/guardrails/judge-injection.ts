// What an injection adds to a pod that its guardrails do not admit: by comparing the pod with what comes out. Pure.
import { type FieldPath, type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";
import { formatFieldPath, isQuantity, quantityThousandths } from "@outrigger/pod";
import { isForbidden } from "./levels.ts";
import { allows, BOUNDS, type Guardrails, LIMITED } from "./parse-guardrails.ts";
import { grantedPowers, leftOpen, type Power, podPowers, powerText } from "./powers.ts";

/** Something that was added and may not be. */
export interface Violation {
  /** `spec.containers[1].securityContext.privileged` */
  readonly path: string;
  readonly steps: FieldPath;
  /** `privileged` */
  readonly what: string;
  /** The entry that would allow it: `hostPath:/run/agent`. */
  readonly entry: string;
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

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
  const chosen = guardrails.allowed.has("boundedAnnotations") ? NOTHING : chosenByAuthor(author);
  const judge = judgeInto(found, (power, container) => isAdmitted(guardrails, power, container));
  for (const [name, { container, steps }] of after) {
    const own = before.get(name)?.container;
    if (own === container) continue;
    judgeContainer({ name, steps, own, container, was, is }, judge);
    const image = text(container["image"]);
    if (image !== text(own?.["image"]) && image !== chosen.image)
      judgeImage(guardrails, image, [...steps, "image"], judge);
  }
  for (const power of more(podPowers(was), podPowers(is))) {
    if (!chosen.volumes.has(volumeOf(is, power))) judge(power, ["spec"]);
  }
  for (const [name, { steps }] of before) if (!after.has(name)) judge(gone("container", name), steps);
  const volumes = new Set(objectsOf(is["volumes"]).map(({ name }) => name));
  for (const { name } of objectsOf(was["volumes"]))
    if (!volumes.has(name)) judge(gone("volume", text(name)), ["spec", "volumes"]);
  judgeResources(guardrails, before, after, found);
  return found;
}

interface Place {
  readonly container: JsonObject;
  readonly steps: FieldPath;
}

interface Changed extends Place {
  readonly name: string;
  readonly own: JsonObject | undefined;
  readonly was: JsonObject;
  readonly is: JsonObject;
}

export type Judge = (power: Power, base: FieldPath, container?: string) => void;

/** Collects what is not allowed. */
export function judgeInto(
  found: Violation[],
  isAllowed: (power: Power, container: string | undefined) => boolean,
): Judge {
  return (power, base, container) => {
    if (isAllowed(power, container)) return;
    const steps = [...base, ...power.at];
    const { kind, value } = power;
    const entry = value === "" || /[\s,]/.test(value) ? kind : `${kind}:${value}`;
    found.push({ path: formatFieldPath(steps), steps, what: powerText(power), entry });
  };
}

function judgeContainer({ name, steps, own, container, was, is }: Changed, judge: Judge): void {
  const powers = (of: JsonObject, pod: JsonObject) => [...grantedPowers(of, pod), ...leftOpen(of, pod)];
  const added = own === undefined ? powers(container, is) : more(powers(own, was), powers(container, is));
  for (const power of added) judge(power, steps, name);
}

export function judgeImage(guardrails: Guardrails, image: string, steps: FieldPath, judge: Judge): void {
  judge({ kind: "image", value: image, at: [] }, steps);
  if (guardrails.allowed.has("imageDigest") && !/@sha256:[0-9a-f]{64}$/.test(image)) {
    judge({ kind: "imageWithoutDigest", value: image, at: [] }, steps);
  }
}

export function isAdmitted(guardrails: Guardrails, power: Power, container: string | undefined): boolean {
  const { kind, value } = power;
  if (kind === "imageWithoutDigest") return false;
  const isLimited = (LIMITED as readonly string[]).includes(kind);
  if (isLimited) return !guardrails.allowed.has(kind) || allows(guardrails, kind, value);
  return !isForbidden(guardrails.level, power, container) || allows(guardrails, kind, value);
}

/** The added containers together, each by its limit, otherwise its request. */
function judgeResources(
  { allowed }: Guardrails,
  before: ReadonlyMap<string, Place>,
  after: ReadonlyMap<string, Place>,
  found: Violation[],
): void {
  for (const kind of BOUNDS) {
    const [bound] = allowed.get(kind) ?? [];
    const most = bound === undefined ? undefined : amountOf(bound);
    if (most === undefined) continue;
    let sum = 0;
    for (const [name, { container, steps }] of after) {
      if (before.has(name)) continue;
      const { limits, requests } = objectOf(container["resources"]);
      sum += amountOf(objectOf(limits)[kind] ?? objectOf(requests)[kind]) ?? 0;
      if (sum <= most) continue;
      const at = [...steps, "resources"];
      found.push({
        path: formatFieldPath(at),
        steps: at,
        what: `more than ${bound} ${kind} in all`,
        entry: `${kind}:…`,
      });
      break;
    }
  }
}

function amountOf(value: JsonValue | undefined): number | undefined {
  const quantity = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : undefined;
}

const NOTHING = { image: undefined, volumes: new Set<string>() };

/** What annotations of Istio's name, which the author could have written into the pod as well: the proxy's image, more volumes. */
function chosenByAuthor({ metadata }: JsonObject): {
  readonly image: string | undefined;
  readonly volumes: ReadonlySet<string>;
} {
  const annotations = objectOf(objectOf(metadata)["annotations"]);
  const image = annotations["sidecar.istio.io/proxyImage"];
  return {
    image: typeof image === "string" ? image : undefined,
    volumes: new Set(userVolumes(annotations["sidecar.istio.io/userVolume"])),
  };
}

function userVolumes(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== "string") return [];
  try {
    const volumes: JsonValue = JSON.parse(value);
    return Array.isArray(volumes) ? objectsOf(volumes).map(({ name }) => text(name)) : Object.keys(objectOf(volumes));
  } catch {
    return [];
  }
}

/** The name of the volume that a power is of; empty for another. */
function volumeOf(spec: JsonObject, { at: [list, index] }: Power): string {
  return list === "volumes" ? text(objectsOf(spec["volumes"])[Number(index)]?.["name"]) : "";
}

export function containersOf(spec: JsonObject): ReadonlyMap<string, Place> {
  return new Map(
    LISTS.flatMap((list) =>
      objectsOf(spec[list]).map(
        (container, index) => [text(container["name"]), { container, steps: ["spec", list, index] }] as const,
      ),
    ),
  );
}

function gone(what: string, name: string): Power {
  return { kind: "deletion", value: `${what} ${name}`, at: [] };
}

function more(before: readonly Power[], after: readonly Power[]): readonly Power[] {
  const known = new Set(before.map(powerText));
  return after.filter((power) => !known.has(powerText(power)));
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
