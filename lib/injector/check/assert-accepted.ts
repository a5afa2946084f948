// Whether a part of a pod can be copied, and whether an API server accepts an injected pod. It rejects an invalid pod whatever the failurePolicy is, and its message
// does not mention the injection: the error from here names what the pod's author can change.

import { type ErrorCode, isInexact, OutriggerError } from "@outrigger/base";
import {
  type Container,
  formatFieldPath,
  POD_TYPE,
  type Pod,
  type PodSpec,
  type TypeSchema,
  validateChange,
  validatePod,
  violationKey,
} from "@outrigger/pod";
import { withContainer } from "../decode-pod.ts";

/** Injects a pod without checking what comes out. */
type TryInject = (pod: Pod) => Pod;

/** The name of a pod is not the injection's business. */
const OPTIONS = { isTemplate: true };

/**
 * Checks what the injection changed.
 *
 * | the author's pod | the injected pod                          | outcome                                     |
 * |------------------|-------------------------------------------|---------------------------------------------|
 * | any              | nothing wrong that was not wrong before   | passes                                      |
 * | invalid          | invalid                                   | passes: the API server rejects it anyway    |
 * | valid            | invalid, but not without a part of the pod | denied, naming that part                   |
 * | valid            | invalid, whatever the author wrote        | an error of the template                    |
 *
 * @param inject runs only if an API server would reject the pod, to find the part of the pod that causes it
 * @throws OutriggerError `annotation-invalid` or `pod-invalid` if the author can fix it, otherwise `overlay-invalid`
 */
export function assertAccepted(pod: Pod, author: Pod, inject: TryInject): void {
  const [violation] = validateChange(pod, author, OPTIONS);
  if (violation === undefined || validatePod(author, OPTIONS).length > 0) return;
  const key = violationKey(pod, violation);
  const cause = findCause(author, (rest) => !hasViolation(rest, key, inject));
  const rejected = "Cannot inject: an API server would reject the injected pod";
  const remedy = (part: string | undefined) =>
    part === undefined ? "correct the template that renders it" : `change ${part}, which the injection depends on`;
  const part = cause && withContainer(cause.path, author);
  const message = `${rejected}: ${withContainer(violation.path, pod)} ${violation.message}; ${remedy(part)}`;
  // `spec.containers`: as far as no name of the author's can be in it. A path and a message hold names that the author chose.
  const field = violation.steps.slice(0, 2).join(".");
  const logged = {
    message: `${rejected}: a field in ${field} is ${violation.code}; ${remedy(cause?.loggedPath)}`,
    path: cause?.loggedPath ?? field,
  };
  throw new OutriggerError(cause?.code ?? "overlay-invalid", message, { path: cause?.path ?? violation.path, logged });
}

/** Whether the same is still wrong. A pod that cannot be injected shows nothing. */
function hasViolation(author: Pod, key: string, inject: TryInject): boolean {
  let pod: Pod;
  try {
    pod = inject(author);
  } catch {
    return true;
  }
  return validateChange(pod, author, OPTIONS).some((violation) => violationKey(pod, violation) === key);
}

interface AuthoredPart {
  /** `metadata.annotations["example.com/x"]` */
  readonly path: string;
  /** The path without a key that the author may have chosen. */
  readonly loggedPath: string;
  /** The error for a pod with a fault in this part. */
  readonly code: ErrorCode;
}

/**
 * The part of the pod that causes a result: without it, the result is another one. Annotations and labels are tried before
 * fields, and these before names, and then several of these groups together: two parts may each cause the same result. If
 * only several parts together must be taken away, it is the first of them.
 *
 * Of a pod with thousands of parts, only the group is found, and named as a whole.
 *
 * @param isGone whether the result is another one for this pod. It is called at most six times, and 2 × log2 of the number
 *   of parts times
 * @returns undefined if no part of the pod causes the result
 */
export function findCause(pod: Pod, isGone: (rest: Pod) => boolean): AuthoredPart | undefined {
  const isCausedBy = (parts: readonly AuthoredPart[]) => parts.length > 0 && isGone(withoutParts(pod, parts));
  const groups = [entriesOf(pod, "annotations"), entriesOf(pod, "labels"), fieldsOf(pod), namesOf(pod)];
  // Without its names a pod may not be injectable, so the groups are also tried together without these.
  const suspects = [...groups, groups.slice(0, -1).flat(), groups.flat()].find(isCausedBy);
  if (suspects === undefined) return undefined;
  if (suspects.length > MOST_PARTS) return wholeOf(suspects[0] as AuthoredPart);
  const end = leastOf(suspects.length, (count) => isCausedBy(suspects.slice(0, count)));
  const first = end - leastOf(end, (count) => isCausedBy(suspects.slice(end - count, end)));
  return suspects[first];
}

/** Every further try injects the pod once more. Pods that people write have a few hundred. */
const MOST_PARTS = 5000;

/** `metadata.annotations` or `spec`: what all parts of a group are in. */
function wholeOf({ loggedPath, code }: AuthoredPart): AuthoredPart {
  const path = /^[^.[]*(?:\.(?:annotations|labels)\b)?/.exec(loggedPath)?.[0] ?? loggedPath;
  return { path, loggedPath: path, code };
}

/** The least number from 1 to `most` for which it holds. It holds for `most`, and for those above one for which it does. */
function leastOf(most: number, holds: (count: number) => boolean): number {
  let [below, least] = [0, most];
  while (least - below > 1) {
    const middle = (below + least) >> 1;
    if (holds(middle)) least = middle;
    else below = middle;
  }
  return least;
}

type Entries = "annotations" | "labels";

const LISTS = ["containers", "initContainers"] as const;
/** Their items are parts. */
const LIST_FIELDS: ReadonlySet<string> = new Set([...LISTS, "volumes"]);

function entryPath(field: Entries, key: string): string {
  return `metadata.${field}[${JSON.stringify(key)}]`;
}

function entriesOf({ metadata }: Pod, field: Entries): readonly AuthoredPart[] {
  return Object.keys(metadata?.[field] ?? {}).map((key) => ({
    path: entryPath(field, key),
    loggedPath: `metadata.${field}[*]`,
    code: field === "annotations" ? "annotation-invalid" : "pod-invalid",
  }));
}

/** Fields of the spec, volumes one by one, and fields of each container. */
function fieldsOf({ spec }: Pod): readonly AuthoredPart[] {
  const fields = Object.keys(spec ?? {}).filter((key) => !LIST_FIELDS.has(key));
  const volumes = (spec?.volumes ?? []).map((_, at) => `spec.volumes[${at}]`);
  const containers = LISTS.flatMap((list) =>
    (spec?.[list] ?? []).flatMap((container, at) =>
      Object.keys(container)
        .filter((key) => key !== "name")
        .map((key) => `spec.${list}[${at}].${key}`),
    ),
  );
  return [...fields.map((key) => `spec.${key}`), ...volumes, ...containers].map(fieldPart);
}

/** Without its name, a container is another one, and so is what is wrong with it. */
function namesOf({ metadata, spec }: Pod): readonly AuthoredPart[] {
  const own = (["name", "generateName"] as const).filter((key) => metadata?.[key] !== undefined);
  const containers = LISTS.flatMap((list) => (spec?.[list] ?? []).map((_, at) => `spec.${list}[${at}].name`));
  return [...own.map((key) => `metadata.${key}`), ...containers].map(fieldPart);
}

function fieldPart(path: string): AuthoredPart {
  return { path, loggedPath: isKnown(path) ? path : "spec", code: "pod-invalid" };
}

/** Whether the path has names of the schema only: the key of an unknown field, or of a map, may be the author's. */
function isKnown(path: string): boolean {
  let type: TypeSchema | undefined = POD_TYPE;
  for (const step of path.split(".")) {
    const field: TypeSchema | undefined = type?.fields.get(step.replace(/\[\d+\]$/, ""))?.type;
    type = field?.element ?? field;
  }
  return type !== undefined;
}

/** The pod without the parts. What a pod or a container must have gets another text. */
function withoutParts(pod: Pod, parts: readonly AuthoredPart[]): Pod {
  const gone = new Set(parts.map(({ path }) => path));
  const { metadata, spec } = pod;
  const entries = (field: Entries) => filtered(metadata?.[field] ?? {}, (key) => !gone.has(entryPath(field, key)));
  const containers = (list: (typeof LISTS)[number]) =>
    spec?.[list]?.map((each, at) => {
      const kept: object = filtered(each as object, (key) => !gone.has(`spec.${list}[${at}].${key}`));
      return { name: `${list.toLowerCase()}-${at}`, image: "app", ...kept } as Container;
    }) ?? [];
  const names = filtered({ ...metadata }, (key) => !gone.has(`metadata.${key}`));
  return {
    metadata: { name: "app", ...names, annotations: entries("annotations"), labels: entries("labels") },
    spec: {
      ...(filtered({ ...spec }, (key) => !gone.has(`spec.${key}`)) as PodSpec),
      containers: containers("containers"),
      ...(spec?.initContainers && { initContainers: containers("initContainers") }),
      ...(spec?.volumes && { volumes: spec.volumes.filter((_, at) => !gone.has(`spec.volumes[${at}]`)) }),
    },
  };
}

function filtered<T extends object>(object: T, isKept: (key: string) => boolean): T {
  return Object.fromEntries(Object.entries(object).filter(([key]) => isKept(key))) as T;
}

/**
 * Refuses a part of the author's pod that has an integer that cannot be copied: Kubernetes has 64 bits for it, JavaScript 53, and a
 * patch or a record that holds one next to it would change the pod. What an injection leaves where it is may have any.
 *
 * @param name of the part, for the message
 * @throws OutriggerError `pod-invalid` with its field
 */
export function assertExact(part: unknown, name: string): void {
  const steps = inexactInteger(part);
  if (steps === undefined) return;
  const message = (field: string) =>
    `Cannot inject: ${field} of ${name} is copied, and must be at most ${Number.MAX_SAFE_INTEGER}`;
  throw new OutriggerError("pod-invalid", message(formatFieldPath(steps)), {
    path: "spec",
    logged: { message: message("an integer"), path: "spec" },
  });
}

function inexactInteger(value: unknown): readonly (string | number)[] | undefined {
  if (typeof value !== "object" || value === null) return isInexact(value) ? [] : undefined;
  for (const [key, child] of Object.entries(value)) {
    const steps = inexactInteger(child);
    if (steps !== undefined) return [Array.isArray(value) ? Number(key) : key, ...steps];
  }
  return undefined;
}
