// What the branches of a tree's templates would add to pods, whether a sample takes them or not, with the template's line.
import {
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  objectOf,
  objectsOf,
  once,
  ownError,
  valueAt,
} from "@outrigger/base";
import {
  type Injector,
  injectorOf,
  type Release,
  type SourceTree,
  templateBranches,
  writtenTemplates,
} from "@outrigger/injector";
import { containersOf, formatFieldPath, strategicMerge } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";
import { ADDED_TO_AUTHOR } from "./fields.ts";
import { injectionPowers } from "./injection-powers.ts";
import { nameIn, nameOf, type Options } from "./judge-difference.ts";
import { kindOf } from "./kinds.ts";
import type { Power } from "./power.ts";

/** What a branch would add to a pod, with `*` for what the pod decides of it, and the line that writes it. */
type BranchPower = Power & { readonly path: string; readonly line: number; readonly column: number };

/**
 * Takes each branch of the templates that a tree writes in, with a pod that has what most pods have. What depends on another pod is
 * judged when that pod is injected.
 *
 * @param tree the texts that count: the shipped ones have a branch for debugging that `baseline` does not admit
 * @param options without `isAdmitted`, values that only the pod decides are among what is found
 */
export function branchPowers(release: Release, tree: SourceTree, options: Options = {}): readonly BranchPower[] {
  return powersOf(branchesIn(release, tree), options);
}

/** The branches of the templates that a tree writes in, with what judging them needs. */
export interface Branches {
  readonly release: Release;
  readonly tree: SourceTree;
  readonly injector: Injector;
  /** The templates that the tree writes in. */
  readonly names: readonly string[];
  readonly branches: ReturnType<typeof templateBranches>;
  /** The branches of all templates. */
  readonly all: () => ReturnType<typeof templateBranches>;
  /** The names of the volumes of all templates. */
  readonly volumes: () => ReadonlySet<string>;
}

/** Returns each branch of the templates that a tree writes in. */
export function branchesIn(release: Release, tree: SourceTree): Branches {
  const injector = injectorOf(release);
  const names = writtenTemplates(release, Object.keys(tree));
  const branches = templateBranches(release, injector, names);
  const all = once(() => templateBranches(release, injector));
  const volumes = once(() => new Set(all().flatMap(({ overlay }) => volumesOf(overlay))));
  return { release, tree, injector, names, branches, all, volumes };
}

/**
 * The branches that one release has and another has not. Where a volume came or went, these are all: whether a branch mounts a volume of
 * the pod's depends on those of all templates.
 */
export function otherBranches(before: Branches, after: Branches): Branches {
  const [was, is] = [before.volumes(), after.volumes()];
  if (was.size !== is.size || [...is].some((name) => !was.has(name))) return after;
  // Templates with equal inputs have the same overlays.
  const known = new Set(before.branches.map(({ overlay }) => overlay));
  return { ...after, branches: after.branches.filter(({ overlay }) => !known.has(overlay)) };
}

/** Returns what branches would add to a pod that has what most pods have. */
export function powersOf({ release, tree, branches, volumes }: Branches, given: Options): readonly BranchPower[] {
  const options = { isCni: isCni(release), ...given };
  return branches.flatMap(({ overlay, locate }) => {
    const author = typicalAuthor(overlay, volumes);
    const injected = mergedWith(author, withoutUnknownItems(overlay) as JsonObject);
    if (injected === undefined) return [];
    const powers = [...injectionPowers(author, injected, options), ...removals(overlay, [])];
    return powers.flatMap((power) => {
      const { isAdmitted: admits } = options;
      if (admits !== undefined && (isOpen(power) || admits(power))) return [];
      const place = locate(stepsIn(overlay, power.at, injected));
      if (tree[place.path] === undefined) return [];
      return [{ ...power, value: power.value.replaceAll(UNKNOWN, "*"), ...place }];
    });
  });
}

/** Whether a plugin of the node captures traffic, as a release has it. */
export function isCni({ values }: Release): boolean {
  return objectOf(objectOf(values["pilot"])["cni"])["enabled"] === true;
}

/** Whether a pod decides a power, and no value of its kind counts without that pod. */
function isOpen({ kind, value }: Power): boolean {
  if (kind === "field") return Object.keys(ADDED_TO_AUTHOR).some((field) => value.endsWith(`.${field}[${UNKNOWN}]`));
  return value === UNKNOWN && !kindOf(kind).isAnyValueJudged;
}

/** An item that depends on the pod may be of any shape. */
function withoutUnknownItems(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) {
    const items = value.filter((item) => typeof item !== "string" || !item.includes(UNKNOWN));
    return items.map((item) => withoutUnknownItems(item) as JsonValue);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutUnknownItems(inner)]));
}

/** Undefined for an overlay that fits no pod: injecting with it fails. */
function mergedWith(author: JsonObject, overlay: JsonObject): JsonObject | undefined {
  try {
    return strategicMerge(author, overlay);
  } catch (error) {
    ownError(error, "overlay-invalid");
    return undefined;
  }
}

/** Labels that most pods have, and selectors name. */
export const COMMON_LABELS = `app version k8s-app app.kubernetes.io/name app.kubernetes.io/instance
  app.kubernetes.io/version`.split(/\s+/);

/**
 * A pod of an author with what an overlay may mean of it: a container that a template goes through or gives no image, and a
 * volume that no template has.
 */
function typicalAuthor(overlay: JsonObject, known: () => ReadonlySet<string>): JsonObject {
  const { initContainers, containers } = objectOf(overlay["spec"]);
  const theirs = (list: JsonValue | undefined, more: readonly string[] = []) => {
    const names = objectsOf(list).flatMap((each) => (each["image"] === undefined ? [nameIn(each)] : []));
    return [...new Set([...more, ...names])].map((name) => ({ name, image: "author" }));
  };
  const mounts = containersOf(overlay["spec"]).flatMap((each) => objectsOf(each["volumeMounts"]));
  const own = [...volumesOf(overlay), "", UNKNOWN];
  const missing = [...new Set(mounts.map(nameIn))].filter((name) => !own.includes(name) && !known().has(name));
  return {
    metadata: { labels: Object.fromEntries(COMMON_LABELS.map((key) => [key, "author"])) },
    spec: {
      initContainers: theirs(initContainers),
      containers: theirs(containers, [UNKNOWN]),
      volumes: missing.map((name) => ({ name, secret: { secretName: "*" } })),
    },
  };
}

function volumesOf({ spec }: JsonObject): readonly string[] {
  return objectsOf(objectOf(spec)["volumes"]).map(nameIn);
}

/** What an overlay takes away, whatever a pod has there. */
function removals(value: JsonValue | undefined, at: FieldPath): readonly Power[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => removals(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const steps = [...at, key];
    if (inner !== null && !key.startsWith("$")) return removals(inner, steps);
    return [{ kind: "field", value: formatFieldPath(steps), at: steps, effect: "author-changed" } as const];
  });
}

/** The steps of a field of the injected pod in the overlay: its lists have fewer items. */
function stepsIn(overlay: JsonObject, steps: FieldPath, injected: JsonObject): FieldPath {
  const own: (string | number)[] = [];
  for (const [depth, step] of steps.entries()) {
    const list = valueAt(overlay, own);
    const name = nameOf(valueAt(injected, steps.slice(0, depth + 1)));
    const same = name === undefined ? -1 : listOf(list).findIndex((each) => nameOf(each) === name);
    if (typeof step === "string") own.push(step);
    else own.push(same === -1 ? Math.min(step, Math.max(listOf(list).length - 1, 0)) : same);
  }
  return own;
}
