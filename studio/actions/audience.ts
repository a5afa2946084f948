// Who gets a template, written into the text of the config: comments, and what is said of other templates, stay as they are.

import { type JsonValue, jsonEqual, objectOf } from "@outrigger/base";
import { editDocument, formatYaml } from "@outrigger/yaml";
import { attempt, audienceOf, type Condition, defaultsOf, forEvery, withoutCondition } from "../model/audience.ts";
import { textOf } from "../model/drafts.ts";
import { report } from "../model/notice.ts";
import { edit, own, workspace } from "../model/state.ts";

/** The default templates of the edited tree. */
export function editedDefaults() {
  return defaultsOf([own.value, workspace.value.shipped]);
}

/** Takes a condition away. Without its last one, a template is for the pods that it is for as it is saved: for all of them, or for none. */
export function takeAway(name: string, group: number, condition: Condition): void {
  const { saved, shipped } = workspace.value;
  const left = withoutCondition(editedDefaults().entries, name, group, condition);
  const isLeft = audienceOf(left, name).groups.length > 0;
  const wasEvery = audienceOf(defaultsOf([saved, shipped]).entries, name).isEvery;
  writeDefaults(!isLeft && wasEvery ? forEvery(left, name) : left);
}

/** Writes the list. A config that would say nothing but what is shipped is none. */
export function writeDefaults(entries: readonly JsonValue[]): void {
  const { saved, shipped } = workspace.value;
  const text = textOf(own.value, CONFIG);
  const written = textWith(text ?? "", entries);
  if (written === undefined) {
    report("who.by-hand");
    return;
  }
  const shippedAlone = { defaultTemplates: defaultsOf([shipped]).entries };
  const isNothing = textOf(saved, CONFIG) === null && jsonEqual(attempt(written), shippedAlone);
  edit(CONFIG, isNothing ? null : written);
}

const CONFIG = "config";

/** The name of a template before the pods that it is for. */
const LAYOUT = { indent: 2, indentsLists: false, keepsOrder: true };

/** The config with another list; undefined where its text cannot be edited. */
function textWith(text: string, entries: readonly JsonValue[]): string | undefined {
  const value = attempt(text);
  if (value === undefined) return undefined;
  const wanted = { ...objectOf(value), defaultTemplates: [...entries] };
  const edited = value === null ? `${text}${formatYaml(wanted, LAYOUT)}` : editDocument(text, wanted, LAYOUT);
  // Two braces side by side cannot be stored.
  return edited?.replaceAll(/\}(?=\})/g, "} ");
}
