// What a release would add to its samples, and to a pod for each template and alias, that guardrails do not admit, with the template's line.
import { defined, type FieldPath, injectionKeys, type JsonObject, once } from "@outrigger/base";
import {
  injectorOf,
  type NamedPod,
  outcomeOf,
  type Release,
  type SourceTree,
  samplePods,
  type TreeFinding,
  traceInjection,
} from "@outrigger/injector";
import { formatFieldPath } from "@outrigger/pod";
import { branchPowers } from "./branch-powers.ts";
import { judgeInjection } from "./judge-injection.ts";
import { matchesPattern } from "./patterns.ts";
import { powerText, remedyOf } from "./power.ts";
import type { Guardrails } from "./read-guardrails.ts";

/**
 * Injects the samples, and a pod that asks for each template, and judges what comes out.
 *
 * @param layers the shipped tree, and the one over it
 * @returns one error for each place that adds something, in the config where no line is known; none where everything is admitted
 */
export function guardRelease(
  guardrails: Guardrails,
  release: Release,
  layers: readonly SourceTree[],
): readonly TreeFinding[] {
  if (guardrails.level === "off") return [];
  const injector = injectorOf(release);
  const written = once(() => branchPowers(release, Object.assign({}, ...layers)));
  const found = new Map<string, TreeFinding>();
  for (const { name, request } of requestsFor(release, layers)) {
    const { result } = outcomeOf(release, request);
    // A pod that is denied gets nothing.
    if (result?.injected !== true) continue;
    const powers = judgeInjection(guardrails, result.author as JsonObject, result.pod as JsonObject, injector);
    if (powers.length === 0) continue;
    const trace = traceInjection({ injector, compiled: release.templates }, request);
    for (const power of powers) {
      const origin = trace && originAt(trace.origins, power.at);
      const { path, line, column } = origin?.kind === "template" ? origin : { path: "config" };
      const place = { path, ...defined({ line, column }) };
      // What a template writes of a value, and what a pod decides of it.
      const branch = written().find(
        (each) =>
          each.kind === power.kind &&
          each.path === path &&
          each.line === line &&
          matchesPattern(each.value, power.value),
      );
      const remedy = remedyOf(branch ?? power);
      const message = `Cannot use what it adds to pods: ${powerText(power)} (${formatFieldPath(power.at)}) is not within the guardrails for ${name}; ${remedy}`;
      // One finding for all values of a pattern; samples come first, and are what its author knows.
      const key = JSON.stringify([place, remedy.includes("*") ? remedy : powerText(power)]);
      if (!found.has(key)) found.set(key, { severity: "error", ...place, message });
    }
  }
  return [...found.values()];
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

/** The samples, and a pod for each template and alias that a tree writes in. */
export function requestsFor({ templates, config }: Release, layers: readonly SourceTree[]): readonly NamedPod[] {
  const isAsking = ({ request: { pod } }: NamedPod) =>
    pod.metadata?.annotations?.[injectionKeys(config.injectionLabel).templates] !== undefined;
  const samples = layers.flatMap((layer, index) =>
    samplePods([layer]).filter((sample) => index === layers.length - 1 || !isAsking(sample)),
  );
  // What is shipped and asked for by nobody is judged with the first pod that asks: at `restricted`, gRPC agents and gateways are not admitted.
  const own = Object.keys(templates.templates).filter((name) => layers.at(-1)?.[`templates/${name}`] !== undefined);
  const aliases = Object.entries(config.aliases).filter(([, of]) => of.some((name) => own.includes(name)));
  const asking = samplePods([], [...own, ...aliases.map(([alias]) => alias)], config.injectionLabel);
  return [...samples, ...asking];
}
