import { describe, expect, it } from "vitest";
import { benchLines } from "./bench-tables.ts";

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
