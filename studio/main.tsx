// The page: loads the workspace, and connects the workers with the page's state. boot.ts starts it.

import { effect } from "@preact/signals";
import { render } from "preact";
import { apiWorkspace, askApi } from "./model/api-workspace.ts";
import { type DraftTable, settle, textOf } from "./model/drafts.ts";
import { draftsOf, firstEntryOf, offered, sampleOf } from "./model/examples.ts";
import { type PlaygroundTrees, playground } from "./model/playground.ts";
import { type PlannedImpact, planned, plannedImpact, releases, releasesApi, releasesOf } from "./model/releases.ts";
import { decodeState, encodeState } from "./model/share-link.ts";
import { startWorkers, type Workers } from "./model/start-workers.ts";
import { drafts, manifest, notice, openPath, own, paths, pod, shownPage, workloads, workspace } from "./model/state.ts";
import type { WorkspaceSource } from "./model/workspace.ts";
import type { PodChoice } from "./preview/question.ts";
import { chooseLanguage, language, say } from "./text/say.ts";
import { App } from "./view/app.tsx";
import { dropManifest, pasteManifest } from "./view/pod-chooser.tsx";
import type { ClusterWorkload, ExampleTree, Move } from "./wire.ts";

/** What the playground's page has in it, as JSON; null where the page belongs to the command line tool. */
declare const PLAYGROUND: string;

/** What boot.ts has begun. */
export interface Begun {
  readonly worker: Worker;
  /** The answer to the first question for the workspace; undefined in the playground. */
  readonly workspace: Promise<Response> | undefined;
}

const api = releasesApi(askApi);
// Both are set once, by start().
let ask: Workers;
let source: WorkspaceSource;

export async function start(begun: Begun): Promise<void> {
  ask = startWorkers(begun.worker, (message) => report("failed", { message }));
  const trees = JSON.parse(PLAYGROUND) as PlaygroundTrees | null;
  source = trees === null ? apiWorkspace(askApi, begun.workspace) : playground(trees);
  language.value = chooseLanguage(navigator.languages);
  effect(() => {
    document.documentElement.lang = language.value;
  });
  await Promise.all([load(), documentRead()]);
  await openShared();
  restoreDrafts();
  // The worker makes the preview while the page is drawn.
  ask.preview();
  const root = document.getElementById("app") as HTMLElement;
  render(
    <App
      onSave={() => void saveAll()}
      onShare={() => void share()}
      onExamples={() => void offerExamples()}
      onStart={startFrom}
      onPlan={(move) => void plan(move)}
      onMove={(move, why) => void carryOut(move, why)}
    />,
    root,
  );
  ask.everythingElse((name) => api.release(name));
  loadWorkloads().catch((error) => report("failed", { message: messageOf(error) }));
  source.watch(() => void load().catch(() => report("offline")));
  effect(() => {
    if (shownPage.value === "releases" || workspace.value.kind === "deployment")
      void loadReleases().catch((error) => report("failed", { message: messageOf(error) }));
  });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    void saveAll();
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => void dropManifest(event));
  addEventListener("paste", pasteManifest);
  addEventListener("hashchange", () => void openShared());
}

/** The scripts do not wait for the document, which is small but may be late. */
function documentRead(): Promise<void> {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((resolve) => addEventListener("DOMContentLoaded", () => resolve(), { once: true }));
}

/** Loads the workspace anew. Drafts stay: those that say what is saved now are done. */
async function load(): Promise<void> {
  workspace.value = await source.load();
  drafts.value = settle(drafts.value, workspace.value.saved);
  if (openPath.value === "") openPath.value = firstOf("templates/") ?? paths.value[0] ?? "";
  if (pod.value.kind === "sample" && pod.value.name === "") {
    pod.value = firstSample();
  }
}

function firstSample(): PodChoice & { readonly kind: "sample" } {
  return { kind: "sample", name: (firstOf("samples/") ?? "").slice("samples/".length) };
}

function firstOf(folder: string): string | undefined {
  const inside = paths.value.filter((path) => path.startsWith(folder));
  return inside.find((path) => path.endsWith("/sidecar") || path.endsWith("/deployment-pod")) ?? inside[0];
}

/** Saves every edit on its own. One that another user was faster with stays, next to their text. */
async function saveAll(): Promise<void> {
  if (!workspace.value.canSave) {
    report("save.cannot");
    return;
  }
  try {
    for (const [path, { text, base }] of Object.entries(drafts.value)) await source.save({ path, text, base });
    await load();
    report(Object.keys(drafts.value).length === 0 ? "saved" : "save.all", { count: Object.keys(drafts.value).length });
  } catch (error) {
    report("failed", { message: messageOf(error) });
  }
}

/** The workloads of the cluster, where there is one. */
async function loadWorkloads(): Promise<void> {
  if (workspace.value.cluster !== null)
    workloads.value = (await askApi("/api/workloads")) as readonly ClusterWorkload[];
}

/** Channels and clusters are read when they are looked at, and after each change. */
async function loadReleases(): Promise<void> {
  if (workspace.value.kind === "deployment") releases.value = await api.read();
}

/** Measures what a move changes, before it is confirmed. */
async function plan(move: Move): Promise<void> {
  plannedImpact.value = undefined;
  planned.value = move;
  const names = releasesOf(move, releases.value?.publishTo ?? "");
  if (names === undefined) return;
  const show = (impact: PlannedImpact) => {
    // Another move may have been planned meanwhile.
    if (planned.value === move) plannedImpact.value = impact;
  };
  try {
    const [before, after] = await Promise.all([api.release(names[0]), api.release(names[1])]);
    const { shipped, saved } = workspace.value;
    const manifests = manifest.value === "" ? [] : [manifest.value];
    const pods = { shipped, own: saved, manifests, workloads: workloads.value ?? [] };
    show(await ask.compare({ kind: "compare", before, after, ...pods }));
  } catch (error) {
    show(say("move.unknown", { message: messageOf(error) }));
  }
}

async function carryOut(move: Move, why: string): Promise<void> {
  planned.value = undefined;
  try {
    const { message } = await api.move(move, why);
    notice.value = message;
  } catch (error) {
    report("failed", { message: messageOf(error) });
  }
  await loadReleases();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function share(): Promise<void> {
  const fragment = await encodeState({ own: own.value, pod: sharedPod(), path: openPath.value });
  history.replaceState(null, "", `#${fragment}`);
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  report("shared");
}

/** What a cluster runs is not given away with a link. */
function sharedPod(): PodChoice {
  return pod.value.kind === "workload" ? firstSample() : pod.value;
}

/** A shared state becomes edits of what is saved here. */
async function openShared(): Promise<void> {
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

async function offerExamples(): Promise<void> {
  try {
    offered.value = await source.examples();
  } catch (error) {
    report("failed", { message: messageOf(error) });
  }
}

/** The example's entries become edits, in place of the edits before. */
function startFrom(example: ExampleTree): void {
  offered.value = undefined;
  shownPage.value = "edit";
  drafts.value = draftsOf(example, workspace.value.saved);
  openPath.value = firstEntryOf(example);
  pod.value = { kind: "sample", name: sampleOf(example) ?? firstSample().name };
  report("examples.started", { title: example.title });
}

/** Edits survive a reload of the tab; they are not kept longer than the tab. */
function restoreDrafts(): void {
  const key = `drafts ${workspace.value.kind} ${workspace.value.name}`;
  const kept = sessionStorage.getItem(key);
  if (kept !== null && Object.keys(drafts.value).length === 0) {
    drafts.value = settle(JSON.parse(kept) as DraftTable, workspace.value.saved);
  }
  effect(() => sessionStorage.setItem(key, JSON.stringify(drafts.value)));
}

function report(...said: Parameters<typeof say>): void {
  notice.value = say(...said);
}
