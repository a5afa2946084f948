import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openVerdictLog } from "./verdict-log.ts";

const judged = { file: "a.ts", code: "mutated", tests: ["a.test.ts", "b.test.ts"] };
const killed = { outcome: "killed", by: "b.test.ts", milliseconds: 3 } as const;
const survived = { outcome: "survived", milliseconds: 3 } as const;

describe("openVerdictLog()", () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), "outrigger-verdicts-")), "deep", "verdicts.jsonl");
  });
  afterEach(() => rmSync(join(file, "../.."), { recursive: true }));

  const open = (changed?: string) => openVerdictLog(file, (test) => (test === changed ? "changed" : "as it was"));

  it("finds what earlier runs added, without a line that was cut off", () => {
    open().add(judged, killed);
    open().add({ ...judged, code: "other" }, survived);
    appendFileSync(file, '{"key":"b","tests":"c","verdict":{"outcome":"survi');
    expect(open().find(judged)).toEqual(killed);
    expect(open().find({ ...judged, code: "other" })).toEqual(survived);
    expect(open().find({ ...judged, code: "new" })).toBeUndefined();
    expect(open().find({ ...judged, file: "b.ts" })).toBeUndefined();
  });

  it("keeps a kill while the test that made it is the same, and a survivor while all tests are", () => {
    open().add(judged, killed);
    expect([open("a.test.ts").find(judged), open("b.test.ts").find(judged)]).toEqual([killed, undefined]);
    open().add(judged, survived);
    expect([open("a.test.ts").find(judged), open("b.test.ts").find(judged)]).toEqual([undefined, undefined]);
    expect(open().find({ ...judged, tests: ["a.test.ts"] })).toBeUndefined();
    expect(open().find({ ...judged, tests: ["b.test.ts", "a.test.ts"] })).toEqual(survived);
  });
});
