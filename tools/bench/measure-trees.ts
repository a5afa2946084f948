// How much of the store's space trees, channels and clusters take: what docs/contributing/publishing.md says about sizes.
import { createHash } from "node:crypto";
import type { Tier } from "@outrigger/aws";
import { MAX_PARTS, MAX_VALUE, packParts } from "@outrigger/aws";
import type { Release, SourceTree } from "@outrigger/injector";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import { releaseDigest, SNAPSHOT_FORMAT, type Snapshot } from "@outrigger/serving";

const TIERS: readonly Tier[] = ["Standard", "Advanced"];

/** Lines of a report. */
export async function measureTrees(directory: string): Promise<readonly string[]> {
  const shipped = await readSourceTree(directory);
  const texts = Object.values(shipped);
  const release = compileRelease([shipped]);
  const canary = compileRelease([shipped, { mesh: "enableTracing: true\n" }]);
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  return [
    `shipped tree: ${texts.length} texts of ${bytes} bytes; compiled ${JSON.stringify(release).length} bytes`,
    row("shipped release, one channel, no cluster", imageOf([release], 0)),
    row("the same, 10 clusters", imageOf([release], 10)),
    row("the same, 100 clusters", imageOf([release], 100)),
    row("the same, 100 clusters, while all rotate their tokens", imageOf([release], 100, 2)),
    row("100 clusters, and a canary that differs in a setting", imageOf([release, canary], 100)),
    ...fitting("clusters with the shipped release", (count) => imageOf([release], count), [100, 200]),
    ...fitting(
      "variables of 40 random characters in a template, and 10 clusters",
      (count) => imageOf([withVariables(shipped, count)], 10),
      [50, 150],
    ),
    ...fitting(
      "templates like the shipped grpc-simple, each with names of its own, and 10 clusters",
      (count) => imageOf([withTemplates(shipped, count)], 10),
      [5, 15],
    ),
    `refused: ${refusal(imageOf([withVariables(shipped, 1000)], 10))}`,
  ];
}

function imageOf(releases: readonly Release[], clusters: number, tokens = 1): Snapshot {
  const names = ["stable", "canary"];
  const named = releases.map((release, index) => [names[index] as string, releaseDigest(release)] as const);
  return {
    format: SNAPSHOT_FORMAT,
    pins: [],
    change: 1,
    seq: 1_800_000_000_000,
    channels: Object.fromEntries(named),
    clusters: Object.fromEntries(
      Array.from({ length: clusters }, (_, index) => [`team-${index}-production`, clusterOf(index, tokens)]),
    ),
    releases: Object.fromEntries(releases.map((release) => [releaseDigest(release), release])),
  };
}

function clusterOf(index: number, tokens: number): ClusterRecord {
  return {
    revisions: { default: "stable" },
    arn: `arn:aws:eks:us-east-1:${hashOf(index, "account").replace(/\D/g, "").padEnd(12, "0").slice(0, 12)}:cluster/team-${index}-production`,
    network: `network-${index}`,
    kubernetesVersion: "1.33",
    tokens: Array.from({ length: tokens }, (_, slot) => ({
      sha256: hashOf(index, `token ${slot}`),
      created: new Date(1.7e12 + index * 86_400_123).toISOString(),
    })),
  };
}

function withVariables(shipped: SourceTree, count: number): Release {
  const lines = Array.from({ length: count }, (_, index) => {
    return `        - name: VARIABLE_${index}\n          value: ${Buffer.from(hashOf(index, "value"), "hex").toString("base64").slice(0, 40)}`;
  });
  const text = `spec:\n  containers:\n    - name: istio-proxy\n      env:\n${lines.join("\n")}\n`;
  return compileRelease([shipped, count === 0 ? {} : { "templates/mine": text }]);
}

function withTemplates(shipped: SourceTree, count: number): Release {
  const entries = Array.from({ length: count }, (_, index) => {
    const word = hashOf(index, "template").replace(/\d/g, "x").slice(0, 8);
    const text = shipped["templates/grpc-simple"] as string;
    return [`templates/${word}`, text.replaceAll(/istio-proxy|grpc-bootstrap/g, (name) => `${name}-${word}`)] as const;
  });
  return compileRelease([shipped, Object.fromEntries(entries)]);
}

function row(what: string, image: Snapshot): string {
  const sizes = TIERS.map((tier) => {
    try {
      const { parts } = packParts(image, tier, what);
      return `${parts.length} parts ${tier} (${parts.join("").length} characters)`;
    } catch {
      return `too large for ${tier}`;
    }
  });
  return `${what}: ${sizes.join(", ")}`;
}

/** About how many of something fit, from what the second of two counts takes beyond the first. */
function fitting(
  what: string,
  image: (count: number) => Snapshot,
  [few, many]: readonly [number, number],
): readonly string[] {
  const characters = (count: number) => packParts(image(count), "Advanced", what).parts.join("").length;
  const at = characters(many);
  const each = (at - characters(few)) / (many - few);
  return TIERS.map((tier) => {
    const count = Math.floor(many + (MAX_PARTS * MAX_VALUE[tier] - at) / each);
    return `${tier}: about ${count} ${what} (${Math.round(each)} characters each)`;
  });
}

function refusal(image: Snapshot): string {
  try {
    packParts(image, "Standard", "the snapshot of stable and 10 clusters");
    return "nothing";
  } catch (error) {
    return (error as Error).message;
  }
}

function hashOf(index: number, what: string): string {
  return createHash("sha256").update(`${what} ${index}`).digest("hex");
}
