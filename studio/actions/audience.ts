// Who gets a template, written into the text of the config. One change after the other, each of what the one before has left.

import { type JsonValue, jsonEqual } from "@outrigger/base";
import { attempt, audienceOf, type Condition, defaultsOf, forEvery, withoutCondition } from "../model/audience.ts";
import { textOf } from "../model/drafts.ts";
import { report, reportFailure } from "../model/notice.ts";
import { edit, openAt, own, workspace } from "../model/state.ts";
import { askOnce } from "../model/workers.ts";

type Entries = readonly JsonValue[];

/** The default templates of the edited tree. */
export function editedDefaults() {
  return defaultsOf([own.value, workspace.value.shipped]);
}

/** Takes a condition away. Without its last one, a template is for the pods that it is for as it is saved: for all of them, or for none. */
export function takeAway(name: string, group: number, condition: Condition): void {
  changeDefaults((entries) => {
    const { saved, shipped } = workspace.value;
    const left = withoutCondition(entries, name, group, condition);
    const isLeft = audienceOf(left, name).groups.length > 0;
    const wasEvery = audienceOf(defaultsOf([saved, shipped]).entries, name).isEvery;
    return !isLeft && wasEvery ? forEvery(left, name) : left;
  });
}

let last: Promise<unknown> = Promise.resolve();

/** Changes the list. */
export function changeDefaults(change: (entries: Entries) => Entries): void {
  last = last.then(() => write(change)).catch(reportFailure);
}

const CONFIG = "config";

async function write(change: (entries: Entries) => Entries): Promise<void> {
  const before = textOf(own.value, CONFIG);
  const defaultTemplates = change(editedDefaults().entries);
  const { text } = await askOnce<"config">({ kind: "config", text: before ?? "", defaultTemplates });
  // What was typed meanwhile is not written over.
  if (textOf(own.value, CONFIG) !== before) return write(change);
  if (text === undefined) {
    openAt({ path: CONFIG });
    report("who.by-hand");
    return;
  }
  const { saved, shipped } = workspace.value;
  const shippedAlone = { defaultTemplates: defaultsOf([shipped]).entries };
  // A config that would say nothing but what is shipped is none.
  const isNothing = textOf(saved, CONFIG) === null && jsonEqual(attempt(text), shippedAlone);
  edit(CONFIG, isNothing ? null : text);
}
