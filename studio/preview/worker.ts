// The worker's entry: answers questions in the order in which they come. The page starts one for previews and one for
// examinations, so that a long examination never delays a preview.

import { baseline } from "./baseline.ts";
import { createCompiler } from "./compile-trees.ts";
import { compare, examine } from "./examine.ts";
import { type Previewed, preview } from "./preview.ts";
import type { Answer, PreviewAnswer, Question } from "./question.ts";
import { createSender, type SentNode } from "./sent-tree.ts";
import { shareAnswer } from "./shared-answer.ts";
import { trace } from "./trace.ts";
import { valuesBehind } from "./values-behind.ts";

/** What a worker receives and sends: an answer carries its question's number. */
export interface Asked {
  readonly number: number;
  /** The fields that differ from those of the questions before. */
  readonly question: Partial<Question>;
  /** Where the answer goes. */
  readonly memory: SharedArrayBuffer | undefined;
}

/** `took`: milliseconds, of an answer that is in the memory. */
export type Answered =
  | { readonly number: number; readonly answer: Answer }
  | { readonly number: number; readonly took: number }
  | { readonly number: number; readonly failure: string };

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: Asked }) => void;
  postMessage(message: Answered): void;
};

const now = () => performance.now();
const compile = createCompiler(now);
let latest: Previewed | undefined;
let known: Partial<Question> = {};
/** What the page has of the last preview. */
const send = createSender();

scope.onmessage = ({ data: { number, question, memory } }) => {
  try {
    const started = now();
    known = { ...known, ...question } as Partial<Question>;
    const answer = answerTo(known as Question);
    const isShared = memory !== undefined && shareAnswer(memory, number, answer);
    scope.postMessage(isShared ? { number, took: now() - started } : { number, answer });
  } catch (error) {
    // A bug: it must not leave the page waiting.
    scope.postMessage({ number, failure: error instanceof Error ? error.message : String(error) });
  }
};

function answerTo(question: Question): Answer {
  switch (question.kind) {
    case "preview":
      latest = undefined;
      return answerOf(
        preview(question, compile, now, (previewed) => {
          latest = previewed;
        }),
      );
    case "trace":
      return trace(latest);
    case "values":
      return valuesBehind(question);
    case "baseline":
      return baseline(question);
    case "examine":
      return examine(question);
    case "compare":
      return compare(question);
  }
}

function answerOf({ outcome, ...answer }: PreviewAnswer): PreviewAnswer<SentNode> {
  return { ...answer, outcome: outcome && { ...outcome, changes: send(outcome.changes) } };
}
