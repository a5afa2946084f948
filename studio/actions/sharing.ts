// Links that hold the whole state, and edits that outlive a reload.

import { effect } from "@preact/signals";
import { type DraftTable, settle, textOf } from "../model/drafts.ts";
import { report } from "../model/notice.ts";
import { decodeState, encodeState } from "../model/share-link.ts";
import { drafts, manifest, openPath, own, paths, pod, workspace } from "../model/state.ts";
import { firstSample } from "../preview/first-sample.ts";

export async function share(): Promise<void> {
  // What a cluster runs is not given away with a link.
  const shared = pod.value.kind === "workload" ? firstSample(paths.value) : pod.value;
  const fragment = await encodeState({ own: own.value, pod: shared, path: openPath.value });
  history.replaceState(null, "", `#${fragment}`);
  const isCopied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  report(isCopied === true ? "shared" : "shared.address");
}

/** A shared state becomes edits of what is saved here. */
export async function openShared(): Promise<void> {
  const state = await decodeState(location.hash.slice(1));
  if (state === undefined) return;
  const { saved } = workspace.value;
  const all = new Set([...Object.keys(saved), ...Object.keys(state.own)]);
  const edits = [...all].map((path) => [path, { text: textOf(state.own, path), base: textOf(saved, path) }] as const);
  drafts.value = settle(Object.fromEntries(edits), saved);
  openPath.value = state.path;
  pod.value = state.pod;
  if (state.pod.kind === "manifest") manifest.value = state.pod.text;
}

/** Milliseconds without an edit before it is kept: writing waits for the disk. */
const KEEP_AFTER = 300;

/** Edits, and a manifest that was brought, survive a reload of the tab; they are not kept longer than the tab. */
export function keepInTab(): void {
  const key = `drafts ${workspace.value.kind} ${workspace.value.name}`;
  const kept = sessionStorage.getItem(key);
  if (kept !== null) {
    const { edits, text } = JSON.parse(kept) as { readonly edits: DraftTable; readonly text: string };
    if (Object.keys(drafts.value).length === 0) drafts.value = settle(edits, workspace.value.saved);
    if (manifest.value === "") manifest.value = text;
  }
  let waiting: unknown;
  let timer = 0;
  const keep = () => {
    if (waiting !== undefined) sessionStorage.setItem(key, JSON.stringify(waiting));
    waiting = undefined;
  };
  effect(() => {
    waiting = { edits: drafts.value, text: manifest.value };
    clearTimeout(timer);
    timer = window.setTimeout(keep, KEEP_AFTER);
  });
  addEventListener("pagehide", keep);
}
