// The page's side of the workers: one question in flight, and of those that come meanwhile only the last one is asked.

import type { Answer, Question } from "../preview/question.ts";
import type { Answered, Asked } from "../preview/worker.ts";

export interface Asker<Asks extends Question, Answers extends Answer> {
  /** Asks, as soon as the worker is free. A newer question takes the place of one that still waits. */
  ask(question: Asks): void;
  /** Called with each answer. */
  onAnswer: (answer: Answers) => void;
  onFailure: (message: string) => void;
}

/** The part of a Worker that is used. */
export interface WorkerPort {
  postMessage(message: Asked): void;
  onmessage: ((event: MessageEvent<Answered>) => unknown) | null;
}

export function createAsker<Asks extends Question, Answers extends Answer>(port: WorkerPort): Asker<Asks, Answers> {
  let number = 0;
  let isBusy = false;
  let waiting: Asks | undefined;
  const asker: Asker<Asks, Answers> = { ask, onAnswer: () => {}, onFailure: () => {} };
  port.onmessage = ({ data }) => {
    isBusy = false;
    if (waiting !== undefined) ask(waiting);
    if ("failure" in data) asker.onFailure(data.failure);
    else asker.onAnswer(data.answer as Answers);
  };
  function ask(question: Asks): void {
    if (isBusy) {
      waiting = question;
      return;
    }
    waiting = undefined;
    isBusy = true;
    number += 1;
    port.postMessage({ number, question });
  }
  return asker;
}
