// The texts of templates/, as they were when a function was bundled (scripts/build.ts) or tested (vitest.config.ts):
// there is no file behind this name.
declare module "outrigger:shipped-tree" {
  import type { SourceTree } from "@outrigger/injector";

  export const tree: SourceTree;
}
