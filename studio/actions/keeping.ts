// Edits that outlive a reload, a browser's tab and the studio: kept by the tab, by the browser, and by the server of the studio.

import { effect } from "@preact/signals";
import { askApi, sending } from "../model/connection.ts";
import { type DraftTable, draftTable, editsOf, settle } from "../model/drafts.ts";
import { drafts, manifest, workspace } from "../model/state.ts";

/** Milliseconds without an edit before it is kept: writing waits for the disk. */
const KEEP_AFTER = 300;

/** The bytes that a browser still sends for a page that goes: the limit of a request with `keepalive`. */
const LAST_BYTES = 60_000;

interface Kept {
  readonly edits: DraftTable;
  readonly text: string;
  /** Milliseconds since 1970; left out by earlier versions. */
  readonly at?: number;
}

/**
 * Edits, and a manifest that was brought, survive a reload of the tab. Outside the playground they are kept for other tabs, and for the
 * next visit, too, also at another address: there, a tab replaces its own edits alone.
 */
export function keepDrafts(): void {
  const { kind, name, place = "" } = workspace.value;
  const key = `drafts ${kind} ${name} ${place}`;
  const isShared = kind !== "playground";
  const read = (storage: Storage) => JSON.parse(storage.getItem(key) ?? "null") as Kept | null;
  const byServer = keptByServer();
  const kept = read(sessionStorage) ?? (isShared ? newerOf(read(localStorage), byServer) : null);
  if (kept !== null) {
    drafts.value = settle(kept.edits, workspace.value.saved);
    manifest.value = kept.text;
  }
  // What another tab has there is not this one's to take away.
  const send = isShared ? createSender(kept === byServer ? (byServer?.edits ?? {}) : {}) : () => {};
  let waiting: Kept | undefined;
  let last = drafts.value;
  let timer = 0;
  const keep = (isLast = false) => {
    if (waiting === undefined) return;
    const now = waiting;
    sessionStorage.setItem(key, JSON.stringify(now));
    if (isShared) {
      // Where another tab has edited the same entry since, its edit stays.
      const others = Object.entries(read(localStorage)?.edits ?? {}).filter(
        ([path, { text }]) => !Object.hasOwn(last, path) || last[path]?.text !== text,
      );
      const edits = { ...Object.fromEntries(others), ...now.edits };
      localStorage.setItem(key, JSON.stringify({ ...now, edits }));
    }
    last = now.edits;
    waiting = undefined;
    send(now, isLast);
  };
  effect(() => {
    waiting = { edits: drafts.value, text: manifest.value, at: Date.now() };
    clearTimeout(timer);
    timer = window.setTimeout(keep, KEEP_AFTER);
  });
  addEventListener("pagehide", () => keep(true));
  // Another tab is about to be looked at, and may read it.
  document.addEventListener("visibilitychange", () => keep(true));
}

function keptByServer(): Kept | null {
  const { kept } = workspace.value;
  return kept === undefined ? null : { ...kept, edits: draftTable(kept.edits) };
}

function newerOf(one: Kept | null, other: Kept | null): Kept | null {
  if (one === null || other === null) return one ?? other;
  return (other.at ?? 0) >= (one.at ?? 0) ? other : one;
}

/** What sends the server the edits that it does not have yet. @param sent those of this tab that it has */
function createSender(sent: DraftTable): (kept: Kept, isLast: boolean) => void {
  return ({ edits, text, at = 0 }, isLast) => {
    const before = sent;
    const gone = Object.fromEntries(Object.entries(before).filter(([path]) => !Object.hasOwn(edits, path)));
    const fresh = Object.fromEntries(Object.entries(edits).filter(([path, draft]) => draft !== before[path]));
    const init = sending("PUT", { edits: editsOf(fresh), gone: editsOf(gone), text, at });
    sent = edits;
    // The browser has them, and the next edit sends them again.
    askApi("/api/drafts", { ...init, keepalive: isLast && String(init.body).length < LAST_BYTES }).catch(() => {
      sent = before;
    });
  };
}
