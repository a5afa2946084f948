import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCodePoint } from "../../../test/support/arbitrary-code-point.ts";
import { readMetrics } from "../../../test/support/read-metrics.ts";
import type { AdmissionRecord } from "./admission-record.ts";
import { logAdmission } from "./log.ts";

const RUNS = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

const CALL: AdmissionRecord = {
  uid: "u",
  cluster: "east",
  namespace: "shop",
  name: "web",
  decision: "injected",
  status: 200,
  release: "0123456789ab",
  milliseconds: 1,
};

const hostile = fc.oneof(
  fc.string({ unit: arbitraryCodePoint }),
  fc.constantFrom('"', "\\", "\n", '"},"_aws":{', "x".repeat(9999), "east"),
);

describe("logAdmission()", () => {
  it("is whole for CloudWatch and takes no dimension from a caller when everything that a caller says is hostile", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, fc.boolean(), (uid, cluster, namespace, name, isRegistered) => {
        const lines: string[] = [];
        const record = { ...CALL, ...(isRegistered ? { tokenSlot: 1 as const } : {}), uid, cluster, namespace, name };
        logAdmission(record, { write: (line) => lines.push(line), metrics: { stage: "dev", now: () => 1 } });
        const dimensions = readMetrics(lines[0] as string).flatMap((metric) => Object.values(metric.dimensions));
        const ours = ["dev", "injected", ...(isRegistered ? [cluster, "1", "0123456789ab"] : [])];
        expect(dimensions.filter((value) => !ours.includes(value))).toEqual([]);
        expect(dimensions).toContain("injected");
      }),
      { numRuns: RUNS },
    );
  });
});
