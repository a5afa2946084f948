// What is shown, in the address: a reload, a bookmark or the Back button shows the same. Edits are not in it: a shared link has them.

import type { PodChoice } from "../preview/question.ts";
import { isLanguage } from "../text/languages.ts";
import { chosenLanguage } from "../text/say.ts";
import type { ClusterWorkload } from "../wire.ts";
import { HISTORY_RANGES, type HistoryRange, historyRange, historyWords, shownChange } from "./releases.ts";
import {
  chosenView,
  editorLine,
  goTo,
  manifest,
  namespace,
  openPath,
  pod,
  restingLine,
  shownPage,
  VIEWS,
  workloads,
  workspace,
} from "./state.ts";

interface Place {
  readonly page?: "edit" | "releases" | "change";
  /** The release of a change. */
  readonly change?: string;
}

/** The fragment of what is shown, with `#`. @param place another one than is shown */
export function addressOf({ page = shownPage.value, change = shownChange.value }: Place = {}): string {
  const parts = new URLSearchParams({ file: openPath.value, pod: podName(pod.value) });
  if (namespace.value !== "") parts.set("in", namespace.value);
  if (chosenView.value !== undefined) parts.set("view", chosenView.value);
  if (chosenLanguage.value !== undefined) parts.set("lang", chosenLanguage.value);
  if (restingLine.value > 1) parts.set("line", String(restingLine.value));
  if (historyRange.value !== "all") parts.set("since", historyRange.value);
  if (historyWords.value !== "") parts.set("find", historyWords.value);
  // Slashes say more than their escapes, and need none in a fragment.
  const path = page === "change" ? `change/${change}` : page;
  return `#/${path}?${parts.toString().replaceAll("%2F", "/")}`;
}

/** Shows what a fragment names; false for one that is no address of a page. */
export function showAddress(fragment: string): boolean {
  const match = /^#\/(edit|releases|change\/([0-9a-f]{12}))(?:\?(.*))?$/.exec(fragment);
  if (match === null) return false;
  const [, page, change, query = ""] = match;
  const parts = new URLSearchParams(query);
  if (change !== undefined) shownChange.value = change;
  const asked = change !== undefined ? "change" : page === "releases" ? page : "edit";
  shownPage.value = workspace.value.kind === "deployment" ? asked : "edit";
  const { file, pod: chosen, in: place, view, lang, line = "", since = "", find = "" } = Object.fromEntries(parts);
  if (file !== undefined && file !== "") openPath.value = file;
  if (line !== "") {
    goTo.value = { line: Number.parseInt(line, 10) || 1, column: 1 };
    // It stays in the address where no editor is shown.
    editorLine.value = goTo.value.line;
    restingLine.value = goTo.value.line;
  }
  historyRange.value = Object.hasOwn(HISTORY_RANGES, since) ? (since as HistoryRange) : "all";
  historyWords.value = find;
  namespace.value = place ?? "";
  if (isLanguage(lang)) chosenLanguage.value = lang;
  chosenView.value = VIEWS.find((one) => one === view);
  const found = chosen === undefined ? undefined : choiceOf(chosen);
  if (found !== undefined) pod.value = found;
  return true;
}

const SAMPLE = "sample/";
const MANIFEST = "manifest";

/** A manifest's text is kept with the edits, and only named here. */
export function podName(choice: PodChoice): string {
  if (choice.kind === "sample") return SAMPLE + choice.name;
  if (choice.kind === "manifest") return MANIFEST;
  return `workload/${workloadName(choice.workload)}`;
}

export function workloadName({ namespace: place, name }: ClusterWorkload): string {
  return `${place}/${name}`;
}

/** Undefined for a pod that is not known, and for a manifest that is not there. */
export function choiceOf(name: string): PodChoice | undefined {
  if (name === MANIFEST) {
    return manifest.value === "" ? undefined : { kind: "manifest", text: manifest.value, index: 0 };
  }
  if (name.startsWith(SAMPLE)) return { kind: "sample", name: name.slice(SAMPLE.length) };
  const found = workloads.value?.map((workload) => ({ kind: "workload", workload }) as const);
  return found?.find((choice) => podName(choice) === name);
}
