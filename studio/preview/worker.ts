// The worker's entry: answers questions in the order in which they come. The page starts one for previews and one for
// examinations, so that a long examination never delays a preview. A message with a port opens another line to the same worker.

import { ownError } from "@outrigger/base";
import { injectedText, loadRelease, traceInjection } from "@outrigger/injector";
import { editConfig } from "./edit-config.ts";
import { compare, examine } from "./examine.ts";
import { askFleet } from "./fleet.ts";
import { chosenPods, createCompiler, preview } from "./preview.ts";
import type { Answer, Answers, BaselineQuestion, LinesQuestion, PreviewAnswer, Question } from "./question.ts";
import { createSender } from "./sent-tree.ts";
import { shareAnswer } from "./shared-answer.ts";
import { valuesBehind } from "./values-behind.ts";

/** What a worker receives and sends: an answer carries its question's number. */
export interface Asked {
  readonly number: number;
  /** The fields that differ from those of the questions before. */
  readonly question: Partial<Question>;
  readonly memory: SharedArrayBuffer | undefined;
}

/** `took`: milliseconds, of an answer that is in the memory. */
export type Answered =
  | { readonly number: number; readonly answer: Answer }
  | { readonly number: number; readonly took: number }
  | { readonly number: number; readonly failure: string };

/** By which questions come and answers go: the worker's own, or one that a message brought. */
interface Line {
  onmessage: ((event: { readonly data: Asked; readonly ports: readonly Line[] }) => void) | null;
  postMessage(message: Answered): void;
}

const compile = createCompiler();
const compileSaved = createCompiler();
/** What the page has of the last preview. */
const [send, sendEdits] = [createSender(), createSender()];

serve(globalThis as unknown as Line);

function serve(line: Line): void {
  /** The fields of the last question by this line. */
  let known: Partial<Question> = {};
  line.onmessage = ({ data, ports: [other] }) => {
    if (other !== undefined) return serve(other);
    const { number, question, memory } = data;
    try {
      const started = performance.now();
      known = { ...known, ...question } as Partial<Question>;
      const answer = answerTo(known as Question);
      const isShared = memory !== undefined && shareAnswer(memory, number, answer);
      line.postMessage(isShared ? { number, took: performance.now() - started } : { number, answer });
    } catch (error) {
      // A bug: it must not leave the page waiting.
      line.postMessage({ number, failure: error instanceof Error ? error.message : String(error) });
    }
  };
}

function answerTo(question: Question): Answer {
  switch (question.kind) {
    case "preview":
      return sent(preview(question, compile));
    case "trace":
      return trace(question);
    case "values":
      return valuesBehind(question);
    case "baseline":
      return baseline(question);
    case "examine":
      return examine(question);
    case "fleet":
      return askFleet(question, compile, compileSaved);
    case "compare":
      return compare(question);
    case "config":
      return editConfig(question);
  }
}

function sent({ outcome, ...answer }: PreviewAnswer): Answers["preview"] {
  const trees = outcome && { ...outcome, changes: send(outcome.changes), edits: sendEdits(outcome.edits) };
  return { ...answer, outcome: trees };
}

function baseline({ release, saved, ...chosen }: BaselineQuestion): string {
  const { shipped } = chosen;
  const injector =
    release === undefined ? compileSaved({ shipped, own: saved }).traced?.injector : loadRelease(release);
  if (injector === undefined) return "# the saved tree has errors\n";
  try {
    return injectedText(injector, chosenPods(chosen).pod.request);
  } catch (error) {
    return `# ${ownError(error).message}\n`;
  }
}

/** Compiles nothing: the pod has just been previewed. */
function trace(question: LinesQuestion): Answers["trace"] {
  const { traced } = compile(question);
  try {
    const lines = (traced && traceInjection(traced, chosenPods(question).pod.request)?.lines) ?? [];
    const text = lines.map((line) => `${line.text}\n`).join("");
    return { text, origins: lines.map(({ origin }) => origin) };
  } catch (error) {
    // The preview has said so already.
    ownError(error);
    return { text: "", origins: [] };
  }
}
