import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { AdmissionRecord } from "./admission-record.ts";
import { logAdmission } from "./log.ts";

const RECORD: AdmissionRecord = {
  uid: "u",
  cluster: "east",
  namespace: "shop",
  name: "web",
  decision: "injected",
  status: 200,
  release: "r1",
  templates: ["sidecar"],
  milliseconds: 1.23456,
};

function lineOf(record: AdmissionRecord): string {
  const lines: string[] = [];
  logAdmission(record, { write: (line) => lines.push(line) });
  expect(lines).toHaveLength(1);
  return lines[0] as string;
}

describe("logAdmission()", () => {
  it("writes one line of JSON when a pod is injected", () => {
    expect(lineOf(RECORD)).toBe(
      '{"level":"info","uid":"u","cluster":"east","pod":"shop/web","decision":"injected","status":200,"release":"r1","templates":["sidecar"],"milliseconds":1.235}\n',
    );
  });

  it("stays one line, of bounded length, when names are hostile", () => {
    const line = lineOf({
      ...RECORD,
      uid: "x".repeat(1_000_000),
      name: 'a\n{"level":"error"}\u2028',
      namespace: "\ud800",
    });
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(line.length).toBeLessThan(1000);
    expect(JSON.parse(line)).toMatchObject({ level: "info" });
  });

  it("logs code, message and path of an OutriggerError", () => {
    const error = new OutriggerError("template-render", "Cannot render it", {
      path: "templates/sidecar",
      line: 3,
      column: 4,
    });
    expect(JSON.parse(lineOf({ ...RECORD, decision: "failed", status: 500, error }))).toMatchObject({
      level: "error",
      error: { code: "template-render", message: "Cannot render it", path: "templates/sidecar", line: 3, column: 4 },
    });
  });

  it("logs the stack but not the message of any other error", () => {
    const line = lineOf({ ...RECORD, decision: "failed", status: 500, error: new TypeError("hunter2\n    at secret") });
    expect(JSON.parse(line).error).toMatchObject({
      name: "TypeError",
      stack: expect.arrayContaining([expect.stringMatching(/^at /)]),
    });
    expect(line).not.toContain("hunter2");
  });

  it("says what the store, the token and the process had to do with it when that is known", () => {
    const known = { cold: true, tokenSlot: 2, served: "stale", storeError: "store-unavailable" } as const;
    expect(JSON.parse(lineOf({ ...RECORD, ...known }))).toMatchObject(known);
  });

  it("writes the same members, and metrics behind them, when the deployment has a name", () => {
    const lines: string[] = [];
    const metrics = { stage: "dev", now: () => 1_800_000_000_000 };
    logAdmission(RECORD, { write: (line) => lines.push(line), metrics });
    const { _aws, ...members } = JSON.parse(lines[0] as string);
    expect(members).toMatchObject(JSON.parse(lineOf(RECORD)));
    expect(_aws.Timestamp).toBe(1_800_000_000_000);
    expect(lines).toHaveLength(1);
  });
});
