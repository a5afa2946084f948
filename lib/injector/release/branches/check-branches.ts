// Whether each branch of the tree's own templates writes a part of a Pod that an API server accepts, whether or not a sample takes the
// branch. What depends on values that only a pod decides is not judged: it is left out, and never guessed.
import {
  type FieldPath,
  isObject,
  isOwnError,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  memoizeJson,
  memoizeObject,
  OutriggerError,
  once,
  valueAt,
} from "@outrigger/base";
import { formatFieldPath, type Pod, parseFieldPath, strategicMerge } from "@outrigger/pod";
import { describeTemplate } from "@outrigger/template";
import type { Injector } from "../../injection.ts";
import { blameDeletions, blameEntries } from "../blame/blame-deletion.ts";
import type { Written } from "../blame/writer-of.ts";
import type { Release } from "../load-release.ts";
import { templateBranches, writtenTemplates } from "../samples/branch-coverage.ts";
import { type InjectedFault, injectedFaults } from "../samples/check-injected.ts";
import { overlayFaults } from "../samples/check-overlay.ts";
import type { Findings, TreeFinding } from "../tree-finding.ts";
import { FILLINGS, type Filling, fillUnknown, hasUnknown, stepsBefore } from "./fill-unknown.ts";
import { type KnownNames, namesIn, typicalAuthor } from "./typical-author.ts";

type Branch = ReturnType<typeof templateBranches>[number];

/** What is wrong in a branch, and where in its overlay. */
interface BranchFault {
  readonly steps: FieldPath;
  readonly reason: string;
  /** What is said of it, where that is more than the reason. */
  readonly said?: string;
  /** Whether a pod may bring what is missing. */
  readonly isReference?: boolean;
}

/**
 * An error for each line of the tree's own templates that writes what no Pod may have, and a warning for each that refers to a volume or
 * a container that no template and no sample has: a pod may bring it. With `compatibility: reference`, which asks for pods that an API
 * server rejects too, only what breaks the schema.
 *
 * Of branches that a pod takes together only by chance, a fault counts that is there in every way through the template that has
 * the line: of two branches that exclude each other, both may write the same name.
 *
 * @param samples pods whose volumes and containers templates may refer to
 */
export function checkBranches(
  release: Release,
  injector: Injector,
  own: ReadonlySet<string>,
  samples: readonly Pod[],
): Findings {
  const isOfSchema = release.config.compatibility === "reference";
  const rejectionsOf = once(() => {
    const overlays = templateBranches(release, injector).map(({ overlay }) => overlay);
    return rejectionsAmong(namesIn(overlays, samples as readonly JsonObject[]));
  });
  const errors = new Map<string, OutriggerError>();
  const warnings = new Map<string, TreeFinding>();
  for (const name of writtenTemplates(release, [...own])) {
    const branches = templateBranches(release, injector, [name]);
    const faultsOf = branches.map(({ overlay }) => {
      const shown = schemaFaults(overlay);
      return shown.length > 0 || isOfSchema ? shown : rejectionsOf()(overlay);
    });
    for (const [at, branch] of branches.entries()) {
      for (const fault of faultsOf[at] ?? []) {
        const place = branch.locate(fault.steps);
        const key = `${place.path}:${place.line}:${place.column}`;
        const isKnown = !own.has(place.path) || errors.has(key) || warnings.has(key);
        if (isKnown || !isInEveryWay(branch, fault, branches, faultsOf)) continue;
        if (fault.isReference)
          warnings.set(key, { severity: "warning", ...place, message: fault.said ?? fault.reason });
        else errors.set(key, branchError(name, place, fault));
      }
    }
  }
  return { errors: [...errors.values()], warnings: [...warnings.values()] };
}

function branchError(name: string, place: ReturnType<Branch["locate"]>, { reason, said = reason }: BranchFault) {
  const source = place.path.startsWith("partials/")
    ? `partial "${place.path.slice("partials/".length)}"`
    : describeTemplate(name);
  const message = `Cannot use ${source}: ${said} (line ${place.line}, column ${place.column})`;
  return new OutriggerError("overlay-invalid", message, { ...place, reason });
}

/** What an API server rejects whichever pod it is. An overlay is judged once among the same names. */
const rejectionsAmong = memoizeJson(
  (known: KnownNames) =>
    memoizeObject((overlay: JsonObject): readonly BranchFault[] => {
      const [first, ...others] = FILLINGS;
      return others.reduce(
        (left, filling) => {
          const again = left.length === 0 ? [] : rejections(overlay, filling, known);
          return left.filter(({ steps }) => again.some((each) => jsonEqual(each.steps, steps)));
        },
        rejections(overlay, first, known),
      );
    }),
  // What is found is kept with the overlays.
  { longest: 1_000_000, bytesOf: () => 0 },
);

/** Fields that a Pod does not have, and values of another type. */
const schemaFaults = memoizeObject((overlay: JsonObject): readonly BranchFault[] => {
  const [filling] = FILLINGS;
  return overlayFaults(fillUnknown(overlay, filling)).flatMap(({ steps, reason }) => {
    const before = stepsBefore(overlay, steps, filling);
    return isPodsOwn(overlay, before) ? [] : [{ steps: before, reason }];
  });
});

/** What an API server rejects in a typical pod with the overlay. */
function rejections(overlay: JsonObject, filling: Filling, known: KnownNames): readonly BranchFault[] {
  const from = { name: "", overlay: fillUnknown(overlay, filling) };
  const author = typicalAuthor(from.overlay, filling, known);
  const faultsWith = (_: string, written: JsonObject) => {
    const pod = strategicMerge(author as JsonObject, written) as Pod;
    return injectedFaults(pod, author, [{ ...from, overlay: written }]);
  };
  try {
    const found = faultsWith("", from.overlay);
    if (found.length === 0) return [];
    const blamed = blameEntries(blameDeletions(found, [from], faultsWith), [from], faultsWith);
    return blamed.flatMap((fault) => branchFaults(fault, overlay, filling));
  } catch (error) {
    if (!isOwnError(error, "overlay-invalid")) throw error;
    const steps = stepsBefore(overlay, parseFieldPath(error.path ?? "spec"), filling);
    return isPodsOwn(overlay, steps) ? [] : [{ steps, reason: error.message }];
  }
}

/** The fault in terms of the branch; none where the pod decides it, or no entry of the branch is its cause. */
function branchFaults(
  { from, steps, code, reason, isUnread, deletes, cause }: InjectedFault<Written>,
  overlay: JsonObject,
  filling: Filling,
): readonly BranchFault[] {
  const own = from === undefined ? cause?.steps : steps;
  if (own === undefined) return [];
  const before = stepsBefore(overlay, own, filling);
  if (isPodsOwn(overlay, before) || (deletes === undefined && isOpen(overlay, before, code))) return [];
  const rejects = `${isUnread ? "a pod with it cannot start" : "an API server rejects a pod with it"}: ${reason}`;
  if (deletes !== undefined)
    return [{ steps: before, reason: `it deletes ${deletes}`, said: `it deletes ${deletes}, so ${rejects}` }];
  const part = code === "required" ? partAt(overlay, before) : undefined;
  if (code !== "not-found" && part === undefined) return [{ steps: before, reason, said: rejects }];
  const missing = part === undefined ? "has it: correct the name" : `has this ${part}: complete it`;
  const remedy = `no other template and no sample ${missing}, or add a sample of the pods that bring it`;
  return [{ steps: before, reason, said: `${reason}; ${remedy}`, isReference: true }];
}

/** What the steps lead to, if it may be a part of what another template or the pod has: a container without an image, or a volume. */
function partAt(overlay: JsonObject, steps: FieldPath): "container" | "volume" | undefined {
  if (steps[1] === "volumes" && steps.length > 3) return "volume";
  return steps.length === 3 && isPart(overlay, steps) ? "container" : undefined;
}

/** Whether a pod decides the field, or the name of the entry. */
function isPodsOwn(overlay: JsonObject, steps: FieldPath): boolean {
  return steps.some(hasUnknown) || hasUnknown(valueAt(overlay, steps)) || IN_REQUEST.includes(formatFieldPath(steps));
}

/** What has to agree with the request of the pod. */
const IN_REQUEST: readonly string[] = ["metadata.namespace", "metadata.name"];

/** Whether another template, or the pod, has what is missing here: the rest of a probe, a volume that a loop writes. */
function isOpen(overlay: JsonObject, steps: FieldPath, code: string): boolean {
  if (code === "not-found") return hasUnknownName(valueAt(overlay["spec"], ["volumes"]));
  const [, list = "", at = "", ...inner] = steps;
  // Such annotations name containers, which may be the pod's: `container.apparmor.security.beta.kubernetes.io/web`.
  if (list === "annotations") return /^container\./.test(String(at));
  const isOfPart = code === "required" && isPart(overlay, steps);
  return isOfPart && inner.length > 0 && !inner.some((step) => typeof step === "number");
}

/** Whether the steps lead into a container without an image: of another template, or of the pod. */
function isPart({ spec }: JsonObject, [, list = "", at = ""]: FieldPath): boolean {
  const container = ["containers", "initContainers"].includes(String(list)) ? valueAt(spec, [list, at]) : undefined;
  return isObject(container) && container["image"] === undefined;
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
