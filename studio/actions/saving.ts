// Loading the workspace and saving edits. Nothing is saved later than it was asked for: what a server did not answer is asked again
// by a person.

import { isLost } from "../model/connection.ts";
import { settle } from "../model/drafts.ts";
import { isUnanswered } from "../model/failure.ts";
import { report, reportFailure } from "../model/notice.ts";
import { draftEdits, drafts, workspace } from "../model/state.ts";
import type { WorkspaceSource } from "../model/workspace.ts";

export interface Saving {
  /** Loads the workspace again. Drafts stay: those that say what is saved now are done. */
  load(): Promise<void>;
  /** As load(), after a change by another user or a silence. */
  refresh(): Promise<void>;
  /**
   * Saves all edits at once, or none: where another user was faster with one, all stay, next to their text. What a deployment saves it
   * serves: there, the edits stay in this browser until they are published.
   */
  save(): Promise<void>;
}

/** @param readReleases does nothing for a directory */
export function createSaving(source: WorkspaceSource, readReleases: () => Promise<void>): Saving {
  return { load, refresh, save };

  async function load(): Promise<void> {
    workspace.value = await source.load();
    drafts.value = settle(drafts.value, workspace.value.saved);
  }

  async function refresh(): Promise<void> {
    try {
      await Promise.all([load(), readReleases()]);
    } catch (error) {
      // The last sign of life may have been on its way when the server went.
      if (isUnanswered(error)) isLost.value = true;
      else reportFailure(error);
    }
  }

  async function save(): Promise<void> {
    if (!workspace.value.canSave) return report("save.cannot");
    if (workspace.value.kind === "deployment") return report("draft.kept");
    report("saving");
    try {
      const saved = await source.save({ edits: draftEdits() });
      await load();
      if (saved.saved) report("saved");
      else report("save.conflict", { count: Object.keys(saved.current).length });
    } catch (error) {
      if (!isUnanswered(error)) return reportFailure(error);
      isLost.value = true;
      report("save.waiting");
    }
  }
}
