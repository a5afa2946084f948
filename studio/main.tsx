// The page: loads the workspace, draws what is known of it, then starts the workers and the editor.

import { effect } from "@preact/signals";
import { render } from "preact";
import { keepDrafts } from "./actions/keeping.ts";
import { load, loadEvidence, loadReleases, loadWorkloads, refresh } from "./actions/loading.ts";
import { save } from "./actions/saving.ts";
import { openShared } from "./actions/sharing.ts";
import { toolSentences } from "./component/told.tsx";
import { addressOf, showAddress } from "./model/address.ts";
import { failureOf } from "./model/failure.ts";
import { reportFailure } from "./model/notice.ts";
import { releases } from "./model/releases.ts";
import {
  chooseFirst,
  drafts,
  editorLine,
  namespace,
  pod,
  restingLine,
  shownPage,
  showPreview,
  workspace,
} from "./model/state.ts";
import { keepEverythingElse, keepPreview } from "./model/workers.ts";
import { source } from "./model/workspace.ts";
import { previewKey } from "./preview/question.ts";
import { browserLanguage, chooseLanguage, say, texts } from "./text/say.ts";
import { App } from "./view/app.tsx";
import { findFile } from "./view/file-list.tsx";
import { showParts } from "./view/late.tsx";
import { dropManifest, pasteManifest } from "./view/preview-pane.tsx";

async function start(): Promise<void> {
  browserLanguage.value = chooseLanguage(navigator.languages);
  effect(() => {
    document.documentElement.lang = texts.value.htmlLang;
  });
  await Promise.all([load(), documentRead()]);
  chooseFirst();
  keepDrafts();
  await openShared(location.hash);
  const asked = location.hash;
  showAddress(asked);
  // The worker would compete with the page for what is there already; without that, the page waits for it.
  const isKnown = showKnownPreview();
  if (!isKnown) keepPreview();
  render(<App />, document.getElementById("app") as HTMLElement);
  addEventListener("keydown", (event) => {
    const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : "";
    if (key !== "s" && key !== "p") return;
    event.preventDefault();
    if (key === "s") void save();
    else findFile();
  });
  // What is not saved is kept in this tab alone.
  addEventListener("beforeunload", (event) => {
    if (Object.keys(drafts.value).length > 0) event.preventDefault();
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => void dropManifest(event));
  addEventListener("paste", pasteManifest);
  // The link that was followed: by now, the address may name what is shown again.
  addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL);
    if (!showAddress(hash)) void openShared(hash);
  });
  await isDrawn();
  if (isKnown) keepPreview();
  void import("./view/parts.ts").then(({ parts, sentences }) => {
    toolSentences.value = sentences;
    showParts(parts);
  }, reportFailure);
  keepEverythingElse();
  keepAddress(loadWorkloads(), asked);
  source.watch(() => void refresh());
  keepReleases();
  keepEvidence();
}

/** Shows the preview in the workspace, if it is of the chosen pod, and nothing is edited. */
function showKnownPreview(): boolean {
  const { preview } = workspace.value;
  const isOther = preview?.key !== previewKey({ pod: pod.value, namespace: namespace.value });
  if (preview === null || isOther || Object.keys(drafts.value).length > 0) return false;
  showPreview(preview);
  return true;
}

/** The frame that shows what was rendered; a page in the background has none. */
function isDrawn(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 1000);
  });
}

/** What a page has to show at all is read again if its first reading fails. */
function keepReleases(): void {
  loadReleases().catch((error: unknown) => {
    reportFailure(error);
    setTimeout(keepReleases, READ_AGAIN);
  });
}

/** Milliseconds. */
const READ_AGAIN = 3000;

/** Reads the numbers of shares and pods again and again while the releases are shown: nothing reports them. */
function keepEvidence(): void {
  const read = () => {
    if (shownPage.value !== "edit" && !document.hidden) void loadEvidence();
  };
  effect(() => {
    if (releases.value !== undefined) read();
  });
  setInterval(read, EVIDENCE);
}

/** Milliseconds between two readings: CloudWatch counts by the minute. */
const EVIDENCE = 30_000;

/** Milliseconds for which the caret has to rest before the address names its line. */
const REST = 300;

/** The address follows what is shown. A workload that it names can be shown when the cluster has answered. */
function keepAddress(workloadsRead: Promise<void>, asked: string): void {
  void workloadsRead
    .catch(reportFailure)
    .then(() => asked.includes("pod=workload/") && location.hash === asked && showAddress(asked))
    .then(() => {
      let isFirst = true;
      let resting = 0;
      effect(() => {
        const line = editorLine.value;
        clearTimeout(resting);
        resting = window.setTimeout(() => {
          restingLine.value = line;
        }, REST);
      });
      effect(() => {
        const address = addressOf();
        // A shared link stays until something else is shown.
        if (!isFirst || !location.hash.startsWith("#s1.")) history.replaceState(null, "", address);
        isFirst = false;
      });
    });
}

/** The scripts do not wait for the document, which is small but may be late. */
function documentRead(): Promise<void> {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((resolve) => addEventListener("DOMContentLoaded", () => resolve(), { once: true }));
}

start().catch((error: unknown) => {
  const app = document.getElementById("app") as HTMLElement;
  app.className = "banner bad";
  app.setAttribute("role", "alert");
  app.textContent = say("failed", { message: failureOf(error).words });
});
