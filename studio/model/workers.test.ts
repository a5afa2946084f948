import { expect, it } from "vitest";
import type { PreviewAnswer, PreviewQuestion } from "../preview/question.ts";
import type { Answered, Asked } from "../preview/worker.ts";
import { createAsker, type WorkerPort } from "./workers.ts";

const question = (namespace: string): PreviewQuestion => ({
  kind: "preview",
  shipped: {},
  own: {},
  pod: { kind: "sample", name: "web" },
  namespace,
});
const answer: PreviewAnswer = { kind: "preview", findings: [], outcome: undefined, took: { compile: 1, inject: 1 } };

const eventOf = (data: Answered) => new MessageEvent("message", { data });

it("createAsker() asks one question at a time, and of those that wait only the last", () => {
  const asked: Asked[] = [];
  const port: WorkerPort = { postMessage: (message) => void asked.push(message), onmessage: null };
  const asker = createAsker<PreviewQuestion, PreviewAnswer>(port);
  const answers: PreviewAnswer[] = [];
  const failures: string[] = [];
  asker.onAnswer = (one) => void answers.push(one);
  asker.onFailure = (message) => void failures.push(message);
  for (const namespace of ["a", "b", "c"]) asker.ask(question(namespace));
  const namespaces = () => asked.map(({ question: one }) => (one as PreviewQuestion).namespace);
  expect(namespaces()).toEqual(["a"]);
  port.onmessage?.(eventOf({ number: 1, answer }));
  expect(namespaces()).toEqual(["a", "c"]);
  port.onmessage?.(eventOf({ number: 2, failure: "no" }));
  asker.ask(question("d"));
  expect(asked).toHaveLength(3);
  expect({ answers, failures }).toEqual({ answers: [answer], failures: ["no"] });
});
