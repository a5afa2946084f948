// The worker's entry: answers questions in the order in which they come. The page starts one for previews and one for
// examinations, so that a long examination never delays a preview.

import { baseline } from "./baseline.ts";
import type { ChangeNode } from "./change-tree.ts";
import { createCompiler } from "./compile-trees.ts";
import { compare, examine } from "./examine.ts";
import { type Previewed, preview } from "./preview.ts";
import type { Answer, PreviewAnswer, Question } from "./question.ts";
import { type SentNode, sentTree } from "./sent-tree.ts";
import { trace } from "./trace.ts";
import { valuesBehind } from "./values-behind.ts";

/** What a worker receives and sends: an answer carries its question's number. */
export interface Asked {
  readonly number: number;
  readonly question: Question;
}

export type Answered =
  | { readonly number: number; readonly answer: Answer }
  | { readonly number: number; readonly failure: string };

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: Asked }) => void;
  postMessage(message: Answered): void;
};

const now = () => performance.now();
const compile = createCompiler(now);
let latest: Previewed | undefined;
/** What the page has of the last preview. */
let sent: readonly ChangeNode[] = [];

scope.onmessage = ({ data: { number, question } }) => {
  try {
    scope.postMessage({ number, answer: answerTo(question) });
  } catch (error) {
    // A bug: it must not leave the page waiting.
    scope.postMessage({ number, failure: error instanceof Error ? error.message : String(error) });
  }
};

function answerTo(question: Question): Answer {
  switch (question.kind) {
    case "preview":
      latest = undefined;
      return send(
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

function send({ outcome, ...answer }: PreviewAnswer): PreviewAnswer<SentNode> {
  if (outcome === undefined) return { ...answer, outcome };
  const changes = sentTree(sent, outcome.changes);
  sent = outcome.changes;
  return { ...answer, outcome: { ...outcome, changes } };
}
