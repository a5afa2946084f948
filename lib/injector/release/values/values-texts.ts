// Which texts a release's values come from.

import { tagOfValues } from "../istio-layers.ts";
import type { ReadConfig } from "../read/parse-config.ts";
import type { ReadLayer, SourceText } from "../read/read-tree.ts";

/**
 * The texts of the values, in the order in which they lie over each other: those of all layers, or of the highest alone where
 * the config says that its values are complete (`defaults: none`).
 */
export function valuesTexts(
  layers: readonly ReadLayer[],
  defaults: ReadConfig["config"]["defaults"],
): readonly SourceText[] {
  if (defaults !== "none") return layers.flatMap(({ values }) => values);
  return [...releaseTag(layers), ...layers.slice(-1).flatMap(({ values }) => values)];
}

/** Values that are complete may leave the tag to the release: it is no default value, and moves with the release. */
function releaseTag(layers: readonly ReadLayer[]): readonly SourceText[] {
  const tag = tagOfValues(layers.slice(0, -1).flatMap(({ values }) => values.map(({ value }) => value)));
  if (tag === undefined) return [];
  return [{ path: "values/01-release", text: `global:\n  tag: ${tag}\n`, value: { global: { tag } } }];
}
