// Compiles the trees of a question. A pod that is chosen again, and the first preview of a page whose trees have been compiled
// while it was loading, compile nothing.

import type { SourceTree, TreeFinding, traceInjection } from "@outrigger/injector";
import { lintTree, loadRelease, podWarnings } from "@outrigger/injector";
import type { Trees } from "./question.ts";

/** A loaded release, with its compiled templates, and what it warns of. */
export type TracedInjector = Parameters<typeof traceInjection>[0] & {
  readonly warningsOf: ReturnType<typeof podWarnings>;
};

export interface CompiledTrees {
  /** Findings of the templates, values and configuration: not of the samples, which take long. */
  readonly findings: readonly TreeFinding[];
  /** Undefined if the tree has errors. */
  readonly traced: TracedInjector | undefined;
  /** Milliseconds that compiling took. */
  readonly took: number;
}

/**
 * Compiles trees. The same trees as the last time are not compiled again.
 *
 * @param now a clock, in milliseconds
 */
export function createCompiler(now: () => number): (trees: Trees) => CompiledTrees {
  let last: { readonly layers: readonly SourceTree[]; readonly compiled: CompiledTrees } | undefined;
  return ({ shipped, own }) => {
    const layers = [withoutSamples(shipped), withoutSamples(own)];
    if (last !== undefined && isSame(last.layers, layers)) return last.compiled;
    last = undefined;
    const started = now();
    const { findings, release } = lintTree(layers, true);
    const traced = release && {
      injector: loadRelease(release),
      compiled: release.templates,
      warningsOf: podWarnings(release),
    };
    const compiled = { findings, traced, took: now() - started };
    last = { layers, compiled };
    return compiled;
  };
}

export function withoutSamples(tree: SourceTree): SourceTree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("samples/")));
}

function isSame(before: readonly SourceTree[], after: readonly SourceTree[]): boolean {
  return before.every((tree, index) => {
    const other = after[index] ?? {};
    const paths = Object.keys(tree);
    return paths.length === Object.keys(other).length && paths.every((path) => tree[path] === other[path]);
  });
}
