// Saving edits. Nothing is saved later than it was asked for: what a server did not answer is asked again by a person.

import { isLost } from "../model/connection.ts";
import { isUnanswered } from "../model/failure.ts";
import { report, reportFailure } from "../model/notice.ts";
import { draftEdits, workspace } from "../model/state.ts";
import { source } from "../model/workspace.ts";
import { load } from "./loading.ts";

/**
 * Saves all edits at once, or none: where another user was faster with one, all stay, next to their text. What a deployment saves it
 * serves: there, the edits stay on this machine until they are published.
 */
export async function save(): Promise<void> {
  if (!workspace.value.canSave) return report("save.cannot");
  if (workspace.value.kind === "deployment") return report("draft.kept");
  report("saving");
  try {
    const saved = await source.save(draftEdits());
    await load();
    if (saved.saved) report("saved");
    else report("save.conflict", { count: Object.keys(saved.current).length });
  } catch (error) {
    if (!isUnanswered(error)) return reportFailure(error);
    isLost.value = true;
    report("save.waiting");
  }
}
