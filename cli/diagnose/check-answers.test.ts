import type { CheckResult } from "@outrigger/cluster";
import { describe, expect, it } from "vitest";
import {
  checkAnswer,
  checkFinding,
  outdatedText,
  placeFlags,
  registrationAnswer,
  registrationFinding,
  registrationText,
} from "./check-answers.ts";

function results(...levels: readonly CheckResult["level"][]): readonly CheckResult[] {
  return levels.map((level, index) => ({ id: "stack", section: "deployment", level, seen: `seen ${index}`, docs: "" }));
}

describe("checkFinding()", () => {
  it.each<[readonly CheckResult["level"][], string | undefined, string | undefined]>([
    [["ok", "untried"], undefined, undefined],
    [[], undefined, undefined],
    [["ok", "warning"], "findings", "1 of 2 checks found something"],
    [["error", "warning", "unknown", "ok"], "findings", "2 of 4 checks found something"],
    [["unknown", "ok", "unknown"], "aws-unavailable", "2 of 3 checks could not be made"],
  ])("ends a check of %j with %s", (levels, code, message) => {
    const finding = checkFinding(results(...levels));
    expect([finding?.code, finding?.message]).toEqual([code, message]);
  });
});

describe("checkAnswer()", () => {
  it("counts each level in its column, and says what is gravest first", () => {
    const checks = results("unknown", "warning", "ok", "error", "ok", "ok", "untried", "warning", "warning");
    expect(checkAnswer(checks)).toMatchObject({
      value: { checks },
      cells: ["3", "3", "1", "1"],
      said: "stack: seen 3; stack: seen 1; stack: seen 7; and 2 more",
      finding: { code: "findings" },
    });
    expect(checkAnswer(results("ok", "untried"))).toEqual({
      value: { checks: results("ok", "untried") },
      cells: ["1", "0", "0", "0"],
      said: "sound",
    });
  });
});

describe("outdatedText()", () => {
  type Workload = Parameters<typeof outdatedText>[0];
  type Verdict = NonNullable<Workload["example"]>["verdict"];
  const textOf = (verdict?: Verdict) => {
    const example = verdict && { example: { pod: "web-1", verdict } };
    const workload = { namespace: "shop", kind: "Deployment", name: "web", pods: 1, states: {}, releases: {} };
    return outdatedText({ ...workload, newest: "", ...example });
  };
  const changed = (...fields: readonly string[]) => fields.map((field) => ({ field }));

  it.each<[Verdict | undefined, readonly string[]]>([
    [undefined, []],
    [{ state: "missing" }, []],
    [{ state: "foreign", by: "istiod", changes: [] }, []],
    [{ state: "foreign", by: "istiod", changes: changed("a") }, ["shop/Deployment/web: a"]],
    [{ state: "refused", why: "two ports" }, ["shop/Deployment/web: refused"]],
    [{ state: "unwanted" }, ["shop/Deployment/web: unwanted"]],
    [
      { state: "outdated", changes: changed("a", "b", "c", "d"), inPlace: { why: "" } },
      ["shop/Deployment/web: a, b, c"],
    ],
  ])("says of %j what would change", (verdict, text) => {
    expect(textOf(verdict)).toEqual(text);
  });
});

describe("placeFlags()", () => {
  it("has the options with which a fix finds the cluster, and none that its name says", () => {
    expect(placeFlags({ cluster: "shop", as: "shop" })).toBe("");
    expect(placeFlags({ cluster: "shop" })).toBe("");
    const roleArn = "arn:aws:iam::999988887777:role/operator";
    expect(placeFlags({ cluster: "shop-eks", as: "shop", clusterRegion: "eu-west-2", roleArn })).toBe(
      ` --as shop --cluster-region eu-west-2 --role-arn ${roleArn}`,
    );
  });
});

describe("a registration", () => {
  type Status = Parameters<typeof registrationText>[0];
  const revision = { revision: "default", channel: "stable", tags: [], phase: "full" };
  const drift = (place: string) => ({ place, expected: "1.33", actual: "1.32" });
  const status = (said: Partial<Status> = {}): Status => {
    return { revisions: [revision], tokens: 1, drift: [], notes: [], ...said };
  };

  it("is printed with its revisions, and that nothing differs", () => {
    expect(registrationText(status())).toBe(
      "REVISION   TAGS   CHANNEL   PHASE\ndefault    -      stable    full\nNo difference\n",
    );
    expect(registrationText(status({ revisions: [] }))).toBe("No difference\n");
  });

  it("is printed with what is off, what is not known, live tokens, notes and differences", () => {
    const off = "2026-01-01T00:00:00Z";
    const revisions = [
      { ...revision, tags: ["prod", "test"], off },
      { ...revision, revision: "next", channel: "", phase: "" },
    ];
    const notes = ["istiod could not be read"];
    expect(registrationText(status({ revisions, tokens: 2, notes, drift: [drift("arn"), drift("webhook")] }))).toBe(`\
REVISION   TAGS        CHANNEL   PHASE
default    prod,test   stable    full, off since 2026-01-01T00:00:00Z
next       -           -         -
Two tokens are live: run outrigger token rotate to finish the rotation
istiod could not be read

PLACE     SHOULD BE   IS
arn       1.33        1.32
webhook   1.33        1.32
`);
  });

  it("has a row among others, with the first few differences", () => {
    const revisions = [revision, { ...revision, revision: "next", channel: "canary" }];
    const well = status({ revisions });
    expect(registrationAnswer(well, undefined)).toEqual({
      value: well,
      cells: ["default=stable,next=canary", "0"],
      said: "no difference",
    });
    const bad = status({ drift: ["a", "b", "c", "d"].map(drift) });
    const finding = registrationFinding(bad, "shop", undefined);
    expect(registrationAnswer(bad, finding)).toEqual({
      value: bad,
      cells: ["default=stable", "4"],
      said: "a should be 1.33, is 1.32; b should be 1.33, is 1.32; c should be 1.33, is 1.32; and 1 more",
      finding,
    });
  });

  it("ends with a finding that names the command which repairs it, by the cluster's name in EKS", () => {
    expect(registrationFinding(status(), "shop", "shop-eks")).toBeUndefined();
    const messageOf = (count: number, eksName?: string) =>
      registrationFinding({ drift: Array.from({ length: count }, () => drift("a")) }, "shop", eksName);
    expect(messageOf(1, "shop-eks")).toMatchObject({
      code: "findings",
      message:
        "shop differs from its registration in one place: run outrigger register --cluster shop-eks to repair the cluster",
    });
    expect(messageOf(2)?.message).toBe(
      "shop differs from its registration in 2 places: run outrigger register --cluster shop to repair the cluster",
    );
  });
});
