// The source tree that is shipped: what the templates and defaults in templates/ are, for tests of any package.
import { fileURLToPath } from "node:url";
import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";

/** The shipped tree, with the layers of Istio's releases. */
export function shippedTree(): Promise<SourceTree> {
  return readSourceTree(fileURLToPath(new URL("../../templates", import.meta.url)));
}

/** The shipped tree without its samples: to try them is most of the time that compiling it takes. For tests of what no sample decides. */
export async function shippedTreeUntried(): Promise<SourceTree> {
  return untried(await shippedTree());
}

/** The tree without its samples. */
export function untried(tree: SourceTree): SourceTree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("samples/")));
}
