// What a release would add that guardrails do not admit, with the template's line: to its samples and a pod for each template and
// alias, and in branches that none of these takes.

import { type FieldPath, isObject, type JsonObject, objectOf, ownError, textOf } from "@outrigger/base";
import {
  annotationKeys,
  type InjectRequest,
  injectPod,
  loadRelease,
  type Release,
  type SourceTree,
  samplePods,
  templateBranches,
  traceInjection,
} from "@outrigger/injector";
import { UNKNOWN } from "@outrigger/template";
import { containersOf, imagePowers, isAdmitted, judgeInjection, judgesImages } from "./judge-injection.ts";
import type { Guardrails } from "./parse-guardrails.ts";
import {
  annotatedPowers,
  grantedPowers,
  type Power,
  podPowers,
  variableSources,
  volumeSources,
  volumeTypes,
} from "./powers.ts";
import { reportInto, type Violation, violation } from "./violation.ts";

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
  for (const request of requestsFor(release, layers)) {
    const violations = violationsOf(request);
    const trace =
      violations.length === 0 ? undefined : traceInjection({ injector, compiled: release.templates }, request);
    for (const violation of violations) {
      const origin = trace && originAt(trace.origins, violation.steps);
      const place =
        origin?.kind === "template"
          ? { path: origin.path, line: origin.line, column: origin.column }
          : { path: "config" };
      const message = `Cannot use what it adds to pods: ${violation.what} (${violation.path}) is not within the guardrails; change it, or add ${violation.entry} to the setting guardrails and deploy`;
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
      return result.injected ? judgeInjection(guardrails, request.pod as JsonObject, result.pod as JsonObject) : [];
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

function requestsFor({ templates, config }: Release, layers: readonly SourceTree[]): readonly InjectRequest[] {
  const isAsking = ({ pod }: InjectRequest) => pod.metadata?.annotations?.[annotationKeys.templates] !== undefined;
  const samples = layers.flatMap((layer, index) =>
    samplePods([layer])
      .map(({ request }) => request)
      .filter((request) => index === layers.length - 1 || !isAsking(request)),
  );
  // What is shipped and asked for by nobody is judged with the first pod that asks: at `restricted`, gRPC agents and gateways are not admitted.
  const own = Object.keys(templates.templates).filter((name) => layers.at(-1)?.[`templates/${name}`] !== undefined);
  const aliases = Object.entries(config.aliases).filter(([, of]) => of.some((name) => own.includes(name)));
  const asking = samplePods([], [...own, ...aliases.map(([alias]) => alias)]).map(({ request }) => request);
  return [...samples, ...asking];
}

/**
 * Takes each branch of the templates and judges the constants that a tree writes in it. What depends on a pod is judged when that
 * pod is injected.
 *
 * @param tree the texts that are reported: the shipped ones have a branch for debugging that `baseline` does not admit
 * @returns one finding for each line
 */
export function guardBranches(guardrails: Guardrails, release: Release, tree: SourceTree): readonly GuardFinding[] {
  if (guardrails.level === "off") return [];
  const injector = loadRelease(release);
  const found = new Map<string, GuardFinding>();
  for (const name of Object.keys(release.templates.templates)) {
    for (const { overlay, locate } of templateBranches(release, injector, name)) {
      if (!isObject(overlay)) continue;
      for (const { steps, what, path: field, entry } of judgeConstants(guardrails, overlay, UNKNOWN)) {
        const { path, line, column } = locate(steps);
        if (tree[path] === undefined) continue;
        const message = `No sample comes to it, but a pod may: ${what} (${field}) is not within the guardrails, and injecting that pod fails; change it, or add ${entry} to the setting guardrails and deploy`;
        found.set(`${path}:${line} ${what}`, { message, path, line, column });
      }
    }
  }
  return [...found.values()];
}

/**
 * What of a template's constants the guardrails do not admit, on whatever pod. A value that depends on the pod is not judged, but
 * a host path is one wherever it leads.
 *
 * @param unknown the text in place of such a value
 */
function judgeConstants(guardrails: Guardrails, overlay: JsonObject, unknown: string): readonly Violation[] {
  const spec = objectOf(overlay["spec"]);
  const found: Violation[] = [];
  const report = reportInto(found);
  const judge = (powers: readonly Power[], base: FieldPath, container?: string) => {
    for (const power of powers) if (!isAllowed(power, container)) report(violation(power, base));
  };
  for (const [name, { container, steps }] of containersOf(spec)) {
    judge([...grantedPowers(container, spec), ...variableSources(container)], steps, name);
    const image = textOf(container["image"]) ?? "";
    if (judgesImages(guardrails) && image !== "") judge(imagePowers(guardrails, image), [...steps, "image"]);
  }
  judge([...podPowers(spec), ...volumeTypes(spec), ...volumeSources(spec)], ["spec"]);
  judge(annotatedPowers(objectOf(overlay["metadata"])), ["metadata"]);
  return found;

  function isAllowed(power: Power, container: string | undefined): boolean {
    if (!power.value.includes(unknown)) return isAdmitted(guardrails, power, container);
    return power.kind !== "hostPath" || guardrails.allowed.has("hostPath") || isAdmitted(guardrails, power, container);
  }
}
