// Finds the part of a pod whose value makes its injection unacceptable. A part that only opens a branch of a template is not its
// cause: what the branch writes is the template's.
import { type ErrorCode, type FieldPath, isObject, metadataKeys, valueAt } from "@outrigger/base";
import { type Container, formatFieldPath, type Pod } from "@outrigger/pod";
import { typeAt } from "../decode-pod.ts";

/** A part of a pod whose value its author is answerable for. */
export interface AuthoredPart {
  /** `metadata.annotations["example.com/x"]` */
  readonly path: string;
  /** The path without a key that the author may have chosen. */
  readonly loggedPath: string;
  /** The error for a pod with a fault in this part. */
  readonly code: ErrorCode;
}

/** An injection that failed, and how it is asked what else would come of it. */
export interface FailedInjection {
  readonly author: Pod;
  readonly injected: Pod;
  /** The steps of what is wrong in the injected pod. */
  readonly steps: FieldPath;
  /** Injects another pod. Undefined for a pod that cannot be injected. */
  readonly inject: (pod: Pod) => Pod | undefined;
  /** Whether the same is wrong with a pod that is injected from another one. */
  readonly isWrong: (injected: Pod, author: Pod) => boolean;
  /** Whether the templates read an annotation or label by its key. */
  readonly isRead: (key: string) => boolean;
  /** The containers that templates give an image: an author who names one changes the injected container. */
  readonly injectedNames: ReadonlySet<string>;
}

/**
 * The part of the pod that the bad value came from: an annotation or label that is documented, or that a template reads by its key
 * and writes; or a field of an injected container, which the author set by naming the container.
 *
 * @returns undefined where the template wrote the value, whatever of the pod it asked for it
 */
export function findOrigin(failed: FailedInjection): AuthoredPart | undefined {
  const found = readEntry(failed) ?? customizedField(failed);
  if (found !== undefined) return found;
  // An author may write the same bad value in both places.
  const author = withoutCustomized(failed);
  const injected = author === failed.author ? undefined : failed.inject(author);
  return injected && readEntry({ ...failed, author, injected });
}

/** The annotation or label that the bad value came from. */
function readEntry(failed: FailedInjection): AuthoredPart | undefined {
  const { metadata } = failed.author;
  for (const field of ["annotations", "labels"] as const) {
    const keys = Object.keys(metadata?.[field] ?? {}).filter((key) => DOCUMENTED.has(key) || failed.isRead(key));
    const found = keys.slice(0, MOST_TRIED).find((key) => isOrigin(failed, field, key));
    if (found !== undefined) return entryPart(field, found);
  }
  return undefined;
}

const DOCUMENTED: ReadonlySet<string> = new Set(Object.values(metadataKeys));

/** Each is injected at most eight times more. Templates read a dozen keys. */
const MOST_TRIED = 50;

type Entries = "annotations" | "labels";

/** Texts that hold a structure, of which an empty one has no value. */
const STRUCTURED: readonly string[] = [
  metadataKeys.userVolume,
  metadataKeys.userVolumeMount,
  metadataKeys.proxyConfig,
  metadataKeys.datadogEnvironment,
  metadataKeys.overrides,
];

function isOrigin(failed: FailedInjection, field: Entries, key: string): boolean {
  const text = failed.author.metadata?.[field]?.[key];
  if (typeof text !== "string") return false;
  if (STRUCTURED.includes(key)) {
    const author = withEntry(failed.author, field, key, "{}");
    const injected = failed.inject(author);
    return injected !== undefined && !failed.isWrong(injected, author);
  }
  return CHANGES.some((change) => {
    const [one, other] = change(text).map((each) => failed.inject(withEntry(failed.author, field, key, each)));
    if (one === undefined || other === undefined) return false;
    // An empty value is as wrong as none: it is the author's where another text is written there.
    const values = [failed.injected, one, other].map((pod) => valueAt(pod, failed.steps));
    if (values.slice(1).every(isScalar) && new Set(values).size === 3) return true;
    const without = withoutVarying(failed.injected, one, other, ["metadata", field, key]) as Pod;
    return without !== failed.injected && !failed.isWrong(without, failed.author);
  });
}

/** Two other texts, which a number and a quantity stay one with; and two more, for what must begin as it does. */
const CHANGES: readonly ((text: string) => readonly [string, string])[] = [
  (text) => [`1${text}`, `2${text}`],
  (text) => [`${text}1`, `${text}2`],
];

function withEntry(pod: Pod, field: Entries, key: string, text: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, [field]: { ...pod.metadata?.[field], [key]: text } } };
}

/**
 * The pod without the values that are others in each of three pods: those that came from what the three differ in. A condition gives
 * two of them the same.
 *
 * @param own the steps of the entry itself, which stays
 */
function withoutVarying(value: unknown, one: unknown, other: unknown, own: FieldPath | undefined): unknown {
  if (own?.length === 0) return value;
  if (typeof value !== "object" || value === null) {
    return value !== one && value !== other && one !== other && isScalar(one) && isScalar(other) ? null : value;
  }
  let changed: Record<string, unknown> | unknown[] | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const rest = own?.[0] === key ? own.slice(1) : undefined;
    const left = withoutVarying(inner, valueAt(one, [keyIn(value, key)]), valueAt(other, [keyIn(value, key)]), rest);
    if (left === inner) continue;
    changed ??= Array.isArray(value) ? [...value] : { ...value };
    if (left === null && !Array.isArray(changed)) delete changed[key];
    else (changed as Record<string, unknown>)[key] = left;
  }
  return changed ?? value;
}

function keyIn(value: object, key: string): string | number {
  return Array.isArray(value) ? Number(key) : key;
}

function isScalar(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "object";
}

function entryPart(field: Entries, key: string): AuthoredPart {
  const map = `metadata.${field}`;
  const code = field === "annotations" ? "annotation-invalid" : "pod-invalid";
  return { path: `${map}[${JSON.stringify(key)}]`, loggedPath: `${map}[*]`, code };
}

/** The field of an injected container that its author set, and without which nothing is wrong; or its name, in the wrong list. */
function customizedField(failed: FailedInjection): AuthoredPart | undefined {
  for (const list of ["containers", "initContainers"] as const) {
    for (const [at, container] of (failed.author.spec?.[list] ?? []).entries()) {
      if (!failed.injectedNames.has(container.name)) continue;
      // Last its name: a container of another list cannot have it.
      const fields = [...Object.keys(container).filter((key) => key !== "name" && key !== "image"), "name"];
      const isCause = (key: string) => {
        const value = key === "name" ? "another-name" : undefined;
        const author = withContainerAt(failed.author, list, at, { ...container, [key]: value } as Container);
        const injected = failed.inject(author);
        return injected !== undefined && !failed.isWrong(injected, author);
      };
      const found = fields.find(isCause);
      if (found === undefined) continue;
      const steps = ["spec", list, at, found];
      const path = formatFieldPath(steps);
      // The key of an unknown field may be the author's.
      return { path, loggedPath: typeAt(steps) === undefined ? "spec" : path, code: "pod-invalid" };
    }
  }
  return undefined;
}

function withoutCustomized({ author, injectedNames }: FailedInjection): Pod {
  let pod = author;
  for (const list of ["containers", "initContainers"] as const) {
    for (const [at, { name, image }] of (author.spec?.[list] ?? []).entries()) {
      if (injectedNames.has(name))
        pod = withContainerAt(pod, list, at, { name, ...(image !== undefined && { image }) });
    }
  }
  return pod;
}

function withContainerAt(pod: Pod, list: "containers" | "initContainers", at: number, container: Container): Pod {
  const changed = (pod.spec?.[list] ?? []).map((each, index) => (index === at && isObject(each) ? container : each));
  return { ...pod, spec: { containers: [], ...pod.spec, [list]: changed } };
}
