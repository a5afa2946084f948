// Whether each branch of the tree's own templates writes a part of a Pod that an API server accepts, whether or not a sample takes the
// branch. What depends on values that only a pod decides is not judged: it is left out, and never guessed.
import {
  type FieldPath,
  isObject,
  isOwnError,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  OutriggerError,
  objectOf,
  once,
  valueAt,
  withoutEntries,
} from "@outrigger/base";
import { formatFieldPath, type Pod, parseFieldPath, strategicMerge } from "@outrigger/pod";
import { describeTemplate } from "@outrigger/template";
import type { Injector } from "../../injection.ts";
import type { Release } from "../load-release.ts";
import { templateBranches, writtenTemplates } from "../samples/branch-coverage.ts";
import { injectedFaults } from "../samples/check-injected.ts";
import { overlayFaults } from "../samples/check-overlay.ts";
import { FILLINGS, type Filling, fillUnknown, hasUnknown, stepsBefore } from "./fill-unknown.ts";
import { type KnownNames, namesIn, typicalAuthor } from "./typical-author.ts";

type Branch = ReturnType<typeof templateBranches>[number];

/** What is wrong in a branch, and where in its overlay. */
interface BranchFault {
  readonly steps: FieldPath;
  readonly reason: string;
}

/**
 * An error for each line of the tree's own templates that writes what no Pod may have. With `compatibility: reference`, which asks for
 * pods that an API server rejects too, for each that breaks the schema.
 *
 * Of branches that a pod takes together only by chance, a fault counts that is there in every way through the template that has
 * the line: of two branches that exclude each other, both may write the same name.
 *
 * @param samples pods whose volumes and containers templates may refer to
 */
export function branchErrors(
  release: Release,
  injector: Injector,
  own: ReadonlySet<string>,
  samples: readonly Pod[],
): readonly OutriggerError[] {
  const names = writtenTemplates(release, [...own]);
  const isReference = release.config.compatibility === "reference";
  const known = once(() => {
    const overlays = templateBranches(release, injector).map(({ overlay }) => overlay);
    return namesIn(overlays, samples as readonly JsonObject[]);
  });
  const found = new Map<string, OutriggerError>();
  for (const name of names) {
    const branches = templateBranches(release, injector, [name]);
    const faultsOf = branches.map(({ overlay }) => {
      const shown = schemaFaults(overlay);
      return shown.length > 0 || isReference ? shown : rejectionsOfAll(overlay, known);
    });
    for (const [at, branch] of branches.entries()) {
      for (const fault of faultsOf[at] ?? []) {
        const place = branch.locate(fault.steps);
        const key = `${place.path}:${place.line}:${place.column}`;
        if (!own.has(place.path) || found.has(key) || !isInEveryWay(branch, fault, branches, faultsOf)) continue;
        found.set(key, branchError(name, place, fault.reason));
      }
    }
  }
  return [...found.values()];
}

function branchError(name: string, place: ReturnType<Branch["locate"]>, reason: string): OutriggerError {
  const source = place.path.startsWith("partials/")
    ? `partial "${place.path.slice("partials/".length)}"`
    : describeTemplate(name);
  const message = `Cannot use ${source}: ${reason} (line ${place.line}, column ${place.column})`;
  return new OutriggerError("overlay-invalid", message, place);
}

/** What an API server rejects whichever pod it is. */
function rejectionsOfAll(overlay: JsonObject, known: () => KnownNames): readonly BranchFault[] {
  const [first, ...others] = FILLINGS;
  return others.reduce(
    (left, filling) => {
      const again = left.length === 0 ? [] : rejections(overlay, filling, known);
      return left.filter(({ steps }) => again.some((each) => jsonEqual(each.steps, steps)));
    },
    rejections(overlay, first, known),
  );
}

/** Fields that a Pod does not have, and values of another type. */
function schemaFaults(overlay: JsonObject): readonly BranchFault[] {
  const [filling] = FILLINGS;
  return overlayFaults(fillUnknown(overlay, filling)).flatMap(({ steps, reason }) => {
    const before = stepsBefore(overlay, steps, filling);
    return isPodsOwn(overlay, before) ? [] : [{ steps: before, reason }];
  });
}

/** What an API server rejects in a typical pod with the overlay. */
function rejections(overlay: JsonObject, filling: Filling, known: () => KnownNames): readonly BranchFault[] {
  const written = fillUnknown(overlay, filling);
  const author = typicalAuthor(written, filling, known);
  const faultsOf = (each: JsonObject) => {
    const pod = strategicMerge(author as JsonObject, each) as Pod;
    return injectedFaults(pod, author, [{ overlay: each }]);
  };
  const fault = (steps: FieldPath, code: string, reason: string): readonly BranchFault[] => {
    const before = stepsBefore(overlay, steps, filling);
    return isPodsOwn(overlay, before) || isOpen(overlay, before, code) ? [] : [{ steps: before, reason }];
  };
  try {
    return faultsOf(written).flatMap(({ from, steps, code, reason, key }) => {
      const isGone = (rest: JsonObject) => !faultsOf(rest).some((each) => each.key === key);
      const at = from === undefined ? entryThat(written, isGone) : steps;
      return at === undefined ? [] : fault(at, code, `an API server rejects a pod with it: ${reason}`);
    });
  } catch (error) {
    if (!isOwnError(error, "overlay-invalid")) throw error;
    return fault(parseFieldPath(error.path ?? "spec"), "invalid", error.message);
  }
}

/** The field of the spec that makes another one wrong, which the overlay does not write. */
function entryThat(overlay: JsonObject, isGone: (rest: JsonObject) => boolean): FieldPath | undefined {
  const spec = objectOf(overlay["spec"]);
  const field = Object.keys(spec).find((key) => isGone({ ...overlay, spec: withoutEntries(spec, [key]) }));
  return field === undefined ? undefined : ["spec", field];
}

/** Whether a pod decides the field, or the name of the entry. */
function isPodsOwn(overlay: JsonObject, steps: FieldPath): boolean {
  return steps.some(hasUnknown) || hasUnknown(valueAt(overlay, steps)) || IN_REQUEST.includes(formatFieldPath(steps));
}

/** What has to agree with the request of the pod. */
const IN_REQUEST: readonly string[] = ["metadata.namespace", "metadata.name"];

/** Whether another template, or the pod, may have what is missing here: the rest of a probe, a volume, or a container of that name. */
function isOpen({ spec }: JsonObject, steps: FieldPath, code: string): boolean {
  if (code === "not-found") return hasUnknownName(valueAt(spec, ["volumes"]));
  const [, list = "", at = "", ...inner] = steps;
  // Such annotations name containers, which may be the pod's: `container.apparmor.security.beta.kubernetes.io/web`.
  if (list === "annotations") return /^container\./.test(String(at));
  const container = ["containers", "initContainers"].includes(String(list)) ? valueAt(spec, [list, at]) : undefined;
  const isPart = isObject(container) && container["image"] === undefined;
  return code === "required" && isPart && inner.length > 0 && !inner.some((step) => typeof step === "number");
}

function hasUnknownName(volumes: JsonValue | undefined): boolean {
  if (hasUnknown(volumes)) return true;
  return Array.isArray(volumes) && volumes.some((each) => hasUnknown(isObject(each) ? each["name"] : each));
}

/** Whether the fault is in each way through the template that writes the line. */
function isInEveryWay(
  branch: Branch,
  { steps }: BranchFault,
  branches: readonly Branch[],
  faultsOf: readonly (readonly BranchFault[])[],
): boolean {
  const place = branch.locate(steps);
  const names = nameSteps(branch.overlay, steps);
  return branches.every((other, at) => {
    const there = stepsOf(other.overlay, names).filter((each) => jsonEqual({ ...other.locate(each) }, { ...place }));
    return there.every((each) => (faultsOf[at] ?? []).some((fault) => jsonEqual(fault.steps, each)));
  });
}

/** A step to an item by its name: its index is another one in each way. */
type NameStep = string | { readonly item: JsonValue };

function nameSteps(overlay: JsonObject, steps: FieldPath): readonly NameStep[] {
  return steps.map((step, depth) =>
    typeof step === "string" ? step : { item: nameOf(valueAt(overlay, steps.slice(0, depth + 1))) },
  );
}

function nameOf(item: JsonValue | undefined): JsonValue {
  return isObject(item) ? (item["name"] ?? null) : null;
}

function stepsOf(value: JsonValue | undefined, names: readonly NameStep[]): readonly FieldPath[] {
  const [name, ...rest] = names;
  if (name === undefined) return [[]];
  const keys = typeof name === "string" ? keysIn(value, name) : itemsIn(value, name.item);
  return keys.flatMap((key) => stepsOf(valueAt(value, [key]), rest).map((inner) => [key, ...inner]));
}

function keysIn(value: JsonValue | undefined, name: string): readonly string[] {
  return isObject(value) && Object.hasOwn(value, name) ? [name] : [];
}

function itemsIn(value: JsonValue | undefined, name: JsonValue): readonly number[] {
  return Array.isArray(value) ? [...value.keys()].filter((at) => jsonEqual(nameOf(value[at]), name)) : [];
}
