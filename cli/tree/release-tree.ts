// Finding the texts that a release was made from: Parameter Store keeps a hundred versions of every parameter, and a
// release says which it was made of.

import { MAX_NAMES } from "@outrigger/aws";
import type { SourceTree } from "@outrigger/injector";
import type { parseOrigin } from "@outrigger/publisher";
import { fromStored, treeDigest } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";

/**
 * The source tree of a release, as it was published; undefined where a parameter was deleted since or has a hundred newer
 * versions, so that the tree is not the one that the release names.
 */
export async function releaseTree(
  { store, target }: Pick<Deployment, "store" | "target">,
  origin: ReturnType<typeof parseOrigin>,
): Promise<SourceTree | undefined> {
  if (origin?.sources === undefined) return undefined;
  const names = origin.sources.map((source) => {
    const at = source.lastIndexOf("@");
    return `${target.layout.sourceParameter(source.slice(0, at))}:${source.slice(at + 1)}`;
  });
  const texts: (readonly [string, string])[] = [];
  for (let index = 0; index < names.length; index += MAX_NAMES) {
    for (const { name, value } of await store.getParameters(names.slice(index, index + MAX_NAMES))) {
      const path = name.slice(target.layout.source.length + 1);
      texts.push([path, fromStored(value, name)]);
    }
  }
  const tree = Object.fromEntries(texts);
  return treeDigest(tree) === origin.tree ? tree : undefined;
}
