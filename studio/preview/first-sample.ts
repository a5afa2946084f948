// Which pod is previewed until the reader chooses one.

import type { PodChoice } from "./question.ts";

export const DEFAULT_NAMESPACE = "default";

const SAMPLES = "samples/";

/** @param paths of all entries of a tree */
export function firstSample(paths: readonly string[]): PodChoice & { readonly kind: "sample" } {
  const samples = paths.filter((path) => path.startsWith(SAMPLES)).sort();
  const first = samples.find((path) => path.endsWith("/deployment-pod")) ?? samples[0] ?? SAMPLES;
  return { kind: "sample", name: first.slice(SAMPLES.length) };
}
