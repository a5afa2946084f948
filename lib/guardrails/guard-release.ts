// What a release would add to its samples, and to a pod for each template and alias, that guardrails do not admit, with the template's line.

import { type FieldPath, type JsonObject, ownError } from "@outrigger/base";
import {
  annotationKeys,
  type Injector,
  type InjectRequest,
  injectPod,
  loadRelease,
  type NamedPod,
  ownerOf,
  type Release,
  type SourceTree,
  samplePods,
  traceInjection,
} from "@outrigger/injector";
import { judgeInjection } from "./judge-injection.ts";
import type { Guardrails } from "./parse-guardrails.ts";
import { type Violation, violationOf } from "./violation.ts";

/** A violation, and the text that wrote it. */
export interface GuardFinding {
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
    const violations = violationsOf(guardrails, injector, request);
    if (violations.length === 0) continue;
    const trace = traceInjection({ injector, compiled: release.templates }, request);
    for (const { what, path: field, remedy, steps } of violations) {
      const origin = trace && originAt(trace.origins, steps);
      const { kind: _, ...place } = origin?.kind === "template" ? origin : { kind: "", path: "config" };
      const message = `Cannot use what it adds to pods: ${what} (${field}) is not within the guardrails for ${name}; ${remedy}`;
      // One finding for all values of a pattern; samples come first, and are what its author knows.
      const key = JSON.stringify([place, remedy.includes("*") ? remedy : what]);
      if (!found.has(key)) found.set(key, { ...place, message });
    }
  }
  return [...found.values()];
}

/** What the guardrails do not admit of a pod that is injected. */
export function violationsOf(guardrails: Guardrails, injector: Injector, request: InjectRequest): readonly Violation[] {
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
