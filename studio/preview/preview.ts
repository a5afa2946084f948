// Previews one pod: compiles the tree without its samples, which is what takes long, and injects the pod that is asked for.

import { type ErrorCode, type JsonObject, memoizeJson, type OutriggerError, ownError } from "@outrigger/base";
import type { InjectRequest, NamedPod } from "@outrigger/injector";
import { errorFinding, injectPod } from "@outrigger/injector";
import { formatYaml } from "@outrigger/yaml";
import { changeTree } from "./change-tree.ts";
import { chosenPods } from "./chosen-pods.ts";
import type { CompiledTrees, TracedInjector } from "./compile-trees.ts";
import {
  type Decided,
  type Outcome,
  type PreviewAnswer,
  type PreviewQuestion,
  previewKey,
  type Trees,
} from "./question.ts";

/** What a preview has injected, to ask more about it. */
export interface Previewed {
  readonly traced: TracedInjector;
  readonly request: InjectRequest;
}

/**
 * @param compile as createCompiler makes it
 * @param now a clock, in milliseconds
 * @param keep called with what is injected
 */
export function preview(
  question: PreviewQuestion,
  compile: (trees: Trees) => CompiledTrees,
  now: () => number,
  keep: (previewed: Previewed) => void = () => {},
): PreviewAnswer {
  const { findings, traced, took: compileTime } = compile(question);
  const started = now();
  const about = { kind: "preview", key: previewKey(question) } as const;
  const took = () => ({ compile: compileTime, inject: now() - started });
  try {
    const outcome = traced && outcomeOf(question, traced, keep);
    return { ...about, findings, outcome, took: took() };
  } catch (error) {
    const found = errorFinding(ownError(error), [question.shipped, question.own]);
    return { ...about, findings: [...findings, found], outcome: undefined, took: took() };
  }
}

/** What the pod's author answers for. Every other error is one of the tree, which keeps its last good preview. */
const AUTHORS: readonly ErrorCode[] = ["annotation-invalid", "template-unknown", "pod-invalid"];

function outcomeOf(question: PreviewQuestion, traced: TracedInjector, keep: (previewed: Previewed) => void): Outcome {
  const { against } = question;
  const about = { against: against?.number };
  let found: ReturnType<typeof chosenPods>;
  try {
    found = chosenPods(question);
  } catch (error) {
    return { pod: "", pods: 0, before: "", ...about, changes: [], edits: [], ...refusal(ownError(error)) };
  }
  const { pod: chosen, pods } = found;
  const before = textBefore(chosen.request.pod as JsonObject);
  const decided = decide(chosen, traced, keep);
  const after = decided.decision === "injected" ? decided.after : before;
  const changes = changeTree(before, after);
  // A base that injects nothing says so in a comment, and leaves the pod as it is.
  const base = against?.text.startsWith("#") === true ? before : against?.text;
  const edits = base === undefined ? [] : changeTree(base, after, "edits");
  return { ...about, pod: chosen.name, pods: pods.length, before, changes, edits, ...decided };
}

/** A key changes what the pod becomes, and not what it was. */
const textBefore = memoizeJson((pod: JsonObject) => formatYaml(pod), { longest: 1_000_000 });

function decide(chosen: NamedPod, traced: TracedInjector, keep: (previewed: Previewed) => void): Decided {
  try {
    const result = injectPod(traced.injector, chosen.request);
    const warnings = traced.warningsOf(chosen.request.pod, result);
    if (!result.injected) return { decision: "skipped", reason: result.reason, message: result.message, warnings };
    const { reason, templates, patchText } = result;
    const after = formatYaml(result.pod as JsonObject);
    keep({ traced, request: chosen.request });
    const patchBytes = new TextEncoder().encode(patchText).length;
    return { decision: "injected", reason, templates, warnings, after, patchBytes };
  } catch (error) {
    return refusal(ownError(error, ...AUTHORS));
  }
}

function refusal(error: OutriggerError) {
  return { decision: "refused", reason: error.code, message: error.message } as const;
}
