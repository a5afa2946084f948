// The chosen pod as another tree or release makes it.

import { OutriggerError } from "@outrigger/base";
import { injectedText, lintTree, loadRelease } from "@outrigger/injector";
import { chosenPods } from "./chosen-pods.ts";
import { withoutSamples } from "./compile-trees.ts";
import type { BaselineAnswer, BaselineQuestion } from "./question.ts";

export function baseline({ release, saved, pod, namespace, ...trees }: BaselineQuestion): BaselineAnswer {
  const { shipped } = trees;
  const base = release ?? lintTree([withoutSamples(shipped), withoutSamples(saved)]).release;
  if (base === undefined) return { kind: "baseline", text: "# the saved tree has errors\n" };
  try {
    const pods = chosenPods(pod, trees, namespace);
    const { request } = pods[pod.kind === "manifest" ? pod.index : 0] ?? (pods[0] as (typeof pods)[number]);
    return { kind: "baseline", text: injectedText(loadRelease(base), request) };
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return { kind: "baseline", text: `# ${error.message}\n` };
  }
}
