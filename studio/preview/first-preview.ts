// The preview that a page opens with, made by those who serve the page: it is on the screen before the page's own worker is there.

import { createCompiler, preview } from "./preview.ts";
import type { PodChoice, PreviewAnswer, Trees } from "./question.ts";

/**
 * Previews the pod that the page chooses first. The same trees as the last time are not compiled again.
 *
 * @returns what the page's worker answers for these trees
 */
export function createFirstPreview(): (trees: Trees) => PreviewAnswer {
  const compile = createCompiler();
  return ({ shipped, own }) => {
    const pod = firstSample([...Object.keys(shipped), ...Object.keys(own)]);
    const question = { kind: "preview", shipped, own, pod, namespace: OWN_NAMESPACE, against: undefined } as const;
    return preview(question, compile);
  };
}

// Which pod is previewed until the reader chooses one.
/** The reader has named no namespace: the pod has the one that it says, or `default`. */
export const OWN_NAMESPACE = "";

export const SAMPLES = "samples/";

/** @param paths of all entries of a tree */
export function firstSample(paths: readonly string[]): PodChoice & { readonly kind: "sample" } {
  const samples = paths.filter((path) => path.startsWith(SAMPLES)).sort();
  const first = samples.find((path) => path.endsWith("/deployment-pod")) ?? samples[0] ?? SAMPLES;
  return { kind: "sample", name: first.slice(SAMPLES.length) };
}
