// Everything that keeps a source tree from being published: what does not compile, and what Parameter Store would refuse to keep.

import { lintTree } from "./compile-release.ts";
import type { SourceTree } from "./source-tree.ts";
import { storeFindings } from "./stored/stored-text.ts";
import { sortFindings } from "./tree-finding.ts";

/**
 * Lints layers of trees, the lowest first: lint, the studio, its previews, push and publish ask this. The last tree is the one that is
 * kept in Parameter Store: what is refused there is an error although it compiles.
 *
 * @param isQuick branches that no sample takes are not read: a preview follows each key
 * @returns findings in the order of paths and positions
 * @example
 * ```ts
 * lintSource([{ config: "polcy: enabled" }]).findings[0]?.path // => "config.polcy"
 * lintSource([{ "values/10": "a: {b: {c: 1}}" }]).findings.at(-1)?.severity // => "error"
 * ```
 */
export function lintSource(layers: readonly SourceTree[], isQuick = false): ReturnType<typeof lintTree> {
  const { findings, ...linted } = lintTree(layers, isQuick);
  return { findings: sortFindings([...findings, ...storeFindings(layers.at(-1) ?? {}, findings)]), ...linted };
}
