// Which worker is asked what, and when. The first makes the previews; the others are started when the page is at rest, so that they
// do not compete with it. Of each, one question is in flight, and of those that come meanwhile only the last one is asked.

import { computed, effect, signal } from "@preact/signals";
import type { Answers, Chosen, CompareQuestion, Kind, Question } from "../preview/question.ts";
import { createReceiver } from "../preview/sent-tree.ts";
import { sharedMemory, takeAnswer } from "../preview/shared-answer.ts";
import type { Answered, Asked } from "../preview/worker.ts";
import { failureOf } from "./failure.ts";
import { report } from "./notice.ts";
import { releasesApi } from "./releases.ts";
import {
  base,
  baseline,
  branchCounts,
  clusterImpact,
  clusterReach,
  currentText,
  draftPaths,
  examined,
  isPreviewEntered,
  manifests,
  namespace,
  own,
  ownPaths,
  pod,
  shownView,
  showPreview,
  templateNames,
  traced,
  valued,
  workloads,
  workspace,
} from "./state.ts";

/** Milliseconds without an edit before the tree is examined with its samples. */
const EXAMINE_AFTER = 200;

/** Milliseconds without an edit before the workloads of the cluster are asked. */
const FLEET_AFTER = 500;

/** Milliseconds without an edit before the lines of the preview are traced to what wrote them. */
const TRACE_AFTER = 150;

/** Milliseconds without an edit before the values behind the lines are found. */
const VALUES_AFTER = 800;

const start = () => new Worker("worker.js", { type: "module" });
let previewer: Worker | undefined;
const startPreviewer = () => {
  previewer ??= start();
  return previewer;
};
const sayFailure = (message: string) => report("failed", { message });
const isPreviewed = signal(false);

const chosen = computed((): Chosen => {
  return { shipped: workspace.value.shipped, own: own.value, pod: pod.value, namespace: namespace.value };
});

/** Previews the chosen pod, now and after each change. */
export function keepPreview(): void {
  const [receive, receiveEdits] = [createReceiver(), createReceiver()];
  let pause = 0;
  const show = (answer: Answers["preview" | "trace"]) => {
    if ("origins" in answer) {
      traced.value = answer;
      return;
    }
    const { outcome } = answer;
    const received = outcome && { ...outcome, changes: receive(outcome.changes), edits: receiveEdits(outcome.edits) };
    showPreview({ ...answer, outcome: received });
    pause = window.setTimeout(() => ask({ kind: "trace", ...chosen.value }), TRACE_AFTER);
    isPreviewed.value = true;
  };
  const ask = createAsker<"preview" | "trace">(startPreviewer, show, sayFailure, sharedMemory());
  effect(() => {
    clearTimeout(pause);
    ask({ kind: "preview", ...chosen.value, against: baseline.value });
  });
}

/** Examines the tree, asks the cluster's workloads, finds the values behind lines and compares the preview: from the first preview on. */
export function keepEverythingElse(): void {
  examine();
  askFleet();
  traceValues();
  compareWithBase();
}

function examine(): void {
  const show = (answer: Answers["examine"]) => {
    examined.value = answer;
    if (answer.names !== undefined) templateNames.value = answer.names;
  };
  whenRested(EXAMINE_AFTER, createAsker<"examine">(start, show, sayFailure), () => {
    if (!isPreviewed.value) return undefined;
    const { shipped, saved } = workspace.value;
    return { kind: "examine", shipped, own: own.value, saved, manifests: manifests.value };
  });
}

/** Asks what the workloads of the cluster make of the edits, when no further one is to be expected: there may be hundreds. */
function askFleet(): void {
  const show = ({ impact, branches, reach }: Answers["fleet"]) => {
    clusterImpact.value = impact;
    clusterReach.value = reach;
    if (branches !== undefined) branchCounts.value = branches;
  };
  whenRested(FLEET_AFTER, createAsker<"fleet">(start, show, sayFailure), () => {
    const running = workloads.value ?? [];
    if (!isPreviewed.value || running.length === 0) return undefined;
    const { shipped, saved } = workspace.value;
    return { kind: "fleet", shipped, own: own.value, saved, workloads: running };
  });
}

/**
 * Asks which values the lines depend on, when neither edits nor the choice of another pod are to be expected. Values of one's own are named
 * at their lines; the shipped ones are named of a line that is pointed at or has the cursor, so that they are asked for only then.
 */
function traceValues(): void {
  const isShown = computed(() => isPreviewEntered.value || ownPaths.value.some((path) => path.startsWith("values/")));
  const show = (answer: Answers["values"]) => {
    valued.value = answer;
  };
  whenRested(
    VALUES_AFTER,
    createAsker<"values">(start, show, () => {}),
    () => {
      if (!isShown.value || traced.value === undefined || traced.value.text === "") return undefined;
      return { kind: "values", ...chosen.peek() };
    },
  );
}

/** Asks a question, or none, once what it is made of has not changed for so many milliseconds. */
function whenRested<Of extends Kind>(
  milliseconds: number,
  ask: (question: Asks<Of>) => void,
  question: () => Asks<Of> | undefined,
): void {
  let timer = 0;
  effect(() => {
    const asked = question();
    clearTimeout(timer);
    if (asked !== undefined) timer = window.setTimeout(() => ask(asked), milliseconds);
  });
}

/**
 * Asks what the base makes of the pod: from the first edit on, and where it is looked at. It is asked of the worker of the previews, which
 * has compiled the saved tree already.
 */
function compareWithBase(): void {
  let before: readonly unknown[] = [];
  let number = 0;
  const answered = (text: string) => {
    if (baseline.peek()?.text !== text || baseline.peek()?.number !== number) baseline.value = { number, text };
  };
  const ask = createAsker<"baseline">(() => lineTo(startPreviewer()), answered, sayFailure);
  // An edit leaves the base as it is, but for one of the pod itself.
  const sample = computed(() => pod.value.kind === "sample" && currentText(`samples/${pod.value.name}`));
  const isCompared = computed(() => draftPaths.value.length > 0 || shownView.value === "edits");
  effect(() => {
    const to = base.value;
    const { shipped, saved } = workspace.value;
    const about = [to, pod.value, namespace.value, saved, sample.value];
    if (about.some((one, at) => one !== before[at])) {
      baseline.value = undefined;
      number += 1;
    }
    before = about;
    if (!isCompared.value) return;
    const asked = { kind: "baseline", ...chosen.peek(), shipped, saved } as const;
    if (to === undefined) return ask({ ...asked, release: undefined });
    releasesApi.release(to).then(
      (release) => {
        if (base.value === to) ask({ ...asked, release });
      },
      (error: unknown) => answered(`# ${failureOf(error).words}\n`),
    );
  });
}

export function compareInWorker(question: CompareQuestion): Promise<Answers["compare"]> {
  return askOnce<"compare">(question);
}

/** Asks a worker of its own, which ends with its answer. */
export function askOnce<Of extends Kind>(question: Asks<Of>): Promise<Answers[Of]> {
  const worker = start();
  return new Promise<Answers[Of]>((resolve, reject) => {
    createAsker<Of>(
      () => worker,
      resolve,
      (message) => reject(new Error(message)),
    )(question);
  }).finally(() => worker.terminate());
}

/** Opens another line to a worker, with questions of its own: none takes the place of one that waits in the first. */
function lineTo(worker: Worker): WorkerPort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(undefined, [port2]);
  return port1;
}

export interface WorkerPort {
  postMessage(message: Asked): void;
  onmessage: ((event: MessageEvent<Answered>) => unknown) | null;
}

type Asks<Of extends Kind> = Question & { readonly kind: Of };

/**
 * What asks a worker, as soon as it is free. A newer question takes the place of one that still waits.
 *
 * @param start called for the first question
 * @param memory where the worker writes its answers, if it can be shared: then a quick answer is shown in the frame of the key that
 * asked for it
 */
export function createAsker<Of extends Kind>(
  start: () => WorkerPort,
  onAnswer: (answer: Answers[Of]) => void,
  onFailure: (message: string) => void,
  memory?: SharedArrayBuffer,
): (question: Asks<Of>) => void {
  let port: WorkerPort | undefined;
  let number = 0;
  let isBusy = false;
  /** The number of slow answers in a row. A worker that has answered nothing yet counts as slow. */
  let slowAnswers = MOST_SLOW;
  let waiting: Asks<Of> | undefined;
  /** What the worker has of the questions before. */
  let known: Partial<Question> = {};
  return ask;

  function hear({ data }: MessageEvent<Answered>): void {
    if (data.number === number && isBusy) finish(data);
    if ("took" in data) slowAnswers = data.took < PATIENCE ? 0 : slowAnswers + 1;
  }
  function finish(answered: Answered): void {
    const answer = "answer" in answered ? answered.answer : memory && takeAnswer(memory, answered.number);
    isBusy = false;
    if (waiting !== undefined) ask(waiting);
    if ("failure" in answered) onFailure(answered.failure);
    else onAnswer(answer as Answers[Of]);
  }
  function ask(question: Asks<Of>): void {
    if (isBusy) {
      waiting = question;
      return;
    }
    waiting = undefined;
    isBusy = true;
    number += 1;
    port ??= Object.assign(start(), { onmessage: hear });
    port.postMessage({ number, question: differing(known, question), memory });
    known = { ...known, ...question };
    if (memory !== undefined && slowAnswers < MOST_SLOW) lookInFrame(memory, number);
  }
  /** The next frame, which shows the key, waits a little for the answer. */
  function lookInFrame(shared: SharedArrayBuffer, asked: number): void {
    const last = performance.now() + PATIENCE;
    requestAnimationFrame(() => {
      while (isBusy && number === asked) {
        const answer = takeAnswer(shared, asked);
        if (answer !== undefined) finish({ number: asked, answer });
        else if (performance.now() > last) return;
      }
    });
  }
}

/** The fields that are other objects than before: a key leaves the shipped tree alone. */
function differing(known: Readonly<Record<string, unknown>>, question: Question): Partial<Question> {
  return Object.fromEntries(Object.entries(question).filter(([name, value]) => known[name] !== value));
}

/** Milliseconds from a question on: less than a frame takes. */
const PATIENCE = 15;

/** A worker that has been slow so often in a row is not waited for: once, among quick answers, says nothing of the next. */
const MOST_SLOW = 2;
