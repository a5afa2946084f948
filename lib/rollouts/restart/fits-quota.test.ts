import { describe, expect, it } from "vitest";
import { fitsQuota } from "./fits-quota.ts";

const resources = { requests: { cpu: "200m", memory: "1Gi" }, limits: { memory: "1Gi" } };
const gone = { containers: [{ name: "app", resources }] };
const said = (requested: string, used: string, limited: string) =>
  `pods "web-" is forbidden: exceeded quota: team, requested: ${requested}, used: ${used}, limited: ${limited}`;

describe("fitsQuota()", () => {
  it.each([
    ["pods", "pods=1", "pods=3", "pods=3", true],
    ["a count of pods", "count/pods=1", "count/pods=3", "count/pods=3", true],
    ["the same memory", "limits.memory=1Gi", "limits.memory=3Gi", "limits.memory=3Gi", true],
    ["more memory than is freed", "limits.memory=1152Mi", "limits.memory=3Gi", "limits.memory=3Gi", false],
    [
      "more memory, of which there is enough",
      "limits.memory=1152Mi",
      "limits.memory=2944Mi",
      "limits.memory=3Gi",
      true,
    ],
    ["CPU without a prefix", "cpu=200m", "cpu=2", "cpu=2", true],
    ["CPU of requests", "requests.cpu=300m", "requests.cpu=2", "requests.cpu=2", false],
    ["one of two resources", "pods=1,requests.cpu=300m", "pods=3,requests.cpu=2", "pods=3,requests.cpu=2", false],
    ["a resource that is not known", "count/secrets=1", "count/secrets=3", "count/secrets=3", false],
  ])("judges %s", (_what, requested, used, limited, expected) => {
    expect(fitsQuota(said(requested, used, limited), gone)).toBe(expected);
  });

  it("does not take a message that it cannot read for space", () => {
    expect(fitsQuota("exceeded quota", gone)).toBe(false);
    expect(fitsQuota(said("pods=x", "pods=3", "pods=3"), gone)).toBe(false);
  });
});
