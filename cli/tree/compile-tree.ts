import { compileRelease, type Release, type SourceTree } from "@outrigger/injector";
import { treeDigest } from "@outrigger/publisher";

type Layers = readonly SourceTree[];

/**
 * Compiles layers of trees, the lowest first. The build has compiled and examined the shipped templates: with nothing over them that need
 * not be done again, unless they were edited since.
 *
 * @throws OutriggerError with the place of the first error
 */
export async function compileTree(layers: Layers): Promise<Release> {
  return areAlone(layers) ? (await treeCompiler())(layers) : compileRelease(layers);
}

/** Returns the same for who cannot wait for it. */
export async function treeCompiler(compile: (layers: Layers) => Release = compileRelease) {
  const bundled = await import("outrigger:bundled-release");
  return (layers: Layers): Release =>
    areAlone(layers) && treeDigest(layers[0]) === bundled.treeDigest ? bundled.readRelease() : compile(layers);
}

/** Whether there is nothing over the lowest layer. */
function areAlone(layers: Layers): layers is readonly [SourceTree, ...SourceTree[]] {
  return layers.length > 0 && layers.slice(1).every((layer) => Object.keys(layer).length === 0);
}
