import { stackNames } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import type { Fact } from "../fact.ts";
import { judgeDrift } from "./find-drift.ts";

type Facts = Parameters<typeof judgeDrift>[0];
const known = <Value>(value: Value): Fact<Value> => ({ known: true, value });
const DAY = 86_400_000;

const code = { state: "Active", lastUpdate: "Successful", codeSha256: "a" };
const as = "Outrigger 1 Stage=$.stage";
const groups = Object.fromEntries(stackNames.logGroups("dev").map((group) => [group, []]));
const deployment: Facts["deployment"] = {
  name: "dev",
  stack: known({ name: "outrigger-dev", status: "UPDATE_COMPLETE", url: "https://a.test" }),
  functions: known({ inject: { ...code, live: { version: "7", codeSha256: "a" } }, publish: code }),
  alarms: known(
    stackNames.alarms.map((name) => ({
      name: `outrigger-dev-${name}`,
      state: "ALARM",
      hasActions: false,
      isEnabled: true,
    })),
  ),
  logs: known({
    ...groups,
    "/aws/vendedlogs/outrigger/dev/access": Object.entries(stackNames.filters).map(([metric, pattern]) => ({
      metric,
      pattern,
      as,
    })),
  }),
};
const endpoint = { tls: known({ protocol: "TLSv1.3", validTo: 60 * DAY, milliseconds: 1 }) };
const after = (change: Partial<Facts["deployment"]>, tls: Facts["endpoint"]["tls"] = endpoint.tls) =>
  judgeDrift({ deployment: { ...deployment, ...change }, endpoint: { tls }, now: 0 });

describe("judgeDrift()", () => {
  it("finds nothing in a deployment as it was deployed, whatever its alarms say and wherever they notify", () => {
    expect(after({})).toEqual({ found: [], unseen: [] });
  });

  it.each<[string, Partial<Facts["deployment"]>, string]>([
    [
      "a stack whose rollback failed",
      { stack: known({ name: "outrigger-dev", status: "UPDATE_ROLLBACK_FAILED" }) },
      "stack: outrigger-dev is UPDATE_ROLLBACK_FAILED",
    ],
    ["a stack that is gone", { stack: known(undefined) }, "stack: there is no stack"],
    ["a function that is gone", { functions: known({ inject: undefined }) }, "functions: missing: inject"],
    [
      "a log group that is gone",
      { logs: known({ ...groups, "/aws/lambda/outrigger-dev-inject": undefined }) },
      "logs: missing: /aws/lambda/outrigger-dev-inject",
    ],
    ["filters that are gone", { logs: known(groups) }, "logs: no metric filter GatewayThrottled"],
    [
      "an alarm that is gone",
      { alarms: known(deployment.alarms.known ? deployment.alarms.value.slice(1) : []) },
      "alarms: missing: errors",
    ],
  ])("finds %s", (_what, change, seen) => {
    expect(after(change)?.found).toEqual([expect.stringContaining(seen)]);
  });

  it("finds a certificate that ends within two weeks", () => {
    const ending = known({ protocol: "TLSv1.3", validTo: 3 * DAY, milliseconds: 1 });
    expect(after({}, ending)?.found).toEqual([
      expect.stringContaining("tls: TLSv1.3 in 1 ms; the certificate is valid for 3"),
    ]);
  });

  it("finds rights that are missing, because they were deployed; what cannot be reached is not seen", () => {
    const denied = { known: false, why: "Cannot read the alarms", isDenied: true } as const;
    const lost = { known: false, why: "Cannot read log group", isDenied: false } as const;
    expect(after({ alarms: denied, logs: lost })).toEqual({
      found: ["alarms: Cannot read the alarms"],
      unseen: ["logs: Cannot read log group"],
    });
  });

  it("does not look at a deployment that is being changed", () => {
    expect(
      after({ stack: known({ name: "outrigger-dev", status: "UPDATE_IN_PROGRESS" }), logs: known({}) }),
    ).toBeUndefined();
  });
});
