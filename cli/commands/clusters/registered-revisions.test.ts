import { digestOfToken, type InstalledWebhook } from "@outrigger/cluster";
import type { ClusterRecord } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { assertOneName, revisionsToRegister } from "./registered-revisions.ts";

const ARN = "arn:aws:eks:eu-west-1:111122223333:cluster/shop";
const webhook = (revision: string, changes: Partial<InstalledWebhook> = {}): InstalledWebhook => ({
  ...{ name: revision, object: {}, deployment: "dev", revision, token: "t" },
  ...changes,
});
const record = (...revisions: readonly string[]): ClusterRecord => ({
  revisions: Object.fromEntries(revisions.map((revision) => [revision, "stable"])),
  arn: ARN,
  tokens: [{ sha256: digestOfToken("t"), created: "2026-11-28T00:00:00Z" }],
});

describe("revisionsToRegister()", () => {
  const ask = (options: Parameters<typeof revisionsToRegister>[0], ...revisions: readonly string[]) =>
    revisionsToRegister(options, "shop", { installed: [], records: { shop: record(...revisions) } });

  it.each([
    ["the default one where there is none", [], ["default"]],
    ["the one that is registered, whatever its name", ["1-30"], ["1-30"]],
    ["all of them, to repair them", ["default", "1-30"], ["1-30", "default"]],
  ])("takes %s", (_what, there, expected) => {
    expect(ask({}, ...there)).toEqual(expected);
  });

  it("takes the one that is named, and those whose record is lost", () => {
    expect(ask({ revision: "1-31" }, "default")).toEqual(["1-31"]);
    const installed = [webhook("1-30"), webhook("1-30", { tag: "prod" }), webhook("1-31", { tag: "next" })];
    expect(revisionsToRegister({}, "shop", { installed, records: {} })).toEqual(["1-30"]);
    expect(revisionsToRegister({}, "shop", { installed, records: { shop: record("1-30", "1-29") } })).toEqual([
      "1-29",
      "1-30",
    ]);
  });

  it.each(["phase", "tag", "network", "channel", "timeout", "safetyNet", "namespace", "clusterId", "failurePolicy"])(
    "takes --%s for the only one that there is",
    (option) => {
      expect(ask({ [option]: "x" }, "1-30")).toEqual(["1-30"]);
      expect(() => ask({ [option]: "x" }, "default", "1-30")).toThrow("name one of them, or a new one");
    },
  );

  it("changes none of several by guessing", () => {
    expect(() => ask({ phase: "enforce" }, "default", "1-30")).toThrow(
      "Cannot change shop without --revision: it has the revisions 1-30, default",
    );
  });
});

describe("assertOneName()", () => {
  it("refuses a second name, by the token of the webhooks and by the ARN", () => {
    const message = "Cannot register this cluster as alias: it is registered as shop; use --as shop";
    const records = { shop: record("default") };
    expect(() => assertOneName("alias", "", { installed: [webhook("default")], records })).toThrow(message);
    expect(() => assertOneName("alias", ARN, { installed: [], records })).toThrow(message);
  });

  it("lets the same name pass, another cluster, and a name that is there already", () => {
    const records = { shop: record("default") };
    assertOneName("shop", ARN, { installed: [webhook("default")], records });
    assertOneName("other", `${ARN}-2`, { installed: [], records });
    assertOneName("alias", ARN, { installed: [], records: { ...records, alias: record("default") } });
  });
});
