// The source tree that is shipped: what the templates and defaults in templates/ are, for tests of any package.
import { fileURLToPath } from "node:url";
import { lintSource, type Release, type SourceTree } from "@outrigger/injector";
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

/**
 * Compiles layers without a trial on their samples, and without a look at the branches that no sample takes. These two are most of the work: they
 * find mistakes, and change nothing in a release but the shapes that it ships.
 *
 * @throws Error with all findings, where the layers do not compile
 */
export function compileUntried(layers: readonly SourceTree[]): Release {
  const { release, findings } = lintSource(layers.map(untried), true);
  if (release === undefined) throw new Error(JSON.stringify(findings.filter(({ severity }) => severity === "error")));
  return release;
}
