// Whether a part of a pod can be copied, and whether an API server accepts an injected pod. It rejects an invalid pod whatever
// the failurePolicy is, and its message does not mention the injection: the error from here names what the author can change.

import { type ErrorCode, type FieldPath, isInexact, OutriggerError } from "@outrigger/base";
import { type Container, formatFieldPath, type Pod, validateChange, validatePod, violationKey } from "@outrigger/pod";
import { typeAt, withContainer } from "../decode-pod.ts";

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
  const isCausedBy = (parts: readonly FieldPath[]) => parts.length > 0 && isGone(withoutParts(pod, parts));
  const groups = groupsOf(pod);
  // Without its names a pod may not be injectable, so the groups are also tried together without these.
  const suspects = [...groups, groups.slice(0, -1).flat(), groups.flat()].find(isCausedBy);
  if (suspects === undefined) return undefined;
  if (suspects.length > MOST_PARTS) return partOf((suspects[0] as FieldPath).slice(0, isEntry(suspects[0]) ? 2 : 1));
  const end = leastOf(suspects.length, (count) => isCausedBy(suspects.slice(0, count)));
  const first = end - leastOf(end, (count) => isCausedBy(suspects.slice(end - count, end)));
  return partOf(suspects[first] as FieldPath);
}

/** Every further try injects the pod once more. Pods that people write have a few hundred. */
const MOST_PARTS = 5000;

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

const LISTS = ["containers", "initContainers"] as const;
/** Their items are parts. */
const LIST_FIELDS: ReadonlySet<string> = new Set([...LISTS, "volumes"]);

/**
 * Annotations; labels; fields of the spec, volumes one by one, and fields of each container; names. Without its name, a
 * container is another one, and so is what is wrong with it.
 */
function groupsOf({ metadata, spec }: Pod): readonly (readonly FieldPath[])[] {
  const entries = (field: "annotations" | "labels") =>
    Object.keys(metadata?.[field] ?? {}).map((key) => ["metadata", field, key]);
  const fields = Object.keys(spec ?? {}).filter((key) => !LIST_FIELDS.has(key));
  const volumes = (spec?.volumes ?? []).map((_, at) => ["spec", "volumes", at]);
  const containers = LISTS.flatMap((list) =>
    (spec?.[list] ?? []).flatMap((container, at) => Object.keys(container).map((key) => ["spec", list, at, key])),
  );
  const names = (["name", "generateName"] as const).filter((key) => metadata?.[key] !== undefined);
  const isName = (steps: FieldPath) => steps.at(-1) === "name";
  return [
    entries("annotations"),
    entries("labels"),
    [...fields.map((key) => ["spec", key]), ...volumes, ...containers.filter((steps) => !isName(steps))],
    [...names.map((key) => ["metadata", key]), ...containers.filter(isName)],
  ];
}

function isEntry(steps: FieldPath | undefined): boolean {
  return steps?.[0] === "metadata" && steps.length === 3;
}

function partOf(steps: FieldPath): AuthoredPart {
  const [top, field, key] = steps;
  const code = top === "metadata" && field === "annotations" ? "annotation-invalid" : "pod-invalid";
  const map = `metadata.${field}`;
  if (isEntry(steps)) return { path: `${map}[${JSON.stringify(key)}]`, loggedPath: `${map}[*]`, code };
  const path = formatFieldPath(steps);
  // The key of an unknown field may be the author's.
  return { path, loggedPath: typeAt(steps) === undefined ? "spec" : path, code };
}

/** The pod without the parts. What a pod or a container must have gets another text. */
function withoutParts(pod: Pod, parts: readonly FieldPath[]): Pod {
  // A text for each path: joined by what no key has that people write.
  const gone = new Set(parts.map((steps) => steps.join("\0")));
  const kept = <T>(value: T, path: string, depth: number): T => {
    if (typeof value !== "object" || value === null || depth === DEEPEST) return value;
    const left = Object.entries(value).flatMap(([key, child]) => {
      const at = depth === 0 ? key : `${path}\0${key}`;
      return gone.has(at) ? [] : [[key, kept(child, at, depth + 1)] as const];
    });
    return (Array.isArray(value) ? left.map(([, child]) => child) : Object.fromEntries(left)) as T;
  };
  const { metadata, spec } = kept(pod, "", 0);
  const containers = (list: (typeof LISTS)[number]) =>
    spec?.[list]?.map(
      (each, at): Container => ({
        ...each,
        name: each.name ?? `${list.toLowerCase()}-${at}`,
        image: each.image ?? "app",
      }),
    ) ?? [];
  return {
    metadata: { name: "app", annotations: {}, labels: {}, ...metadata },
    spec: {
      ...spec,
      containers: containers("containers"),
      ...(spec?.initContainers && { initContainers: containers("initContainers") }),
    },
  };
}

/** As deep as a part is: `spec.containers[0].name`. */
const DEEPEST = 4;

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
  const logged = { message: message("an integer"), path: "spec" };
  throw new OutriggerError("pod-invalid", message(formatFieldPath(steps)), { path: "spec", logged });
}

function inexactInteger(value: unknown): FieldPath | undefined {
  if (typeof value !== "object" || value === null) return isInexact(value) ? [] : undefined;
  for (const [key, child] of Object.entries(value)) {
    const steps = inexactInteger(child);
    if (steps !== undefined) return [Array.isArray(value) ? Number(key) : key, ...steps];
  }
  return undefined;
}
