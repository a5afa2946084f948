// The lists of what others support, as they were when they were last compared: a list that is a year old says nothing of today.
import { readFileSync } from "node:fs";
import { partitionOf } from "@outrigger/aws";
import { ISTIO_RELEASES } from "@outrigger/mesh";
import { describe, expect, it } from "vitest";
import { MORE_REGIONS } from "../../infra/settings/check.ts";

interface List {
  readonly what: string;
  /** The day on which it was compared with the source. */
  readonly read: string;
  readonly source: string;
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
}

const PARTITIONS = ["us-east-1", "cn-north-1", "us-gov-west-1", "us-iso-east-1", "us-isob-east-1", "us-isof-south-1"];

const { regions } = JSON.parse(readFileSync("test/infra/facts/endpoints.json", "utf8"));
const [, ofOsls = ""] =
  /region: \{\s+enum: \[([^\]]+)\]/.exec(readFileSync("node_modules/serverless/lib/plugins/aws/provider.js", "utf8")) ??
  [];
const [, newest = ""] = /Kubernetes 1\.(\d+)/.exec(readFileSync("lib/pod/generated/pod-schema.ts", "utf8")) ?? [];

const LISTS: readonly List[] = [
  {
    what: "AWS's Regions that are deployed to",
    read: "2026-11-26",
    source: "botocore's endpoint rules",
    theirs: Object.keys(regions).sort(),
    ours: [...ofOsls.matchAll(/'([^']+)'/g)]
      .flatMap(([, region]) => region ?? [])
      .concat(MORE_REGIONS)
      .sort(),
  },
  {
    // 1.31 is the oldest with extended support.
    what: "Kubernetes on EKS, up to the version whose pods are known",
    read: "2026-11-26",
    source: "https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html",
    theirs: ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"],
    ours: Array.from({ length: Number(newest) - 30 }, (_, index) => `1.${31 + index}`),
  },
  {
    what: "Istio's releases, from the oldest that is reproduced to the latest",
    read: "2026-11-26",
    source: "https://istio.io/latest/news/releases/",
    theirs: ["1.28", "1.29", "1.30", "1.31"],
    ours: ISTIO_RELEASES.filter((release) => release !== "development"),
  },
  {
    what: "AWS's partitions, by a Region of each",
    read: "2026-11-26",
    source: "botocore's partitions.json",
    theirs: ["aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-iso-f", "aws-iso-e", "aws-eusc"],
    ours: [...PARTITIONS, "eu-isoe-west-1", "eusc-de-east-1"].map((region) => partitionOf(region).id),
  },
];

const YEAR = 366 * 86_400_000;

describe.each(LISTS)("$what", ({ read, source, theirs, ours }) => {
  it(`are those of ${source} on ${read}`, () => {
    expect(ours).toEqual(theirs);
  });

  it("were compared in the last year: compare them again, and write the day here", () => {
    const age = Date.now() - Date.parse(read);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(YEAR);
  });
});
