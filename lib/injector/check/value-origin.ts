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
 * and writes; or a field of an injected container, which the author set by naming the container, or that name in the wrong list.
 *
 * @returns undefined where the template wrote the value, whatever of the pod it asked for it, and where it clashes with what the pod
 * has anyway: a port of the node, a limit that all annotations share
 */
export function findOrigin(failed: FailedInjection): AuthoredPart | undefined {
  // What is wrong with a pod that gives a template nothing is the template's.
  if (isWrongWith(failed, withoutCustomized(withoutRead(failed), failed)) === true) return undefined;
  const found = readEntry(failed) ?? customizedField(failed);
  if (found !== undefined) return found;
  // An author may write the same bad value in both places.
  const author = withoutCustomized(failed.author, failed);
  const injected = author === failed.author ? undefined : failed.inject(author);
  const isStill = injected !== undefined && failed.isWrong(injected, author);
  return isStill ? readEntry({ ...failed, author, injected }) : undefined;
}

/** Whether the same is wrong when another pod is injected; undefined for one that cannot be. */
function isWrongWith({ inject, isWrong }: FailedInjection, author: Pod): boolean | undefined {
  const injected = inject(author);
  return injected && isWrong(injected, author);
}

/** The annotation or label that the bad value came from. */
function readEntry(failed: FailedInjection): AuthoredPart | undefined {
  for (const field of ["annotations", "labels"] as const) {
    const found = readKeys(failed, field)
      .slice(0, MOST_TRIED)
      .find((key) => isOrigin(failed, field, key));
    if (found !== undefined) return entryPart(field, found);
  }
  return undefined;
}

function readKeys({ author: { metadata }, isRead }: FailedInjection, field: Entries): readonly string[] {
  return Object.keys(metadata?.[field] ?? {}).filter((key) => DOCUMENTED.has(key) || isRead(key));
}

/** The pod without the annotations and labels whose values its author answers for. It asks for the same templates. */
function withoutRead(failed: FailedInjection): Pod {
  const { metadata, ...rest } = failed.author;
  const left = (field: Entries) => {
    const read = new Set(readKeys(failed, field));
    const entries = Object.entries(metadata?.[field] ?? {});
    return Object.fromEntries(entries.filter(([key]) => !read.has(key) || CHOICES.includes(key)));
  };
  return { ...rest, metadata: { ...metadata, annotations: left("annotations"), labels: left("labels") } };
}

const CHOICES: readonly string[] = [metadataKeys.inject, metadataKeys.templates];

const DOCUMENTED: ReadonlySet<string> = new Set(Object.values(metadataKeys));

/** Each is injected at most eight times more, and so is each word of the proxy's settings. Templates read a dozen keys. */
const MOST_TRIED = 50;

type Entries = "annotations" | "labels";

/** Texts that hold a structure, which is written as it is: an empty one has no value. */
const STRUCTURED: readonly string[] = [
  metadataKeys.userVolume,
  metadataKeys.userVolumeMount,
  metadataKeys.datadogEnvironment,
  metadataKeys.overrides,
];

function isOrigin(failed: FailedInjection, field: Entries, key: string): boolean {
  const text = failed.author.metadata?.[field]?.[key];
  if (typeof text !== "string") return false;
  if (STRUCTURED.includes(key)) {
    return isWrongWith(failed, withEntry(failed.author, field, key, "{}")) === false;
  }
  return changesOf(key, text).some((texts) => {
    const [one, other] = texts.map((each) => failed.inject(withEntry(failed.author, field, key, each)));
    if (one === undefined || other === undefined) return false;
    // An empty value is as wrong as none: it is the author's where another text is written there.
    const values = [failed.injected, one, other].map((pod) => valueAt(pod, failed.steps));
    if (values.slice(1).every(isScalar) && new Set(values).size === 3) return true;
    const without = withoutVarying(failed.injected, one, other, ["metadata", field, key]) as Pod;
    return without !== failed.injected && !failed.isWrong(without, failed.author);
  });
}

/**
 * Pairs of other texts: two that a number and a quantity stay one with; and two more, for what must begin as it does. Of the proxy's
 * settings, of which some open branches, each word is changed by itself.
 */
function changesOf(key: string, text: string): readonly (readonly [string, string])[] {
  if (key !== metadataKeys.proxyConfig) {
    return [
      [`1${text}`, `2${text}`],
      [`${text}1`, `${text}2`],
    ];
  }
  const words = [...text.matchAll(/[^\s:,{}[\]"']+/g)].slice(0, MOST_TRIED);
  return words.map(({ index }) => {
    const changed = (digit: string) => text.slice(0, index) + digit + text.slice(index);
    return [changed("1"), changed("2")];
  });
}

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
      const found = fields.find((key) => {
        const value = key === "name" ? otherName(list, at) : undefined;
        const without = withContainerAt(failed.author, list, at, { ...container, [key]: value } as Container);
        return isWrongWith(failed, without) === false;
      });
      if (found === undefined) continue;
      const steps = ["spec", list, at, found];
      const path = formatFieldPath(steps);
      // The key of an unknown field may be the author's.
      return { path, loggedPath: typeAt(steps) === undefined ? "spec" : path, code: "pod-invalid" };
    }
  }
  return undefined;
}

/** A name that no template has. */
function otherName(list: string, at: number): string {
  return `${list.toLowerCase()}-${at}`;
}

/** The pod with other names for the injected containers that it names: it changes none of them. */
function withoutCustomized(author: Pod, { injectedNames }: FailedInjection): Pod {
  let pod = author;
  for (const list of ["containers", "initContainers"] as const) {
    for (const [at, { name, image }] of (author.spec?.[list] ?? []).entries()) {
      const other = { name: otherName(list, at), ...(image !== undefined && { image }) };
      if (injectedNames.has(name)) pod = withContainerAt(pod, list, at, other);
    }
  }
  return pod;
}

function withContainerAt(pod: Pod, list: "containers" | "initContainers", at: number, container: Container): Pod {
  const changed = (pod.spec?.[list] ?? []).map((each, index) => (index === at && isObject(each) ? container : each));
  return { ...pod, spec: { containers: [], ...pod.spec, [list]: changed } };
}
