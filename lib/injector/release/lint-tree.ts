// Everything that is wrong with a tree, in one run. A tree without errors here is one that compileRelease compiles.

import { defined } from "@outrigger/base";
import { examineTree } from "./examine-tree.ts";
import type { Release } from "./release.ts";
import type { SourceTree } from "./source-tree.ts";
import { errorFinding, sortFindings, type TreeFinding } from "./tree-finding.ts";

export interface LintedTree {
  readonly findings: readonly TreeFinding[];
  /** The channel that a published edit goes to; the default where the config has an error. */
  readonly publishTo: string | undefined;
  /** The compiled tree; undefined if there are errors. */
  readonly release?: Release;
}

/**
 * Lints layers of trees, the lowest first, by the rules of compileRelease.
 *
 * @returns findings in the order of paths and positions
 * @example
 * ```ts
 * lintTree([{ "templates/a": "spec: {}" }]).findings // => []
 * lintTree([{ config: "polcy: enabled" }]).findings[0]?.path // => "config.polcy"
 * ```
 */
export function lintTree(layers: readonly SourceTree[]): LintedTree {
  const { errors, warnings, publishTo, release } = examineTree(layers);
  return {
    findings: sortFindings([...errors.map((error) => errorFinding(error)), ...warnings]),
    publishTo,
    ...defined({ release }),
  };
}
