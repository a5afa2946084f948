// The playground's workspace: the shipped tree and the examples, without a place to save edits in. Nothing leaves the browser.

import type { SourceTree } from "@outrigger/injector";
import type { PreviewAnswer } from "../preview/question.ts";
import type { ExampleTree } from "../wire.ts";
import type { WorkspaceSource } from "./workspace.ts";

/** What the build puts into the page. */
export interface PlaygroundTrees {
  readonly shipped: SourceTree;
  readonly examples: readonly ExampleTree[];
  /** What is shown first. */
  readonly preview: PreviewAnswer;
}

export function playground({ shipped, examples, preview }: PlaygroundTrees): WorkspaceSource {
  const about = {
    name: "playground",
    kind: "playground",
    canSave: false,
    saved: {},
    faults: [],
    cluster: null,
  } as const;
  return {
    load: async () => ({ ...about, shipped, preview }),
    save: async () => ({ saved: false, current: {} }),
    examples: async () => examples,
    watch: () => {},
  };
}
