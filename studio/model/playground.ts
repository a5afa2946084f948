// The playground's workspace: the shipped tree, without a place to save edits in. Nothing leaves the browser.

import type { SourceTree } from "../../lib/release/source-tree.ts";
import type { WorkspaceSource } from "./workspace.ts";

export function playground(shipped: SourceTree, own: SourceTree): WorkspaceSource {
  return {
    load: async () => ({ name: "playground", kind: "playground", canSave: false, shipped, saved: own, cluster: null }),
    save: async () => ({ saved: false, current: null }),
    watch: () => {},
  };
}
