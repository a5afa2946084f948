// Previews one pod: compiles the tree without its samples, which is what takes long, and injects the pod that is asked for.

import { faultOf, isOwnError, type JsonObject, memoizeJson, OutriggerError, ownError } from "@outrigger/base";
import type { NamedPod, SourceTree, TreeFinding, traceInjection } from "@outrigger/injector";
import {
  admittedRequest,
  decodePod,
  errorFinding,
  injectPod,
  lintSource,
  loadRelease,
  manifestPods,
  podWarnings,
  samplePods,
} from "@outrigger/injector";
import { formatYaml } from "@outrigger/yaml";
import { textOf } from "../model/drafts.ts";
import { changeTree } from "./change-tree.ts";
import type { Chosen, ClusterWorkload, Decided, Outcome, PreviewAnswer, PreviewQuestion, Trees } from "./question.ts";
import { MANIFEST_NAME, previewKey } from "./question.ts";

/** A loaded release, with its compiled templates, and what it warns of. */
type TracedInjector = Parameters<typeof traceInjection>[0] & { readonly warningsOf: ReturnType<typeof podWarnings> };

interface CompiledTrees {
  /** Findings of the templates, values and configuration: not of the samples, which take long. */
  readonly findings: readonly TreeFinding[];
  /** Undefined if the tree has errors. */
  readonly traced: TracedInjector | undefined;
}

/** @param compile as createCompiler makes it */
export function preview(question: PreviewQuestion, compile: (trees: Trees) => CompiledTrees): PreviewAnswer {
  const { findings, traced } = compile(question);
  const key = previewKey(question);
  try {
    return { key, findings, outcome: traced && outcomeOf(question, traced) };
  } catch (error) {
    const found = errorFinding(ownError(error), [question.shipped, question.own]);
    return { key, findings: [...findings, found], outcome: undefined };
  }
}

/** Compiles trees. The same trees as the last time, whatever their samples, are not compiled again. */
export function createCompiler(): (trees: Trees) => CompiledTrees {
  let last: { readonly layers: readonly SourceTree[]; readonly compiled: CompiledTrees } | undefined;
  return ({ shipped, own }) => {
    const layers = [withoutSamples(shipped), withoutSamples(own)];
    if (last?.layers.every((tree, index) => isSameTree(tree, layers[index] ?? {}))) return last.compiled;
    last = undefined;
    const { findings, release } = lintSource(layers, true);
    const traced = release && {
      injector: loadRelease(release),
      compiled: release.templates,
      warningsOf: podWarnings(release),
    };
    const compiled = { findings, traced };
    last = { layers, compiled };
    return compiled;
  };
}

export function withoutSamples(tree: SourceTree): SourceTree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("samples/")));
}

/** Whether two trees have the same entries with the same texts. */
export function isSameTree(tree: SourceTree, other: SourceTree): boolean {
  const paths = Object.keys(tree);
  return paths.length === Object.keys(other).length && paths.every((path) => tree[path] === other[path]);
}

function outcomeOf(question: PreviewQuestion, traced: TracedInjector): Outcome {
  const { against } = question;
  const about = { against: against?.number };
  let found: ReturnType<typeof chosenPods>;
  try {
    found = chosenPods(question);
  } catch (error) {
    return { pods: 0, namespace: "", before: "", ...about, changes: [], edits: [], ...refusal(ownError(error)) };
  }
  const { pod: chosen, pods } = found;
  const before = textBefore(chosen.request.pod as JsonObject);
  const decided = decide(chosen, traced);
  const after = decided.decision === "injected" ? decided.after : before;
  const changes = changeTree(before, after);
  // A base that injects nothing says so in a comment, and leaves the pod as it is.
  const base = against?.text.startsWith("#") === true ? before : against?.text;
  const edits = base === undefined ? [] : changeTree(base, after, "edits");
  return { ...about, pods: pods.length, namespace: chosen.request.namespace, before, changes, edits, ...decided };
}

/** A key changes what the pod becomes, and not what it was. */
const textBefore = memoizeJson((pod: JsonObject) => formatYaml(pod), { longest: 1_000_000 });

function decide(chosen: NamedPod, traced: TracedInjector): Decided {
  try {
    const result = injectPod(traced.injector, chosen.request);
    const warnings = traced.warningsOf(chosen.request.pod, result);
    const { reason } = result;
    const { inject: label } = traced.injector.keys;
    if (!result.injected) return { decision: "skipped", reason, label, message: result.message, warnings };
    const { templates } = result;
    const after = formatYaml(result.pod as JsonObject);
    return { decision: "injected", reason, label, templates, warnings, after };
  } catch (error) {
    // Every other error is one of the tree, which keeps its last good preview.
    if (!isOwnError(error) || faultOf(error.code) !== "author") throw error;
    return refusal(error);
  }
}

function refusal(error: OutriggerError) {
  return { decision: "refused", reason: error.code, message: error.message } as const;
}

/**
 * The chosen pod, and all of its manifest.
 *
 * @throws OutriggerError where there is no pod
 */
export function chosenPods(chosen: Chosen): { readonly pod: NamedPod; readonly pods: readonly NamedPod[] } {
  const pods = podsOf(chosen).map((pod) => inNamespace(pod, chosen.namespace));
  const index = chosen.pod.kind === "manifest" ? chosen.pod.index : 0;
  return { pod: pods[index] ?? (pods[0] as NamedPod), pods };
}

/** The pod as if it were sent to another namespace; its owner is in the same one. */
function inNamespace({ name, request }: NamedPod, namespace: string): NamedPod {
  if (namespace === "") return { name, request };
  const { pod, owner } = request;
  const moved = { ...pod, metadata: { ...pod.metadata, namespace } };
  return { name, request: { ...request, pod: moved, namespace, ...(owner && { owner: { ...owner, namespace } }) } };
}

function podsOf({ pod: choice, shipped, own }: Chosen): readonly NamedPod[] {
  if (choice.kind === "workload") return [workloadPod(choice.workload)];
  if (choice.kind === "manifest") {
    const found = manifestPods([{ text: choice.text, source: MANIFEST_NAME }], { namespace: "default" });
    return found.map(({ name, request }) => ({ name, request: admittedRequest(request) }));
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
  return { name: `${namespace}/${name}`, request: admittedRequest(request) };
}
