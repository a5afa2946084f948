// Holds the twenty questions of readers against the pages: each has an answer that is near. `npm run site` searches for them.
import { describe, expect, it } from "vitest";
import { clicksFrom } from "../../scripts/site/page-clicks.ts";
import { NIGHT_QUESTIONS, QUESTIONS, TASK_QUESTIONS } from "../../scripts/site/questions.ts";
import { anchorsOf, pages, textOf } from "./code-blocks.ts";

const clicks = clicksFrom("README.md", { pages: pages(), textOf });

describe("the questions of readers", () => {
  it("are ten tasks, and ten at night", () => {
    expect([TASK_QUESTIONS.length, NIGHT_QUESTIONS.length]).toEqual([10, 10]);
    expect(new Set(QUESTIONS.map(({ answer }) => answer)).size).toBe(20);
  });

  it.each(QUESTIONS)("$asked is answered at most two clicks from the README", ({ answer }) => {
    const [page = "", anchor] = `docs/${answer}`.split("#");
    expect(clicks.get(page)).toBeLessThanOrEqual(2);
    if (anchor !== undefined) expect(anchorsOf(textOf(page))).toContain(anchor);
  });
});
