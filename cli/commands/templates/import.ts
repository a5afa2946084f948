// `outrigger import`: Istio's injector configuration as a source tree.
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, OutriggerError, usageError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { type ImportFinding, type ImportSource, importDocuments, type Registration } from "@outrigger/import";
import { lintSource, loadRelease, type SourceTree, type TreeFinding, traceValues } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import { connectContext } from "../../connect/kubeconfig-access.ts";
import { readIstioConfiguration } from "../../connect/read-istio-configuration.ts";
import { compareCluster } from "../../diagnose/compare-cluster.ts";
import { describeFindings } from "../../diagnose/lint-report.ts";
import { inputName, readInput } from "../../manifests/read-input.ts";
import { namesOf } from "../../manifests/read-manifests.ts";
import { kubeconfigOptions, namesContext } from "../../options/cluster-options.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { shippedTree } from "../../tree/read-trees.ts";
import { writeSampleTests } from "../../tree/run-tests.ts";
import { sourceFile, writeSourceFiles } from "../../tree/source-files.ts";
import { textDigest } from "../../tree/three-way.ts";

const NOTES = `
Reads the ConfigMaps istio-sidecar-injector (config, values, templates) and istio (mesh), Helm values, IstioOperator, Istio
(Sail operator) and ProxyConfig resources, and Pods, which become samples. Templates that Istio itself ships (1.20 and later) are recognised and
left out: the shipped ones serve, and their release becomes the config's. Other Go templates are translated.

With --context, the ConfigMaps, ProxyConfigs and istiod's webhooks of a cluster are read. The command that registers the same
revision and tags is printed. With --compare, its running workloads are injected with
the tree, and what would differ from what they carry today is printed by kind; nothing in the cluster is changed. A directory
that is not empty is then compared as it is, and not written.

Findings are printed as file:line:column: severity: message. The tree is written, compiled and tried on its samples. Exits 1
if there are errors: something was not translated, or the tree does not compile. A test is written for each sample; outrigger
test runs them. With --compare, exits 1 if there are differences.

Examples:
  kubectl -n istio-system get configmap istio-sidecar-injector istio -o yaml | outrigger import -f - -o my-templates
  outrigger import --context prod -o my-templates --compare
  outrigger import -f values.yaml -f proxyconfigs.yaml -o my-templates
  outrigger import -f injector.yaml -f mesh.yaml --revision canary -o my-templates`;

const IMPORT_OPTIONS = optionTable({
  ...kubeconfigOptions,
  filename: {
    short: "-f",
    argument: "<file>",
    about: "a file to read, - for standard input; repeatable, or separated by commas",
    isRepeatable: true,
  },
  output: {
    short: "-o",
    argument: "<dir>",
    about: "the directory to write the tree to; it must be new or empty",
    isRequired: true,
  },
  revision: { argument: "<name>", about: "the revision of istiod whose ConfigMaps are meant, and of the tree" },
  namespace: {
    short: "-n",
    argument: "<namespace>",
    about: "istiod's namespace; default: istio-system with --context, and global.istioNamespace of Helm values",
  },
  compare: { about: "with --context: what would differ for the workloads that run in the cluster" },
  json: { about: "print the files and findings as JSON" },
});

type ImportCommandOptions = OptionsOf<typeof IMPORT_OPTIONS>;

export function addImportCommand(program: Command, io: Io): void {
  takes(program.command("import"), IMPORT_OPTIONS)
    .description("make a source tree from Istio's injector configuration")
    .addHelpText("after", NOTES)
    .action((options) => runImport(options, io));
}

async function runImport(options: ImportCommandOptions, io: Io): Promise<void> {
  const { filename = [], output, revision, json, compare } = options;
  const asksCluster = namesContext(options);
  if (filename.length === 0 && !asksCluster) {
    throw usageError("Cannot import: name at least one file with -f, or a cluster with --context");
  }
  if (compare === true && !asksCluster) {
    throw usageError("Cannot compare: name the cluster with --context");
  }
  const directory = resolve(io.cwd, output);
  const isWritten = (await readdir(directory).catch(() => [])).length > 0;
  if (isWritten && compare !== true) {
    throw usageError(`Cannot import into ${output}: the directory is not empty; name a new one`);
  }
  const kube = asksCluster ? await connectContext(options, io) : undefined;
  const shipped = await shippedTree(io);
  const imported = isWritten ? undefined : await importAll(options, kube, shipped, io);
  if (imported !== undefined) await writeSourceFiles(directory, imported.tree, Object.keys(imported.tree).sort());
  // As each later command reads it: with a space between the braces that end flow maps.
  const tree = await readSourceTree(directory);
  const paths = Object.keys(tree).sort();
  const findings = imported?.findings ?? [];
  const { findings: found, release } = lintSource([shipped, tree]);
  // What could not be translated leaves a template that does not compile either: one mistake is one error.
  const isFollowUp = (one: TreeFinding) => isError(one) && /^(?:templates|partials)\//.test(one.path);
  const lint = findings.some(isError) ? found.filter((one) => !isFollowUp(one)) : found;
  const errors = [...findings, ...lint].filter(isError).length;
  const tests = imported && release ? await writeSampleTests(directory, release, tree, shipped) : [];
  const compared = compare && kube && release && (await compareCluster(kube, loadRelease(release), revision));
  const files = imported === undefined ? [] : paths.map(sourceFile);
  const register = imported === undefined ? undefined : registerCommand(imported.registration);
  const report =
    describe(findings) +
    describeFindings(lint) +
    describeWritten(files, tests, output) +
    (register === undefined ? "" : `Once it is published, serve the same namespaces with: ${register}\n`);
  const result = { directory, files, tests, findings, lint, ...defined({ register, compared }) };
  printResult(io, json, result, report + (compared === undefined ? "" : describeComparison(compared)));
  if (errors > 0) {
    const count = errors === 1 ? "is 1 error" : `are ${errors} errors`;
    const message = `The import is not complete: there ${count}; fix the tree in ${output} and run outrigger lint`;
    throw new OutriggerError("tree-invalid", message);
  }
  if (compared !== undefined && compared.differences.length > 0) {
    const { equal, workloads } = compared;
    throw new OutriggerError("findings", `${workloads - equal} of ${workloads} workloads would be injected otherwise`);
  }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

async function importAll(
  { filename = [], namespace, revision }: ImportCommandOptions,
  kube: KubeClient | undefined,
  shipped: SourceTree,
  io: Io,
) {
  const sources: ImportSource[] = [];
  if (kube !== undefined) {
    const place = { context: kube.name, namespace: namespace ?? "istio-system", revision };
    sources.push(await readIstioConfiguration(kube, place));
  }
  for (const names of filename) {
    for (const file of await namesOf(names, io)) {
      sources.push({ file: inputName(file), text: await readInput(file, io) });
    }
  }
  const imported = importDocuments(sources, {
    digest: textDigest,
    tagOf: (istio) => tagOfRelease(shipped, istio),
    ...defined({ revision, namespace }),
  });
  if (Object.keys(imported.tree).length > 0) return imported;
  io.stderr.write(describe(imported.findings));
  throw usageError("Cannot import: the files hold nothing of Istio's injection");
}

/** The tag of a release's images: `global.tag` of the shipped values, as they are for that release. */
function tagOfRelease(shipped: SourceTree, istio: string): string | undefined {
  const values = traceValues([shipped, { config: `istio: ${JSON.stringify(istio)}\n` }]);
  const tag = values.find(({ steps }) => steps.join(".") === "global.tag")?.value;
  return typeof tag === "string" ? tag : undefined;
}

function describeWritten(files: readonly string[], tests: readonly string[], output: string): string {
  if (files.length === 0) return "";
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const tested = tests.length === 0 ? "" : `Wrote a test for each sample: ${tests.join(", ")}\n`;
  return `Wrote ${count} to ${output}: ${files.join(", ")}\n${tested}`;
}

function registerCommand({ revision, tags, enableNamespacesByDefault }: Registration): string {
  const options = [
    ...(revision === "default" ? [] : [`--revision ${revision}`]),
    ...tags.map((tag) => `--tag ${tag}`),
    ...(enableNamespacesByDefault ? ["--enable-namespaces-by-default"] : []),
  ];
  return ["outrigger register --cluster CLUSTER", ...options].join(" ");
}

function describeComparison({
  workloads,
  equal,
  differences,
  skipped,
}: Awaited<ReturnType<typeof compareCluster>>): string {
  const lines = differences.map(({ field, kind, count, example, today, imported }) => {
    const values = kind === "differs" ? `: ${short(today)} today, ${short(imported)} imported` : "";
    return `${count} of ${workloads}: ${field} ${kind}${values}; for example ${example}\n`;
  });
  const passed = skipped.map((line) => `Skipped ${line}\n`);
  const same =
    workloads === 0
      ? "Nothing was compared: no workload runs whose pods this revision of istiod injected"
      : `${equal} of ${workloads} workloads would be injected as they are today`;
  return `${same}\n${lines.join("")}${passed.join("")}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function describe(findings: readonly ImportFinding[]): string {
  return findings
    .map(({ file, line, column, severity, message }) => {
      const place = [file, line, column].filter((part) => part !== undefined && part !== "").join(":");
      return `${place === "" ? "" : `${place}: `}${severity}: ${message}\n`;
    })
    .join("");
}
