// The page's side of the workers: one question in flight, and of those that come meanwhile only the last one is asked.

import type { Answers, Kind, Question } from "../preview/question.ts";
import { takeAnswer } from "../preview/shared-answer.ts";
import type { Answered, Asked } from "../preview/worker.ts";

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
  /** In a row. One that has answered nothing is as slow. */
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
