// Which worker is asked what, and when. The first makes the previews; the others are started when the page is at rest, so that they
// do not compete with it.

import type { Release } from "@outrigger/injector";
import { computed, effect, signal } from "@preact/signals";
import type {
  BaselineAnswer,
  BaselineQuestion,
  CompareAnswer,
  CompareQuestion,
  ExamineAnswer,
  ExamineQuestion,
  PreviewAnswer,
  PreviewQuestion,
  TraceAnswer,
  TraceQuestion,
  ValuesAnswer,
  ValuesQuestion,
} from "../preview/question.ts";
import { createReceiver, type SentNode } from "../preview/sent-tree.ts";
import { sharedMemory } from "../preview/shared-answer.ts";
import {
  base,
  baseline,
  currentText,
  draftPaths,
  examined,
  manifest,
  namespace,
  own,
  pod,
  shownView,
  showPreview,
  templateNames,
  traced,
  valued,
  workloads,
  workspace,
} from "./state.ts";
import { type Asker, createAsker } from "./workers.ts";

/** Milliseconds without an edit before the tree is examined with its samples. */
const EXAMINE_AFTER = 200;

/** Milliseconds without an edit before the lines of the preview are traced to what wrote them. */
const TRACE_AFTER = 150;

/** Milliseconds without an edit before the values behind the lines are found. */
const VALUES_AFTER = 800;

export interface Workers {
  /** Previews the chosen pod, now and after each change. */
  preview(): void;
  /** Examines the tree and compares the preview, from the first preview on. */
  everythingElse(release: (name: string) => Promise<Release>): void;
  /** Measures what the move of a channel changes. */
  compare(question: CompareQuestion): Promise<CompareAnswer>;
}

export function startWorkers(onFailure: (message: string) => void): Workers {
  const start = () => new Worker("worker.js", { type: "module" });
  const isPreviewed = signal(false);
  return {
    preview() {
      const previewer = createAsker<PreviewQuestion | TraceQuestion, PreviewAnswer<SentNode> | TraceAnswer>(
        start(),
        sharedMemory(),
      );
      const [receive, receiveEdits] = [createReceiver(), createReceiver()];
      previewer.onFailure = onFailure;
      let pause = 0;
      previewer.onAnswer = (answer) => {
        if (answer.kind === "trace") {
          traced.value = answer;
          return;
        }
        const { outcome } = answer;
        const received = outcome && {
          ...outcome,
          changes: receive(outcome.changes),
          edits: receiveEdits(outcome.edits),
        };
        showPreview({ ...answer, outcome: received });
        pause = window.setTimeout(() => previewer.ask({ kind: "trace" }), TRACE_AFTER);
        isPreviewed.value = true;
      };
      effect(() => {
        const { shipped } = workspace.value;
        clearTimeout(pause);
        const about = { pod: pod.value, namespace: namespace.value, against: baseline.value };
        const question = { shipped, own: own.value, ...about };
        previewer.ask({ kind: "preview", ...question });
      });
    },
    everythingElse(release) {
      let examiner: Asker<ExamineQuestion, ExamineAnswer> | undefined;
      let timer = 0;
      effect(() => {
        if (!isPreviewed.value) return;
        if (examiner === undefined) {
          examiner = createAsker(start());
          examiner.onFailure = onFailure;
          examiner.onAnswer = (answer) => {
            examined.value = answer;
            if (answer.names !== undefined) templateNames.value = answer.names;
          };
        }
        const { ask } = examiner;
        const { shipped, saved } = workspace.value;
        const manifests = manifest.value === "" ? [] : [manifest.value];
        const running = workloads.value ?? [];
        const question = { kind: "examine", shipped, own: own.value, saved, manifests, workloads: running } as const;
        clearTimeout(timer);
        timer = window.setTimeout(() => ask(question), EXAMINE_AFTER);
      });
      traceValues(start);
      compareWithBase(start, release, onFailure);
    },
    compare: (question) =>
      new Promise((resolve, reject) => {
        const worker = start();
        const asker = createAsker<CompareQuestion, CompareAnswer>(worker);
        asker.onFailure = (message) => {
          worker.terminate();
          reject(new Error(message));
        };
        asker.onAnswer = (answer) => {
          worker.terminate();
          resolve(answer);
        };
        asker.ask(question);
      }),
  };
}

/** Asks which values the lines depend on, when neither edits nor the choice of another pod are to be expected. */
function traceValues(start: () => Worker): void {
  let asker: Asker<ValuesQuestion, ValuesAnswer> | undefined;
  let timer = 0;
  effect(() => {
    clearTimeout(timer);
    if (traced.value === undefined || traced.value.text === "") return;
    const { shipped } = workspace.peek();
    const question = { shipped, own: own.peek(), pod: pod.peek(), namespace: namespace.peek() };
    timer = window.setTimeout(() => {
      asker ??= createAsker(start());
      asker.onAnswer = (answer) => {
        valued.value = answer;
      };
      asker.ask({ kind: "values", ...question });
    }, VALUES_AFTER);
  });
}

/** Asks what the base makes of the pod: from the first edit on, and where it is looked at. */
function compareWithBase(
  start: () => Worker,
  release: (name: string) => Promise<Release>,
  onFailure: (message: string) => void,
): void {
  let asker: Asker<BaselineQuestion, BaselineAnswer> | undefined;
  let before: readonly unknown[] = [];
  let number = 0;
  // An edit leaves the base as it is, but for one of the pod itself.
  const sample = computed(() => pod.value.kind === "sample" && currentText(`samples/${pod.value.name}`));
  const isCompared = computed(() => draftPaths.value.length > 0 || shownView.value === "edits");
  effect(() => {
    const to = base.value;
    const { shipped, saved } = workspace.value;
    const [chosen, place] = [pod.value, namespace.value];
    const about = [to, chosen, place, saved, sample.value];
    if (about.some((one, at) => one !== before[at])) {
      baseline.value = undefined;
      number += 1;
    }
    before = about;
    if (!isCompared.value) return;
    const asked = { kind: "baseline", shipped, own: own.peek(), saved, pod: chosen, namespace: place } as const;
    asker ??= createAsker(start());
    const { ask } = asker;
    asker.onFailure = onFailure;
    const answered = (text: string) => {
      if (baseline.peek()?.text !== text || baseline.peek()?.number !== number) baseline.value = { number, text };
    };
    asker.onAnswer = ({ text }) => answered(text);
    if (to.kind === "saved") return ask({ ...asked, release: undefined });
    release(to.name).then(
      (found) => {
        if (base.value === to) ask({ ...asked, release: found });
      },
      (error: unknown) => {
        answered(`# ${error instanceof Error ? error.message : String(error)}\n`);
      },
    );
  });
}
