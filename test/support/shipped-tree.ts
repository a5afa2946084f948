// The source tree that is shipped: what the templates and defaults in templates/ are, for tests of any package.
import { fileURLToPath } from "node:url";
import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";

/** The shipped tree, with the layers of Istio's releases. */
export function shippedTree(): Promise<SourceTree> {
  return readSourceTree(fileURLToPath(new URL("../../templates", import.meta.url)));
}
