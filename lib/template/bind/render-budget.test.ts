import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { spend, startBudget, stepsOf } from "./render-budget.ts";

describe("a rendering's budget", () => {
  it("is 200,000 steps for every pod, however small, and begins again with each rendering", () => {
    for (const data of [{}, undefined]) {
      startBudget("a", data);
      expect(() => spend(200_000)).not.toThrow();
    }
  });

  it("is more by 100 steps for each character of metadata and spec, once", () => {
    const pod = { metadata: { name: "web" }, spec: { a: "x".repeat(1000) } };
    const more = 100 * JSON.stringify([pod.metadata, pod.spec]).length;
    startBudget("a", { ...pod, status: "x".repeat(1000) });
    spend(200_000);
    spend(more);
    expect(() => spend(1)).toThrow('Cannot render template "a": it takes more than 100 steps a character');
    startBudget("a", pod);
    expect(() => spend(200_000 + more)).not.toThrow();
  });

  it("says that a smaller pod would be within it", () => {
    startBudget("a", {});
    const error = (() => {
      try {
        return spend(300_000);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(OutriggerError);
    expect(error).toMatchObject({ code: "template-render", path: "a", cause: expect.any(RangeError) });
  });

  it("counts the characters of a text and the items of a list, and one step for anything else", () => {
    expect(["four", [1, 2], [], "", { a: 1 }, 9, null, undefined].map(stepsOf)).toEqual([4, 2, 0, 0, 1, 1, 1, 1]);
  });
});
