// What branches of templates would add that no sample takes, and that guardrails do not admit, with the template's line.
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
  loadRelease,
  type NamedPod,
  type Release,
  type SourceTree,
  samplePods,
  type TreeFinding,
  templateBranches,
  writtenTemplates,
} from "@outrigger/injector";
import { containersOf, formatFieldPath, strategicMerge } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";
import { ADDED_TO_AUTHOR, type Power } from "./fields.ts";
import { injectionPowers } from "./injection-powers.ts";
import { nameIn, nameOf, type Options } from "./judge-difference.ts";
import { isAdmitted, refused, refusedIn } from "./judge-injection.ts";
import { type Guardrails, powerText, remedyOf } from "./parse-guardrails.ts";

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

function branchesIn(release: Release, tree: SourceTree) {
  const injector = loadRelease(release);
  const names = writtenTemplates(release, Object.keys(tree));
  return { release, tree, injector, names, branches: templateBranches(release, injector, names) };
}

type Branches = ReturnType<typeof branchesIn>;

function powersOf({ release, tree, injector, names, branches }: Branches, options: Options): readonly BranchPower[] {
  const known = once(() => {
    const others = Object.keys(release.templates.templates).filter((name) => !names.includes(name));
    const all = [...branches, ...templateBranches(release, injector, others)];
    return new Set(all.flatMap(({ overlay }) => volumesOf(overlay)));
  });
  return branches.flatMap(({ overlay, locate }) => {
    const author = typicalAuthor(overlay, known);
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

/** Whether a pod decides it. A host path, a claim or a service account is one whichever it is. */
function isOpen({ kind, value }: Power): boolean {
  if (kind === "field") return Object.keys(ADDED_TO_AUTHOR).some((field) => value.endsWith(`.${field}[${UNKNOWN}]`));
  return value === UNKNOWN && !["hostPath", "claim", "serviceAccountName"].includes(kind);
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
const LABELS = `app version k8s-app app.kubernetes.io/name app.kubernetes.io/instance
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
    metadata: { labels: Object.fromEntries(LABELS.map((key) => [key, "author"])) },
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

/**
 * What of the branches of a tree the guardrails do not admit, on whatever pod.
 *
 * @returns one warning for each line
 */
export function guardBranches(guardrails: Guardrails, release: Release, tree: SourceTree): readonly TreeFinding[] {
  const { level, allowed } = guardrails;
  if (level === "off") return [];
  const branches = branchesIn(release, tree);
  const found = new Map<string, TreeFinding>();
  const options: Options = {
    isStrict: level === "restricted",
    isAdmitted: (power) => {
      const { kind, value } = power;
      if (kind === "escalation" || (value === UNKNOWN && allowed.has(kind))) return true;
      return value.includes(UNKNOWN) ? isAdmitted(guardrails, power) : refused(guardrails, power).length === 0;
    },
  };
  for (const { path, line, column, ...power } of powersOf(branches, options)) {
    for (const each of power.value.includes("*") ? [power] : refused(guardrails, power)) {
      const message = `No sample reaches it, but a pod may: ${powerText(each)} (${formatFieldPath(each.at)}) is not within the guardrails, and injecting that pod fails; ${remedyOf(each)}`;
      found.set(`${path}:${line} ${powerText(each)}`, { severity: "warning", path, line, column, message });
    }
  }
  return [...found.values(), ...collisions(guardrails, branches)];
}

/** What templates write over a label or annotation that pods may have too: a key without a prefix is the users', by Kubernetes' rule. */
function collisions(guardrails: Guardrails, { tree, injector, branches }: Branches): readonly TreeFinding[] {
  const found = new Map<string, TreeFinding>();
  for (const { template, overlay, locate } of branches) {
    const [{ request }] = samplePods([], [template]) as [NamedPod];
    const { metadata = {}, ...rest } = request.pod;
    for (const part of ["labels", "annotations"] as const) {
      for (const key of Object.keys(objectOf(objectOf(overlay["metadata"])[part]))) {
        const message = `Pods that have ${part} "${key}" of their own are not injected: write it behind {{#unless (lookup metadata.${part} "${key}")}}`;
        const place = locate(["metadata", part, key]);
        if (key.includes("/") || LABELS.includes(key) || found.has(message) || tree[place.path] === undefined) continue;
        const pod = { ...rest, metadata: { ...metadata, [part]: { ...metadata[part], [key]: "author" } } };
        if (refusedIn(guardrails, injector, { ...request, pod }).length === 0) continue;
        found.set(message, { severity: "warning", message, ...place });
      }
    }
  }
  return [...found.values()];
}
