// The templates of Istio's chart at one tag of a clone of istio/istio, imported as if they were a user's own.
import { execFileSync } from "node:child_process";
import { importTemplate } from "@outrigger/import";
import type { SourceTree } from "@outrigger/injector";

const CHART = "manifests/charts/istio-control/istio-discovery/files";
const FILES = {
  sidecar: "injection-template",
  gateway: "gateway-injection-template",
  "grpc-simple": "grpc-simple",
  "grpc-agent": "grpc-agent",
};

/** The shipped tree with the chart's templates in place of its own, and what the import finds. */
export function importChart(
  repository: string,
  tag: string,
  shipped: SourceTree,
): { readonly tree: SourceTree; readonly templates: SourceTree; readonly findings: readonly string[] } {
  const findings: string[] = [];
  const texts: Record<string, string> = {};
  for (const [name, file] of Object.entries(FILES)) {
    const source = execFileSync("git", ["-C", repository, "show", `${tag}:${CHART}/${file}.yaml`], {
      encoding: "utf8",
    });
    const { text = "", partials, findings: found } = importTemplate(name, source.trim(), file);
    findings.push(...found.map(({ line, severity, message }) => `${file}:${line}: ${severity}: ${message}`));
    texts[`templates/${name}`] = text;
    for (const [partial, body] of Object.entries(partials)) texts[`partials/${partial}`] = body;
  }
  const rest = Object.entries(shipped).filter(([path]) => !/^(templates|partials|releases)\//.test(path));
  return { tree: { ...Object.fromEntries(rest), ...texts }, templates: texts, findings };
}

/** The lines that the chart's templates and default values change from one tag to another, as git prints them. */
export function chartChanges(repository: string, from: string, to: string): string {
  const paths = [...Object.values(FILES).map((file) => `${CHART}/${file}.yaml`), VALUES];
  return execFileSync("git", ["-C", repository, "diff", "--unified=0", from, to, "--", ...paths], { encoding: "utf8" });
}

const VALUES = "manifests/charts/istio-control/istio-discovery/values.yaml";
