// What an edit changes, grouped by identical change: 400 pods read as a few diffs.

import type { Injector } from "@outrigger/injector";
import { injectedText, type NamedPod } from "@outrigger/injector";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Impact } from "./question.ts";

export interface CountedPod extends NamedPod {
  /** How many pods are like this one. */
  readonly pods: number;
}

/** Pods whose diffs add and remove the same lines, their own names aside, change in the same way. */
export function impactOf(pods: readonly CountedPod[], before: Injector, after: Injector): Impact {
  let unchanged = 0;
  const changes = new Map<
    string,
    { readonly names: readonly string[]; readonly pods: number; readonly diff: string }
  >();
  for (const { name, request, pods: count } of pods) {
    const [old, edited] = [injectedText(before, request), injectedText(after, request)];
    if (old === edited) {
      unchanged += count;
      continue;
    }
    const diff = createTwoFilesPatch("saved", "edited", old, edited, "", "", {
      context: 3,
      headerOptions: FILE_HEADERS_ONLY,
    });
    const key = changeOf(diff, [request.owner?.name, request.pod.metadata?.name]);
    const { names, pods: known, diff: first } = changes.get(key) ?? { names: [], pods: 0, diff };
    changes.set(key, { names: [...names, name], pods: known + count, diff: first });
  }
  return { unchanged, changes: [...changes.values()] };
}

/** The record of the injection repeats the other changes, with the fields that the pod itself has. */
const RECORD = "sidecar.istio.io/status:";

function changeOf(diff: string, own: readonly (string | undefined)[]): string {
  const lines = diff.split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line));
  const others = lines.filter((line) => !line.includes(RECORD));
  let change = (others.length === 0 ? lines : others).join("\n");
  for (const name of own) if (name !== undefined && name !== "") change = change.replaceAll(name, "…");
  return change;
}
