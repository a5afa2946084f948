import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { ageOf } from "./age-of.ts";
import { folded, printResult, table, withProgress } from "./print.ts";

describe("printResult()", () => {
  it("prints text for people and the value for machines, each ending its line", () => {
    const io = fakeIo();
    printResult(io, undefined, { a: 1 }, "one");
    printResult(io, undefined, { a: 1 }, "");
    printResult(io, true, { a: "\u001b" }, "one");
    expect(io.out()).toBe('one\n{\n  "a": "\\u001b"\n}\n');
  });

  it("lets no text steer the terminal", () => {
    const io = fakeIo();
    printResult(io, undefined, {}, "a\u001b[2Jb\u0007\u202ec\r\nd\te\u009b");
    expect(io.out()).toBe("a?[2Jb??c\nd\te?\n");
  });
});

describe("folded()", () => {
  it("breaks a line between words, and a word that is too long not at all", () => {
    const line = "  Added labels: service.istio.io/canonical-revision, app";
    expect(folded([line, "short"], { columns: 24 })).toEqual([
      "  Added labels:",
      "    service.istio.io/canonical-revision,",
      "    app",
      "short",
    ]);
    expect(folded(["a b c d e f"], { columns: 5 })).toEqual(["a b c", "  d e", "  f"]);
    expect(folded([line], {})).toEqual([line]);
  });

  it("ends where a terminal is narrower than the indent", () => {
    for (const columns of [0, 1, 3, 5])
      expect(folded(["      alpha beta"], { columns })).toEqual(["      alpha", "        beta"]);
  });
});

describe("table()", () => {
  it("aligns columns, leaves the last one as long as it is, and no space at the end of a line", () => {
    expect(
      table(
        ["A", "LONGER", "WHY"],
        [
          ["aaaa", "b", ""],
          ["a", "bb", "two\nlines"],
        ],
      ),
    ).toBe("A      LONGER   WHY\naaaa   b\na      bb       two lines\n");
  });
});

describe("withProgress()", () => {
  it("writes over its own line on a terminal, and nothing elsewhere", async () => {
    const run = async (report: (text: string) => void) => {
      report("Writing a");
      report("Writing b\u001b");
      return 1;
    };
    const person = fakeIo({ isTerminal: true });
    expect(await withProgress(person, run)).toBe(1);
    const line = "\r\u001b[KWriting a\r\u001b[KWriting b?\r\u001b[K";
    expect([person.out(), person.err()]).toEqual(["", line]);
    const failing = fakeIo({ isTerminal: true });
    await expect(
      withProgress(failing, (report) => run(report).then(() => Promise.reject(Error("no")))),
    ).rejects.toThrow("no");
    expect(failing.err()).toBe(line);
    const pipe = fakeIo();
    expect([await withProgress(pipe, run), pipe.err()]).toEqual([1, ""]);
  });
});

describe("ageOf()", () => {
  const now = Date.parse("2026-01-10T00:00:00Z");
  it.each([
    ["2026-01-10T00:00:00Z", "0s"],
    ["2026-01-09T23:59:20Z", "40s"],
    ["2026-01-09T23:00:30Z", "59m"],
    ["2026-01-09T01:00:00Z", "23h"],
    ["2025-12-31T00:00:00Z", "10d"],
    ["2026-01-10T00:00:05Z", "0s"],
    ["yesterday", "yesterday"],
  ])("says how long ago %s was: %s", (time, age) => {
    expect(ageOf(time, now)).toBe(age);
  });
});
