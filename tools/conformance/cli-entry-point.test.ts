import { describe, expect, it } from "vitest";
import { kindsIn, outcomeOf } from "./cli-entry-point.ts";

const BAD_ESCAPE = 'kind: Pod\nmetadata: {name: "a\\qb"}\n';

describe("a manifest that is no YAML", () => {
  it("has no kinds, and does not end the run", () => {
    expect(kindsIn(BAD_ESCAPE)).toEqual([]);
    expect(kindsIn("kind: List\nitems: [{kind: Pod}]\n")).toEqual(["List", "Pod"]);
  });

  it("is what is refused, or a failure where the command prints it", () => {
    expect(outcomeOf({ code: 1, out: "", err: "no such escape" })).toMatchObject({ kind: "denied" });
    expect(outcomeOf({ code: 2, out: "", err: "usage" })).toMatchObject({ kind: "failed" });
    expect(outcomeOf({ code: 0, out: BAD_ESCAPE, err: "" })).toMatchObject({ kind: "failed" });
  });
});
