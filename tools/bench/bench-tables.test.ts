import { describe, expect, it } from "vitest";
import { benchLines, stageLines } from "./bench-tables.ts";

describe("benchLines()", () => {
  it("has a row for each pod, with both of its scenarios", () => {
    const rows = [
      { name: "small", ratio: 0.94, medianRatio: 0.9, goal: 2 },
      { name: "small, new", ratio: 2.66, goal: 2 },
      { name: "200 shapes in turn", ratio: 3.3 },
    ];
    expect(benchLines({ node: "v24.1.0", load: 0.25, rows }).slice(2)).toEqual([
      "| pod | a replica | a new workload | goal |",
      "| --- | --- | --- | --- |",
      "| small | 0.9 (0.9) | 2.7 | 2.0 |",
      "| 200 shapes in turn |  | 3.3 |  |",
    ]);
    expect(benchLines({ node: "v24.1.0", load: 0.25, rows })[0]).toContain("Node v24.1.0, load 0.3");
  });
});

describe("stageLines()", () => {
  it("has a row for each stage of the typical pod", () => {
    const stages = { "typical, new": { parse: 0.184, check: 0.1 }, "large, new": { parse: 0.31 } };
    expect(stageLines(stages).slice(2)).toEqual(["| parse | 0 % | 18 % | 31 % |", "| check | 0 % | 10 % | 0 % |"]);
  });
});
