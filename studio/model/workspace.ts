// What the page works on, wherever it comes from: the local API of the command line tool, or the playground's own texts.

import type { ExampleTree, Save, Saved, Workspace } from "../wire.ts";

/** Where a workspace is kept. */
export interface WorkspaceSource {
  load(): Promise<Workspace>;
  /** All edits, or none. */
  save(request: Save): Promise<Saved>;
  /** Trees to start from. */
  examples(): Promise<readonly ExampleTree[]>;
  /** Calls back when the workspace has been changed by another user, or may have been. */
  watch(onChange: () => void): void;
}
