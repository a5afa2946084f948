// The shipped tree of one Istio release: the base, which is that of Istio's development line, and over it a layer for every
// release from the newest down to the one that is wanted. A layer holds what its release and all older ones do differently.

import { type JsonValue, memoize, objectOf, valueAt } from "@outrigger/base";
import { ISTIO_RELEASES, type IstioRelease, isIstioRelease } from "@outrigger/mesh";
import { parseYaml } from "@outrigger/yaml";
import type { ReadConfig } from "./read/parse-config.ts";
import type { ReadLayer } from "./read/read-tree.ts";
import type { SourceText } from "./read/source-text.ts";
import type { SourceTree } from "./source-tree.ts";
import { mergeValues } from "./values/merge-values.ts";

const FOLDER = "releases/";

/** Of the shipped tree, what a tree without a mesh has beneath it: pods as anybody's. */
const WITHOUT_MESH: readonly string[] = ["samples/plain-pod", "samples/deployment-pod"];

/**
 * Layers of trees with the shipped one, the lowest, resolved to the Istio release that the config of all layers names. Paths
 * `releases/<release>/…` mean something in the lowest layer only. Where a config above it says `mesh: none`, nothing but samples is left of it.
 *
 * @example
 * ```ts
 * withIstioRelease([{ "partials/a": "new", "releases/1.31/partials/a": "old" }, { config: 'istio: "1.30"' }])[0] // => { "partials/a": "old" }
 * withIstioRelease([{ "partials/a": "new", "releases/1.31/partials/a": "old" }])[0] // => { "partials/a": "new" }
 * ```
 */
export function withIstioRelease(layers: readonly SourceTree[]): readonly SourceTree[] {
  const [shipped = {}, ...others] = layers;
  if (isWithoutMesh(others)) return leftOfShipped(layers);
  if (!Object.keys(shipped).some((path) => path.startsWith(FOLDER))) return layers;
  // Of the last config that names one. What is wrong with a config is found when it is read.
  const release = layers.flatMap((layer) => istioOf(layer["config"] ?? "") ?? []).at(-1) ?? "development";
  return [treeOfRelease(shipped, release), ...others];
}

/** Layers of trees whose lowest, the shipped one, has what the config above it leaves: all, or with `mesh: none` samples alone. */
export function leftOfShipped(layers: readonly SourceTree[]): readonly SourceTree[] {
  const [shipped = {}, ...others] = layers;
  if (!isWithoutMesh(others)) return layers;
  return [Object.fromEntries(Object.entries(shipped).filter(([path]) => WITHOUT_MESH.includes(path))), ...others];
}

/** Whether the config of a tree, or of layers of trees, says `mesh: none`: the last one that says anything counts. */
export function isWithoutMesh(layers: readonly SourceTree[]): boolean {
  return layers.flatMap((layer) => meshOf(layer["config"] ?? "") ?? []).at(-1) === "none";
}

function treeOfRelease(shipped: SourceTree, release: IstioRelease): SourceTree {
  const entries = Object.entries(shipped);
  const base = entries.filter(([path]) => !path.startsWith(FOLDER));
  const older = [...ISTIO_RELEASES].reverse().slice(0, ISTIO_RELEASES.length - ISTIO_RELEASES.indexOf(release));
  const layered = older.flatMap((each) => {
    const prefix = `${FOLDER}${each}/`;
    return entries.flatMap(([path, text]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : []));
  });
  return Object.fromEntries([...base, ...layered]);
}

const istioOf = memoize((config): IstioRelease | undefined => {
  const istio = keyOf(config, "istio");
  return isIstioRelease(istio) ? istio : undefined;
});

const meshOf = memoize((config): JsonValue | undefined => keyOf(config, "mesh"));

function keyOf(config: string, key: string): JsonValue | undefined {
  if (!config.includes(key)) return undefined;
  try {
    return objectOf(parseYaml(config, "config"))[key];
  } catch {
    return undefined;
  }
}

/**
 * The texts of the values, in the order in which they lie over each other: those of all layers, or of the highest alone where
 * the config says that its values are complete (`defaults: none`).
 */
export function valuesTexts(layers: readonly ReadLayer[], defaults: ReadConfig["config"]["defaults"]) {
  if (defaults !== "none") return layers.flatMap(({ values }) => values);
  return [...releaseTag(layers), ...layers.slice(-1).flatMap(({ values }) => values)];
}

/** Values that are complete may leave the tag to the release: it is no default value, and moves with the release. */
function releaseTag(layers: readonly ReadLayer[]): readonly SourceText[] {
  const below = mergeValues(layers.slice(0, -1).flatMap(({ values }) => values.map(({ value }) => value)));
  const tag = valueAt(below, ["global", "tag"]);
  if (typeof tag !== "string") return [];
  return [{ path: "values/01-release", text: `global:\n  tag: ${tag}\n`, value: { global: { tag } } }];
}
