// `node --import tsx scripts/generate/shipped-digests.ts --help` prints the options. Writes lib/import/generated/shipped-digests.ts from
// the release tags of a clone of istio/istio. Digests and versions are facts; no template text is kept.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { writeGenerated } from "./generated-file.ts";

const { repository } = toolOptions({
  command: "node --import tsx scripts/generate/shipped-digests.ts",
  says: "Writes the digests of the templates that Istio's releases ship, for the import, from a clone of istio/istio.",
  arguments: { repository: { value: "ISTIO_GIT_DIR", says: "the git directory of the clone" } },
  example: "node --import tsx scripts/generate/shipped-digests.ts ~/istio/.git",
});

const CHART = "manifests/charts/istio-control/istio-discovery/files";
const OLDEST = 20;
/** The file of each template. Those of gateways that istiod deploys itself are in the same ConfigMap. */
const FILES: Readonly<Record<string, string>> = {
  sidecar: "injection-template.yaml",
  gateway: "gateway-injection-template.yaml",
  "grpc-simple": "grpc-simple.yaml",
  "grpc-agent": "grpc-agent.yaml",
  waypoint: "waypoint.yaml",
  "kube-gateway": "kube-gateway.yaml",
  agentgateway: "agentgateway.yaml",
  "agentgateway-waypoint": "agentgateway-waypoint.yaml",
};

const all = git("tag", "-l", "1.*").split("\n");
/** The tags of the releases; until a release is tagged, its last candidate takes its place. */
const tags = [
  ...all.filter((tag) => Number(/^1\.(\d+)\.\d+$/.exec(tag)?.[1]) >= OLDEST),
  ...all.filter((tag) => /^1\.\d+\.0-rc\.\d+$/.test(tag) && !all.includes(tag.replace(/-.*/, ""))),
].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
const found = new Map<string, { template: string; first: string; last: string }>();
for (const tag of [...tags, "HEAD"]) {
  const release = tag === "HEAD" ? "development" : tag.replace(/-rc.*/, "");
  for (const [template, file] of Object.entries(FILES)) {
    const text = show(tag, `${CHART}/${file}`);
    if (text === undefined) continue;
    // As in the ConfigMap: without white space at both ends.
    const digest = createHash("sha256").update(text.trim()).digest("hex").slice(0, 16);
    const known = found.get(`${template} ${digest}`);
    found.set(`${template} ${digest}`, { template, first: known?.first ?? release, last: release });
  }
}
const rows = [...found].map(([key, { template, first, last }]) => {
  const range = first === last ? first : `${first} ${last}`;
  return `  "${key.split(" ")[1]}": "${template} ${range}",`;
});
writeGenerated(
  "lib/import/generated/shipped-digests.ts",
  "scripts/generate/shipped-digests.ts",
  "Istio's release tags",
  `// The first 16 digits of the SHA-256 of a template → its name, and the first and last release that ships it.

export const SHIPPED_DIGESTS: Readonly<Record<string, string>> = {
${rows.join("\n")}
};
`,
);
console.log(`${rows.length} digests of ${tags.length} releases`);

function git(...args: readonly string[]): string {
  return execFileSync("git", ["-C", repository, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function show(tag: string, path: string): string | undefined {
  try {
    return git("show", `${tag}:${path}`);
  } catch {
    return undefined;
  }
}
