import { expect, it } from "vitest";
import type { Answers } from "./question.ts";
import { shareAnswer, sharedMemory, takeAnswer } from "./shared-answer.ts";

const answer: Answers["trace"] = { text: "name: 边车\n", origins: [{ kind: "pod" }] };

it("shareAnswer() leaves an answer for the question of its number alone", () => {
  const memory = new SharedArrayBuffer(1024);
  expect(takeAnswer(memory, 1)).toBeUndefined();
  expect(shareAnswer(memory, 1, answer)).toBe(true);
  expect(takeAnswer(memory, 1)).toEqual(answer);
  expect(takeAnswer(memory, 2)).toBeUndefined();
});

it("shareAnswer() refuses what does not fit, and leaves what is there", () => {
  const memory = new SharedArrayBuffer(256);
  shareAnswer(memory, 1, answer);
  expect(shareAnswer(memory, 2, { ...answer, text: "a".repeat(256) })).toBe(false);
  expect(takeAnswer(memory, 2)).toBeUndefined();
  expect(takeAnswer(memory, 1)).toEqual(answer);
});

it("sharedMemory() is undefined where a page is not isolated", () => {
  expect(sharedMemory()).toBeUndefined();
});
