// Source trees → a release, or the first error with its position in the tree.

import { defined, OutriggerError } from "@outrigger/base";
import { examineTree } from "./examine-tree.ts";
import type { Release } from "./release.ts";
import type { SourceTree } from "./source-tree.ts";

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
