// The page's state as signals: what is loaded, what is edited, what is open, and what the workers have answered.

import type { TreeFinding } from "@outrigger/injector";
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ChangeNode } from "../preview/change-tree.ts";
import { firstSample, OWN_NAMESPACE } from "../preview/first-preview.ts";
import type {
  Against,
  Answers,
  BranchCount,
  Impact,
  Outcome,
  PodChoice,
  PreviewAnswer,
  Reach,
  TemplateNames,
} from "../preview/question.ts";
import type { ClusterWorkload, Edit, ExampleTree, KeptEdit, Workspace } from "../wire.ts";
import { conflicts, type DraftTable, editedTree, editsOf, sizeFindings, textOf, withDraft } from "./drafts.ts";

/** What the edits change, and what the injection changes, folded; the whole pod; the manifest as it is written. */
export const VIEWS = ["edits", "changes", "pod", "manifest"] as const;
export type View = (typeof VIEWS)[number];

/** A workspace without a place to save edits in. */
export const PLAYGROUND_WORKSPACE: Workspace = {
  name: "playground",
  kind: "playground",
  canSave: false,
  shipped: {},
  saved: {},
  faults: [],
  cluster: null,
  preview: null,
};

export const workspace = signal(PLAYGROUND_WORKSPACE);
export const drafts = signal<DraftTable>({});
/** The examples to choose from; undefined while the choice is closed. */
export const offered = signal<readonly ExampleTree[] | undefined>(undefined);
/** Edits of other tabs that were typed beside those of this one, of the same entries. */
export const typedBeside = signal<readonly KeptEdit[]>([]);
/** What a link has otherwise, until a person takes it. */
export const linked = signal<DraftTable>({});
/** A partial, or a value, that a template names. */
export interface Named {
  readonly kind: "partial" | "value";
  /** `proxy-image`, `global.hub` */
  readonly name: string;
}

/** The name that is looked for in all files. */
export const sought = signal<Named | undefined>(undefined);
export const shownPage = signal<"edit" | "releases" | "change">("edit");
export const openPath = signal("");
export const openTabs = signal<readonly string[]>([]);
/** A place in the open entry to show: 1-based. */
export const goTo = signal<{ readonly line: number; readonly column: number } | undefined>(undefined);
export const pod = signal<PodChoice>({ kind: "sample", name: "" });
/** In which the pod is tried, in place of its own; empty: its own. */
export const namespace = signal(OWN_NAMESPACE);
export const manifest = signal("");
/** The latest answers. */
export const previewed = signal<PreviewAnswer | undefined>(undefined);
export const examined = signal<Answers["examine"] | undefined>(undefined);
/** The impact on the workloads of the cluster; undefined while it is measured. */
export const clusterImpact = signal<Impact | undefined>(undefined);
/** Which templates the pods of the cluster get; undefined while that is measured. */
export const clusterReach = signal<Reach | undefined>(undefined);
/** What takes each branch of the last tree without errors; empty without a cluster. */
export const branchCounts = signal<readonly BranchCount[]>([]);
/** The names of the last tree without errors: a tree that is being written seldom is without. */
export const templateNames = signal<TemplateNames>({ paths: [], values: [], schema: {}, mesh: {} });
/** The last preview of a tree without errors, and previewKey() of what it is of. */
const lastGood = signal<{ readonly key: string; readonly outcome: Outcome } | undefined>(undefined);
/** The origins of the injected pod's lines, as of the last pause in typing. */
export const traced = signal<Answers["trace"] | undefined>(undefined);
/** Whether a reader has pointed at the preview, or gone into it with the keyboard. */
export const isPreviewEntered = signal(false);
/** The values that the lines depend on, as of a longer pause. */
export const valued = signal<Answers["values"] | undefined>(undefined);
/** The line of the cursor in the editor, and in the injected pod: 1-based. */
export const editorLine = signal(1);
/** The same once the caret rests there: browsers refuse an address that changes with each key. */
export const restingLine = signal(1);
export const podLine = signal(1);
/** The workloads of the cluster; undefined until they are read. */
export const workloads = signal<readonly ClusterWorkload[] | undefined>(undefined);
/** What the edits are compared with: a channel or release by its name; undefined: the saved tree. */
export const base = signal<string | undefined>(undefined);
/** The pod as the base makes it; undefined while that is asked. */
export const baseline = signal<Against | undefined>(undefined);
/** Lines of the injected pod to show: 1-based. */
export const goToPod = signal<readonly number[]>([]);
/** What the reader has chosen to see of the chosen pod; undefined until then. */
export const chosenView = signal<View | undefined>(undefined);
export const shownDetails = signal<"findings" | "impact" | undefined>(undefined);
/** The preview of the chosen pod: the last good one of that pod, where the tree has errors now; never that of another pod. */
export const shownOutcome = computed<Outcome | undefined>(() => {
  const good = lastGood.value;
  const latest = previewed.value;
  return good === undefined || (latest !== undefined && latest.key !== good.key) ? undefined : good.outcome;
});

export function showPreview(answer: PreviewAnswer): void {
  batch(() => {
    previewed.value = answer;
    if (answer.outcome !== undefined) lastGood.value = { key: answer.key, outcome: answer.outcome };
  });
}

/** What the edits change in the chosen pod. Undefined while what it is compared with is asked. */
export const edits = computed<readonly ChangeNode[] | undefined>(() => {
  const outcome = shownOutcome.value;
  const isKnown = baseline.value !== undefined && outcome?.against === baseline.value.number;
  return isKnown ? outcome?.edits : undefined;
});

/** The view of the preview. Where edits change the pod, it is that of the edits until the reader chooses. */
export const shownView = computed<View>(() => {
  const isEdited = draftPaths.value.length > 0 && edits.value?.some(({ change }) => change !== "kept") === true;
  return chosenView.value ?? (isEdited ? "edits" : "changes");
});

/** The user's own tree with its edits. */
export const own = computed(() => editedTree(workspace.value.saved, drafts.value));

/** Manifests to measure an impact on, next to the samples. */
export const manifests = computed(() => (manifest.value === "" ? [] : [manifest.value]));

/** The paths of the user's own tree, and of its edits: a key in a text changes neither. */
export const ownPaths = steady(() => Object.keys(own.value));
export const draftPaths = steady(() => Object.keys(drafts.value));

/** Every path of both layers. */
export const paths = steady(() =>
  [...new Set([...Object.keys(workspace.value.shipped), ...ownPaths.value, ...draftPaths.value])].sort(),
);

/** Chooses what is shown first: the reader's own entry, or else the values, which say most of what can be changed; and a sample. */
export function chooseFirst(): void {
  const isValues = (path: string) => path.startsWith("values/");
  openPath.value = firstOf(ownPaths.value) ?? paths.value.find(isValues) ?? paths.value[0] ?? "";
  pod.value = firstSample(paths.value);
}

/** The entry of several that is opened first: a template, or else values. */
export function firstOf(several: readonly string[]): string | undefined {
  const sorted = several.toSorted();
  const [template, values] = ["templates/", "values/"].map((folder) => sorted.find((path) => path.startsWith(folder)));
  return template ?? values ?? sorted[0];
}

/** A list that stays the same object while its items are equal: a key then draws nothing of what shows it. */
function steady<Item>(read: () => readonly Item[]): ReadonlySignal<readonly Item[]> {
  let last: readonly Item[] = [];
  return computed(() => {
    const items = read();
    if (items.length !== last.length || JSON.stringify(items) !== JSON.stringify(last)) last = items;
    return last;
  });
}

export const conflicting = steady(() => conflicts(workspace.value.saved, drafts.value));

/**
 * Findings of what is saved, of the preview, which is always of the latest text, and of the examination where it adds others:
 * those of the samples.
 */
export const findings = steady<TreeFinding>(() => {
  const { faults, saved, largest } = workspace.value;
  const tooLarge = largest === undefined ? [] : sizeFindings(drafts.value, saved, largest);
  const first = [...faults, ...tooLarge, ...(previewed.value?.findings ?? [])];
  const keys = new Set(first.map(keyOf));
  const all = [...first, ...(examined.value?.findings ?? []).filter((finding) => !keys.has(keyOf(finding)))];
  return all.map((finding) => ({ ...finding, path: entryPathOf(finding.path, paths.value) }));
});

/** The entry that a finding is of: `config` for `config.defaultTemplates[1].match`, as lint names the field besides. */
function entryPathOf(path: string, all: readonly string[]): string {
  if (all.includes(path)) return path;
  return all.find((entry) => path.startsWith(`${entry}.`)) ?? path;
}

function keyOf({ path, line, column, message }: TreeFinding): string {
  return JSON.stringify([path, line, column, message]);
}

/** The lines of the injected pod that each line of the open entry writes. */
export const writtenLines = computed<ReadonlyMap<number, readonly number[]>>(() => {
  const lines = new Map<number, number[]>();
  for (const [index, origin] of (traced.value?.origins ?? []).entries()) {
    if (origin.kind !== "template" || origin.path !== openPath.value) continue;
    const known = lines.get(origin.line);
    if (known === undefined) lines.set(origin.line, [index + 1]);
    else known.push(index + 1);
  }
  return lines;
});

/** The branches of the open entry, by the lines of their blocks. */
export const openBranches = computed(() => {
  const here = branchCounts.value.filter(({ path }) => path === openPath.value);
  return Map.groupBy(here, ({ line }) => line);
});

/** The origin of each line of the shown pod; undefined while it is traced. */
export const shownOrigins = computed(() => {
  const { value } = shownOutcome;
  const isTraced = value?.decision === "injected" && traced.value?.text === value.after;
  return isTraced ? traced.value?.origins : undefined;
});

/** The values that a line of the injected pod depends on, those of one's own first; empty where that is not known. */
export function valuesAt(text: string, line: number) {
  const lines = valued.value?.text === text ? valued.value.lines : [];
  const found = lines.find(([at]) => at === line)?.[1] ?? [];
  return found.toSorted((a, b) => Number(a.isShipped) - Number(b.isShipped));
}

export function openAt({ path, line = 1, column = 1 }: Pick<TreeFinding, "path" | "line" | "column">): void {
  shownPage.value = "edit";
  openPath.value = path;
  goTo.value = { line, column };
}

/** The text of an entry: the user's own, or the shipped one. */
export function currentText(path: string): string {
  return textOf(own.value, path) ?? textOf(workspace.value.shipped, path) ?? "";
}

/** A manifest that is written, pasted or dropped on the page becomes the chosen pod. */
export function bringManifest(text: string): void {
  manifest.value = text;
  pod.value = { kind: "manifest", text, index: 0 };
}

/** The drafts as they are sent. */
export function draftEdits(): readonly Edit[] {
  return editsOf(drafts.value);
}

/** Edits an entry; null removes it. An edit of a shipped entry makes one of the user's own that replaces it. */
export function edit(path: string, text: string | null): void {
  const isShippedText =
    text !== null && textOf(workspace.value.saved, path) === null && textOf(workspace.value.shipped, path) === text;
  batch(() => {
    drafts.value = withDraft(drafts.value, workspace.value.saved, path, isShippedText ? null : text);
    examined.value = undefined;
    clusterImpact.value = undefined;
    clusterReach.value = undefined;
  });
}
