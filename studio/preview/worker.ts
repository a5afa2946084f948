// The worker's entry: answers questions in the order in which they come. The page starts one for previews and one for
// examinations, so that a long examination never delays a preview.

import { baseline } from "./baseline.ts";
import { createCompiler } from "./compile-trees.ts";
import { compare, examine } from "./examine.ts";
import { type Previewed, preview } from "./preview.ts";
import type { Answer, Question, Trees } from "./question.ts";
import { trace } from "./trace.ts";
import { valuesBehind } from "./values-behind.ts";

/** What a worker receives and sends: an answer carries its question's number. */
export interface Asked {
  readonly number: number;
  readonly question: Question;
}

/** Trees that the page will soon ask about. There is no answer. */
export interface Prepared {
  readonly prepare: Trees;
}

export type Answered =
  | { readonly number: number; readonly answer: Answer }
  | { readonly number: number; readonly failure: string };

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: Asked | Prepared }) => void;
  postMessage(message: Answered): void;
};

const now = () => performance.now();
const compile = createCompiler(now);
let latest: Previewed | undefined;

scope.onmessage = ({ data }) => {
  if ("prepare" in data) compile(data.prepare);
  else answer(data);
};

function answer({ number, question }: Asked): void {
  try {
    scope.postMessage({ number, answer: answerTo(question) });
  } catch (error) {
    // A bug: it must not leave the page waiting.
    scope.postMessage({ number, failure: error instanceof Error ? error.message : String(error) });
  }
}

function answerTo(question: Question): Answer {
  switch (question.kind) {
    case "preview":
      latest = undefined;
      return preview(question, compile, now, (previewed) => {
        latest = previewed;
      });
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
