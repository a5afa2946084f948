// Examines a whole tree with its samples, as publishing does, and measures what an edit, or the move of a channel, changes on
// them.

import { isObject, type JsonValue, OutriggerError, ownError } from "@outrigger/base";
import type { Injector, NamedPod, Release, SourceTree } from "@outrigger/injector";
import {
  admittedRequest,
  injectedText,
  lintSource,
  loadRelease,
  manifestPods,
  samplePods,
  traceValues,
} from "@outrigger/injector";
import { TEMPLATE_ROOTS } from "@outrigger/template";
import { structuredPatch } from "diff";
import { changedFields, changeKey } from "./change-counts.ts";
import { changeTree } from "./change-tree.ts";
import { workloadPod } from "./preview.ts";
import type {
  Change,
  ClusterWorkload,
  CompareAnswer,
  CompareQuestion,
  ExamineAnswer,
  ExamineQuestion,
  Impact,
  TemplateNames,
} from "./question.ts";

export function examine(question: ExamineQuestion): ExamineAnswer {
  const { shipped, own, saved } = question;
  const { findings, release: after } = lintSource([shipped, own]);
  const before = after && lintSource([shipped, saved]).release;
  const names = after && templateNames(after, [shipped, own]);
  const impacts = after && before && compareReleases({ ...question, before, after });
  return { findings, names, impact: impacts?.impact, clusterImpact: impacts?.clusterImpact };
}

/** @throws OutriggerError `release-unsupported`, or `tree-invalid` where the trees have errors */
export function compare(question: CompareQuestion): CompareAnswer {
  const after = question.after ?? lintSource([question.shipped, question.own]).release;
  if (after === undefined) throw new OutriggerError("tree-invalid", "The files have errors");
  return compareReleases({ ...question, after });
}

function compareReleases(question: Omit<CompareQuestion, "kind"> & { readonly after: Release }): CompareAnswer {
  const { shipped, own, manifests, workloads } = question;
  const [before, after] = [loadRelease(question.before), loadRelease(question.after)];
  const brought = manifests.flatMap((text) => orNone(() => manifestPods([{ text, source: "the manifest" }])));
  const admitted = brought.map(({ name, request }) => ({ name, request: admittedRequest(request) }));
  const pods = [...samplePods([shipped, own]), ...admitted].map((pod) => ({ ...pod, pods: 1 }));
  const impact = impactOf(pods, before, after);
  const clusterImpact = workloads.length === 0 ? undefined : impactOf(workloads.flatMap(running), before, after);
  return { impact, clusterImpact };
}

/** A workload whose pods run and are sent to the webhook. */
function running(workload: ClusterWorkload): readonly CountedPod[] {
  if (!workload.isSent || workload.pods === 0) return [];
  return orNone(() => [{ ...workloadPod(workload), pods: workload.pods }]);
}

/** What cannot be read, a workload of a newer API or a manifest, is reported by its preview. */
function orNone<Pod>(read: () => readonly Pod[]): readonly Pod[] {
  try {
    return read();
  } catch (error) {
    ownError(error);
    return [];
  }
}

/** Fields of the pod and its workload that templates read most; lib/injector/render/template-data.ts makes them. */
const POD_FIELDS: readonly string[] = [
  ...["name", "namespace", "labels", "annotations"].map((field) => `metadata.${field}`),
  ...["containers", "initContainers", "serviceAccountName"].map((field) => `spec.${field}`),
  ...["name", "namespace", "kind", "apiVersion"].map((field) => `owner.${field}`),
];

function templateNames({ values, meshConfig }: Release, layers: readonly SourceTree[]): TemplateNames {
  const trees = { values, meshConfig, proxyConfig: meshConfig.defaultConfig };
  const paths = Object.entries(trees).flatMap(([root, value]) => pathsIn(value, root));
  const known = traceValues(layers).map(({ steps, value, ...place }) => {
    return { ...place, name: steps.join("."), text: JSON.stringify(value) };
  });
  return { paths: [...new Set([...POD_FIELDS, ...TEMPLATE_ROOTS, ...paths])], values: known };
}

/** The paths of all entries that a template can write without quotes. */
function pathsIn(value: JsonValue | undefined, path: string): readonly string[] {
  if (!isObject(value)) return [path];
  const entries = Object.entries(value).filter(([key]) => /^\w+$/.test(key));
  return [path, ...entries.flatMap(([key, inner]) => pathsIn(inner, `${path}.${key}`))];
}

// What an edit changes, grouped by identical change: 400 pods read as a few diffs.
interface CountedPod extends NamedPod {
  /** The number of pods that are like this one. */
  readonly pods: number;
}

/** Pods whose diffs add and remove the same lines, their own names aside, change in the same way. */
function impactOf(pods: readonly CountedPod[], before: Injector, after: Injector): Impact {
  let unchanged = 0;
  const changes = new Map<string, Change>();
  for (const { name, request, pods: count } of pods) {
    const [old, edited] = [injectedText(before, request), injectedText(after, request)];
    if (old === edited) {
      unchanged += count;
      continue;
    }
    const diff = differing(old, edited);
    // The record of the injection repeats the other changes, with the fields that the pod itself has.
    const others = diff.filter((line) => !line.includes("sidecar.istio.io/status:"));
    const own = [request.owner?.name ?? "", request.pod.metadata?.name ?? ""].filter((one) => one !== "");
    const key = own.reduce((text, one) => text.replaceAll(one, "…"), (others.length === 0 ? diff : others).join("\n"));
    const { names = [], pods: known = 0, ...first } = changes.get(key) ?? {};
    const fields = changedFields(changeTree(old, edited, "edits")).map(changeKey);
    const shown = { before: old, after: edited, fields, ...first };
    changes.set(key, { ...shown, names: [...names, name], pods: known + count });
  }
  return { unchanged, changes: [...changes.values()] };
}

function differing(old: string, edited: string): readonly string[] {
  const { hunks } = structuredPatch("", "", old, edited, "", "", { context: 0 });
  return hunks.flatMap(({ lines }) => lines.filter((line) => /^[+-]/.test(line)));
}
