// Edits that outlive a reload, a browser's tab and the studio: kept by the tab, by the browser, and by the server of the studio.

import { isObject } from "@outrigger/base";
import { effect } from "@preact/signals";
import { askApi, isLost, sending } from "../model/connection.ts";
import { type DraftTable, draftTable, editsOf, settle } from "../model/drafts.ts";
import { besides, isSame, joinedKept, lastOfEach, latestOf } from "../model/kept-edits.ts";
import { drafts, manifest, typedBeside, workspace } from "../model/state.ts";
import type { Edit, KeptDrafts, KeptEdit, OtherEdits } from "../wire.ts";

/** Milliseconds without an edit before it is kept: writing waits for the disk. */
const KEEP_AFTER = 300;

/** The bytes that a browser still sends for a page that goes: the limit of a request with `keepalive`. */
const LAST_BYTES = 60_000;

/** The tab's edits as they were kept last. */
let mine: readonly KeptEdit[] = [];

/** Takes what this tab has changed to the places where other tabs find it. */
let publish: (change: KeptDrafts, isLast: boolean) => void = () => {};

/**
 * Edits, and a manifest that was brought, survive a reload of the tab. Outside the playground they are kept for other tabs, and for the
 * next visit, too, also at another address: there, a tab replaces its own edits alone.
 */
export function keepDrafts(): void {
  const { kind, name, place = "", kept: byServer } = workspace.value;
  const key = `drafts ${kind} ${name} ${place}`;
  const isShared = kind !== "playground";
  const own = readStored(sessionStorage, key);
  const inBrowser = isShared ? readStored(localStorage, key) : null;
  const kept = byServer === undefined ? inBrowser : joinedKept(inBrowser, byServer);
  const found = own ?? kept;
  if (found !== null) {
    // What was typed over an edit elsewhere comes in its place; what nobody else has stays.
    const edits = own === null || kept === null ? found.edits : own.edits.flatMap((edit) => latestOf(edit, kept) ?? []);
    mine = lastOfEach(edits);
    drafts.value = settle(draftTable(mine), workspace.value.saved);
    manifest.value = found.text;
    typedBeside.value = besides(mine, kept?.edits ?? []);
  }
  if (isShared) {
    if (kept !== null) store(localStorage, key, kept);
    const send = createSender();
    publish = (change, isLast) => {
      store(localStorage, key, joinedKept(readStored(localStorage, key), change));
      send(change, isLast);
    };
    // What the server could not be told before.
    const unknown = mine.filter(({ version }) => byServer?.edits.some((edit) => edit.version === version) !== true);
    const gone = (byServer?.edits ?? []).map(({ version }) => version).filter((one) => inBrowser?.gone.includes(one));
    if (unknown.length + gone.length > 0) send({ edits: unknown, gone, text: manifest.value, at: Date.now() }, false);
  }
  let waiting: (Pick<KeptDrafts, "text"> & { readonly table: DraftTable }) | undefined;
  let timer = 0;
  let text = manifest.value;
  const keep = (isLast = false) => {
    if (waiting === undefined) return;
    const now = waiting;
    waiting = undefined;
    const before = mine;
    mine = editsOf(now.table).map(versionOf);
    const edits = mine.filter((edit) => !before.includes(edit));
    const gone = before.filter((edit) => !mine.includes(edit)).map(({ version }) => version);
    const at = Date.now();
    store(sessionStorage, key, { edits: mine, gone: [], text: now.text, at });
    typedBeside.value = besides(mine, typedBeside.value);
    if (edits.length + gone.length > 0 || now.text !== text) publish({ edits, gone, text: now.text, at }, isLast);
    text = now.text;
  };
  effect(() => {
    waiting = { table: drafts.value, text: manifest.value };
    clearTimeout(timer);
    timer = window.setTimeout(keep, KEEP_AFTER);
  });
  addEventListener("pagehide", () => keep(true));
  // Another tab is about to be looked at, and may read it.
  document.addEventListener("visibilitychange", () => keep(true));
}

/** What other tabs typed beside the edits of this one is no longer kept. */
export function keepMine(): void {
  const gone = typedBeside.value.map(({ version }) => version);
  typedBeside.value = [];
  publish({ edits: [], gone, text: manifest.value, at: Date.now() }, false);
}

/** What other tabs typed comes in place of the edits of this one. */
export function takeTheirs(): void {
  drafts.value = { ...drafts.value, ...draftTable(typedBeside.value) };
}

/** An edit as it is kept already, here or by another tab; or with a version of its own. */
function versionOf(edit: Edit): KeptEdit {
  const known = [...mine, ...typedBeside.value].find((one) => isSame(one, edit));
  return known ?? { ...edit, version: crypto.randomUUID().slice(0, 13) };
}

/** Version 0.2.0 kept a table of drafts. */
function readStored(storage: Storage, key: string): KeptDrafts | null {
  const value: unknown = JSON.parse(storage.getItem(key) ?? "null");
  if (!isObject(value)) return null;
  const { edits, gone = [], text, at = 0 } = value as unknown as KeptDrafts & { readonly edits: DraftTable };
  if (Array.isArray(edits)) return { edits, gone, text, at };
  return { edits: editsOf(edits).map(versionOf), gone, text, at };
}

/** A browser that is full keeps no more: the studio does. */
function store(storage: Storage, key: string, kept: KeptDrafts): void {
  try {
    storage.setItem(key, JSON.stringify(kept));
  } catch {
    return;
  }
}

/** What tells the server the changes that it does not know yet, one request after the other. */
function createSender(): (change: KeptDrafts, isLast: boolean) => void {
  let unsent: KeptDrafts | null = null;
  let isBusy = false;
  const next = async (isLast: boolean): Promise<void> => {
    if (unsent === null || (isBusy && !isLast)) return;
    const change = unsent;
    const init = sending("PUT", change);
    const isSmall = new Blob([String(init.body)]).size < LAST_BYTES;
    isBusy = true;
    unsent = null;
    try {
      heard(change, (await askApi("/api/drafts", { ...init, keepalive: isLast && isSmall })) as OtherEdits);
    } catch {
      // The browser has them. They are sent again with the next edit, or when the studio answers again.
      unsent = unsent === null ? change : joinedKept(change, unsent);
      return;
    } finally {
      isBusy = false;
    }
    await next(false);
  };
  effect(() => {
    if (!isLost.value) void next(false);
  });
  return (change, isLast) => {
    unsent = unsent === null ? change : joinedKept(unsent, change);
    void next(isLast);
  };
}

/** What other tabs typed beside what was sent; not what this one has typed since. */
function heard(sent: KeptDrafts, { others }: OtherEdits): void {
  const isAsked = ({ path }: Edit) => sent.edits.some((edit) => edit.path === path);
  typedBeside.value = besides(mine, [...typedBeside.value.filter((edit) => !isAsked(edit)), ...others]);
}
