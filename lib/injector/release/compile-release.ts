// Source trees → a release, or the first error with its position in the tree; or everything that is wrong with it.

import { defined, OutriggerError } from "@outrigger/base";
import { examineTree } from "./examine-tree.ts";
import type { Release } from "./release.ts";
import type { SourceTree } from "./source-tree.ts";
import { errorFinding, sortFindings, type TreeFinding } from "./tree-finding.ts";

/**
 * Compiles layers of source trees, the lowest first: templates, partials and samples of a later layer replace those of the
 * same name, values are merged, config keys replaced, and mesh config is applied over the layers below. With
 * `defaults: none` in the config, values and mesh config below the last layer do not count.
 *
 * @throws OutriggerError with the path, line and column of the first error; lintTree returns all of them
 */
export function compileRelease(layers: readonly SourceTree[]): Release {
  const { release, errors } = examineTree(layers);
  const [first, ...others] = errors;
  if (first === undefined) return release as Release;
  if (others.length === 0) throw first;
  const { code, message, path, line, column } = first;
  const more = `${message}; ${others.length} more ${others.length === 1 ? "error" : "errors"}`;
  throw new OutriggerError(code, more, { ...defined({ path, line, column }), cause: first });
}

interface LintedTree {
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
