// What a release would add that guardrails do not admit, with the template's line: to its samples and a pod for each template and
// alias, and in branches that none of these takes.

import {
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  objectOf,
  objectsOf,
  ownError,
  textOf,
} from "@outrigger/base";
import {
  annotationKeys,
  type InjectRequest,
  injectPod,
  loadRelease,
  type NamedPod,
  ownerOf,
  type Release,
  type SourceTree,
  samplePods,
  templateBranches,
  traceInjection,
} from "@outrigger/injector";
import { formatFieldPath, strategicMerge } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";
import { injectionPowers } from "./injection-powers.ts";
import { judgeInjection, refused } from "./judge-injection.ts";
import type { Guardrails } from "./parse-guardrails.ts";
import type { Power } from "./powers.ts";
import { type Violation, violationOf } from "./violation.ts";

/** A violation, and the text that wrote it. */
interface GuardFinding {
  readonly message: string;
  /** Path in the tree; the config where no line is known. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

/**
 * Injects the samples, and a pod that asks for each template, and judges what comes out.
 *
 * @param layers the shipped tree, and the one over it
 * @returns one finding for each place that adds something; none where everything is admitted
 */
export function guardRelease(
  guardrails: Guardrails,
  release: Release,
  layers: readonly SourceTree[],
): readonly GuardFinding[] {
  if (guardrails.level === "off") return [];
  const injector = loadRelease(release);
  const found = new Map<string, GuardFinding>();
  for (const { name, request } of requestsFor(release, layers)) {
    const violations = violationsOf(request);
    const trace =
      violations.length === 0 ? undefined : traceInjection({ injector, compiled: release.templates }, request);
    for (const violation of violations) {
      const origin = trace && originAt(trace.origins, violation.steps);
      const place =
        origin?.kind === "template"
          ? { path: origin.path, line: origin.line, column: origin.column }
          : { path: "config" };
      const message = `Cannot use what it adds to pods: ${violation.what} (${violation.path}) is not within the guardrails for ${name}; ${violation.remedy}`;
      found.set(`${place.path}:${origin?.kind === "template" ? origin.line : ""} ${violation.what}`, {
        ...place,
        message,
      });
    }
  }
  return [...found.values()];

  function violationsOf(request: InjectRequest): readonly Violation[] {
    try {
      const result = injectPod(injector, request);
      if (!result.injected) return [];
      const { author, pod } = result;
      const { name, generateName } = author.metadata ?? {};
      const names = [generateName, name, ownerOf(author.metadata ?? {}).name, author.spec?.serviceAccountName];
      return judgeInjection(guardrails, author as JsonObject, pod as JsonObject).map((power) =>
        violationOf(
          power,
          names.filter((each) => each !== undefined),
        ),
      );
    } catch (error) {
      // A pod that is denied gets nothing.
      ownError(error);
      return [];
    }
  }
}

type Origins = NonNullable<ReturnType<typeof traceInjection>>["origins"];

function originAt(origins: Origins, steps: FieldPath): Origins["own"] {
  let at = origins;
  for (const step of steps) {
    const inner = at.children.get(step);
    if (inner === undefined) break;
    at = inner;
  }
  return at.own;
}

function requestsFor({ templates, config }: Release, layers: readonly SourceTree[]): readonly NamedPod[] {
  const isAsking = ({ request: { pod } }: NamedPod) =>
    pod.metadata?.annotations?.[annotationKeys.templates] !== undefined;
  const samples = layers.flatMap((layer, index) =>
    samplePods([layer]).filter((sample) => index === layers.length - 1 || !isAsking(sample)),
  );
  // What is shipped and asked for by nobody is judged with the first pod that asks: at `restricted`, gRPC agents and gateways are not admitted.
  const own = Object.keys(templates.templates).filter((name) => layers.at(-1)?.[`templates/${name}`] !== undefined);
  const aliases = Object.entries(config.aliases).filter(([, of]) => of.some((name) => own.includes(name)));
  const asking = samplePods([], [...own, ...aliases.map(([alias]) => alias)]);
  return [...samples, ...asking];
}

/** What a branch would add to a pod, and the line that writes it. */
export interface BranchPower {
  readonly power: Power;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Takes each branch of the templates with a pod that has what most pods have. What depends on another pod is judged when that pod
 * is injected.
 *
 * @param tree the texts that count: the shipped ones have a branch for debugging that `baseline` does not admit
 * @param isStrict whether what containers are not kept from counts
 */
export function branchPowers(release: Release, tree: SourceTree, isStrict = false): readonly BranchPower[] {
  if (!Object.keys(tree).some((path) => /^(templates|partials)\//.test(path))) return [];
  const injector = loadRelease(release);
  const branches = Object.keys(release.templates.templates).flatMap((name) =>
    templateBranches(release, injector, name).flatMap(({ overlay, locate }) =>
      isObject(overlay) ? [{ overlay, locate }] : [],
    ),
  );
  const volumes = new Set(
    branches.flatMap(({ overlay }) => objectsOf(objectOf(overlay["spec"])["volumes"]).map(nameOf)),
  );
  return branches.flatMap(({ overlay, locate }) => {
    const author = typicalAuthor(overlay, volumes);
    const injected = mergedWith(author, withoutUnknownItems(overlay) as JsonObject);
    if (injected === undefined) return [];
    return [...injectionPowers(author, injected, { isStrict }), ...removals(overlay, [])].flatMap((power) => {
      const place = locate(stepsIn(overlay, power.at, injected));
      // A value that the pod decides is not judged, but a host path is one wherever it leads.
      const isOpen = power.value.includes(UNKNOWN) && !["hostPath", "field", "deletion"].includes(power.kind);
      if (isOpen || tree[place.path] === undefined) return [];
      return [{ power: { ...power, value: power.value.replaceAll(UNKNOWN, "*") }, ...place }];
    });
  });
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
const LABELS = [
  "app",
  "version",
  "k8s-app",
  ...["name", "instance", "version"].map((name) => `app.kubernetes.io/${name}`),
];

/**
 * A pod of an author with what an overlay may mean of it: a container that a template goes through or gives no image, and a
 * volume that no template has.
 */
function typicalAuthor({ spec }: JsonObject, known: ReadonlySet<string>): JsonObject {
  const containers = LISTS.flatMap((list) => objectsOf(objectOf(spec)[list]));
  const theirs = containers.filter((each) => each["image"] === undefined).map(nameOf);
  const mounted = containers.flatMap((each) => objectsOf(each["volumeMounts"]).map(nameOf));
  const missing = [...new Set(mounted)].filter((name) => name !== "" && name !== UNKNOWN && !known.has(name));
  return {
    metadata: { labels: Object.fromEntries(LABELS.map((key) => [key, "author"])) },
    spec: {
      containers: [...new Set([UNKNOWN, ...theirs])].map((name) => ({ name, image: "author" })),
      volumes: missing.map((name) => ({ name, secret: { secretName: "*" } })),
    },
  };
}

const LISTS = ["initContainers", "containers"] as const;

function nameOf({ name }: JsonObject): string {
  return textOf(name) ?? "";
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
  let [mine, theirs]: (JsonValue | undefined)[] = [overlay, injected];
  return steps.map((step) => {
    if (typeof step === "string") {
      [mine, theirs] = [objectOf(mine)[step], objectOf(theirs)[step]];
      return step;
    }
    const item = Array.isArray(theirs) ? theirs[step] : undefined;
    const list = Array.isArray(mine) ? mine : [];
    const key = ["name", "mountPath", "containerPort"].find((field) => objectOf(item)[field] !== undefined) ?? "";
    const same = list.findIndex((each) => key !== "" && objectOf(each)[key] === objectOf(item)[key]);
    const index = same === -1 ? Math.min(step, Math.max(list.length - 1, 0)) : same;
    [mine, theirs] = [list[index], item];
    return index;
  });
}

/**
 * What of the branches of a tree the guardrails do not admit, on whatever pod.
 *
 * @returns one finding for each line
 */
export function guardBranches(guardrails: Guardrails, release: Release, tree: SourceTree): readonly GuardFinding[] {
  if (guardrails.level === "off") return [];
  const found = new Map<string, GuardFinding>();
  for (const { power, path, line, column } of branchPowers(release, tree, guardrails.level === "restricted")) {
    if (power.kind === "escalation" || (power.value.includes("*") && guardrails.allowed.has(power.kind))) continue;
    for (const { what, path: field, remedy } of refused(guardrails, power).map((each) => violationOf(each))) {
      const message = `No sample reaches it, but a pod may: ${what} (${field}) is not within the guardrails, and injecting that pod fails; ${remedy}`;
      found.set(`${path}:${line} ${what}`, { message, path, line, column });
    }
  }
  return [...found.values()];
}
