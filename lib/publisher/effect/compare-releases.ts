// What a release would do to pods that the one before it does not: by class, with an example of each. Pure.
import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import {
  type Injector,
  type InjectRequest,
  injectPod,
  loadRelease,
  type Release,
  type SourceTree,
  samplePods,
} from "@outrigger/injector";
import { comparePods } from "./compare-pods.ts";
import { type Effect, firstOfEach } from "./effects.ts";

/**
 * Injects pods with both releases and compares them: the shipped samples, the tree's own, and a plain pod that asks for each
 * template and alias by name. A tree cannot replace the shipped samples here, so an edit does not choose what it is judged by.
 *
 * @param before what is served; it may be of an earlier version of Outrigger
 * @param layers the shipped tree, and the one over it
 * @returns one effect of each class, the gravest first; none where these pods come out the same
 * @throws OutriggerError `release-unsupported` where one of them cannot be loaded
 */
export function compareReleases(before: Release, after: Release, layers: readonly SourceTree[]): readonly Effect[] {
  const [was, is] = [loadRelease(before), loadRelease(after)];
  const asked = [...was.templates.names, ...Object.keys(was.config.aliases)];
  const pods = [...layers.flatMap((layer) => samplePods([layer])), ...samplePods([], asked)];
  return firstOfEach(
    pods.flatMap(({ name, request }) =>
      compareResults(outcomeOf(was, request), outcomeOf(is, request)).map((effect) => ({
        ...effect,
        example: `${name}: ${effect.example}`.slice(0, LONGEST_EXAMPLE),
      })),
    ),
  );
}

/** A record keeps an example of each class that is held. */
const LONGEST_EXAMPLE = 140;

interface Outcome {
  readonly pod?: JsonObject;
  /** Why it is not injected. */
  readonly reason?: string;
}

function compareResults(before: Outcome, after: Outcome): readonly Effect[] {
  if (before.pod !== undefined && after.pod !== undefined) return comparePods(before.pod, after.pod);
  if (before.pod !== undefined) return [{ name: "sidecar-gone", example: after.reason ?? "not injected" }];
  return after.pod === undefined ? [] : [{ name: "added", example: "injected" }];
}

/** An injection that fails injects nothing: the pod is denied, or the webhook's failurePolicy decides. */
function outcomeOf(injector: Injector, request: InjectRequest): Outcome {
  try {
    const result = injectPod(injector, request);
    return result.injected ? { pod: result.pod as JsonObject } : { reason: `not injected (${result.reason})` };
  } catch (error) {
    if (error instanceof OutriggerError) return { reason: `fails (${error.code})` };
    throw error;
  }
}
