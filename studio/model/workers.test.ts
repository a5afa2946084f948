import { afterEach, describe, expect, it, vi } from "vitest";
import type { Answers, PreviewQuestion } from "../preview/question.ts";
import { shareAnswer } from "../preview/shared-answer.ts";
import type { Answered, Asked } from "../preview/worker.ts";
import { createAsker, type WorkerPort } from "./workers.ts";

const question = (namespace: string): PreviewQuestion => ({
  kind: "preview",
  shipped: {},
  own: {},
  pod: { kind: "sample", name: "web" },
  namespace,
  against: undefined,
});
const answer: Answers["preview"] = { key: "", findings: [], outcome: undefined };

const ignore = () => {};
const eventOf = (data: Answered) => new MessageEvent("message", { data });

it("createAsker() asks one question at a time, and of those that wait only the last", () => {
  const asked: Asked[] = [];
  const port: WorkerPort = { postMessage: (message) => void asked.push(message), onmessage: null };
  const answers: Answers["preview"][] = [];
  const failures: string[] = [];
  const ask = createAsker<"preview">(
    () => port,
    (one) => void answers.push(one),
    (message) => void failures.push(message),
  );
  for (const namespace of ["a", "b", "c"]) ask(question(namespace));
  const namespaces = () => asked.map(({ question: one }) => (one as PreviewQuestion).namespace);
  expect(namespaces()).toEqual(["a"]);
  port.onmessage?.(eventOf({ number: 1, answer }));
  expect(namespaces()).toEqual(["a", "c"]);
  port.onmessage?.(eventOf({ number: 2, failure: "no" }));
  ask(question("d"));
  expect(asked).toHaveLength(3);
  expect({ answers, failures }).toEqual({ answers: [answer], failures: ["no"] });
});

it("createAsker() sends of a question what is another object than before", () => {
  const asked: Asked[] = [];
  const port: WorkerPort = { postMessage: (message) => void asked.push(message), onmessage: null };
  const ask = createAsker<"preview">(() => port, ignore, ignore);
  const first = question("a");
  ask(first);
  port.onmessage?.(eventOf({ number: 1, answer }));
  const own = { "templates/a": "spec: {}\n" };
  ask({ ...first, own });
  expect(asked.map(({ question: one }) => one)).toEqual([first, { own }]);
});

describe("with memory that the worker shares", () => {
  afterEach(() => vi.unstubAllGlobals());

  function quickAsker() {
    const frames: (() => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (frame: () => void) => void frames.push(frame));
    const memory = new SharedArrayBuffer(1024);
    const asked: Asked[] = [];
    const port: WorkerPort = { postMessage: (message) => void asked.push(message), onmessage: null };
    const answers: Answers["preview"][] = [];
    const take = (one: Answers["preview"]) => void answers.push(one);
    const ask = createAsker<"preview">(() => port, take, ignore, memory);
    const answered = (number: number, took: number) => {
      shareAnswer(memory, number, { ...answer, key: String(number) });
      return () => port.onmessage?.(eventOf({ number, took }));
    };
    return { ask, asked, answers, frames, answered, keys: () => answers.map(({ key }) => key) };
  }

  it("createAsker() takes a quick answer in the next frame, once", () => {
    const { ask, frames, answered, keys } = quickAsker();
    ask(question("a"));
    expect(frames).toHaveLength(0);
    answered(1, 1)();
    expect(keys()).toEqual(["1"]);
    ask(question("b"));
    const message = answered(2, 1);
    frames.shift()?.();
    expect(keys()).toEqual(["1", "2"]);
    ask(question("c"));
    message();
    expect(keys()).toEqual(["1", "2"]);
  });

  it("createAsker() takes what comes later from its message, and waits for no slow worker", () => {
    const { ask, asked, frames, answered, keys } = quickAsker();
    ask(question("a"));
    answered(1, 1)();
    ask(question("b"));
    ask(question("c"));
    frames.shift()?.();
    expect(keys()).toEqual(["1"]);
    // Slow once: the next is still waited for.
    answered(2, 1000)();
    expect(keys()).toEqual(["1", "2"]);
    expect(frames.splice(0)).toHaveLength(1);
    answered(3, 1000)();
    ask(question("d"));
    expect(frames).toHaveLength(0);
    answered(4, 1)();
    ask(question("e"));
    expect(frames).toHaveLength(1);
    expect(asked).toHaveLength(5);
  });
});
