// The pods that the reader has chosen to preview: a sample, those of a manifest, or a workload of a cluster.

import { memoizeJson, OutriggerError } from "@outrigger/base";
import { decodePod, manifestPods, type NamedPod, type SourceTree, samplePods } from "@outrigger/injector";
import { textOf } from "../model/drafts.ts";
import type { Chosen, ClusterWorkload } from "./question.ts";

/**
 * The chosen pod, and all of its manifest.
 *
 * @throws OutriggerError where there is no pod
 */
export function chosenPods(chosen: Chosen): { readonly pod: NamedPod; readonly pods: readonly NamedPod[] } {
  const pods = podsOf(chosen);
  const index = chosen.pod.kind === "manifest" ? chosen.pod.index : 0;
  return { pod: pods[index] ?? (pods[0] as NamedPod), pods };
}

function podsOf({ pod: choice, shipped, own, namespace }: Chosen): readonly NamedPod[] {
  if (choice.kind === "workload") return [workloadPod(choice.workload)];
  if (choice.kind === "manifest") {
    return manifestPods([{ text: choice.text, source: "the manifest" }], { namespace });
  }
  const path = `samples/${choice.name}`;
  const text = textOf(own, path) ?? textOf(shipped, path);
  const found = text === null ? [] : podsOfSample({ [path]: text });
  if (found.length > 0) return found;
  throw new OutriggerError("manifest-invalid", `Cannot preview ${path}: it is not a pod`, { path });
}

/** A sample stays the same while templates are edited. */
const podsOfSample = memoizeJson((sample: SourceTree) => samplePods([sample]), { longest: 100_000 });

/** The pod that a workload of a cluster makes. */
export function workloadPod({ name, namespace, pod, owner, parameters }: ClusterWorkload): NamedPod {
  const request = { pod: decodePod(pod, "encoded"), namespace, parameters, owner };
  return { name: `${namespace}/${name}`, request };
}
