// The playground's workspace: the shipped tree and the examples, without a place to save edits in. Nothing leaves the browser.

import type { SourceTree } from "@outrigger/injector";
import type { ExampleTree } from "../wire.ts";
import type { WorkspaceSource } from "./workspace.ts";

/** What the build puts into the page. */
export interface PlaygroundTrees {
  readonly shipped: SourceTree;
  readonly examples: readonly ExampleTree[];
}

export function playground({ shipped, examples }: PlaygroundTrees): WorkspaceSource {
  return {
    load: async () => ({ name: "playground", kind: "playground", canSave: false, shipped, saved: {}, cluster: null }),
    save: async () => ({ saved: false, current: null }),
    examples: async () => examples,
    watch: () => {},
  };
}
