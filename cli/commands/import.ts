// `outrigger import`: Istio's injector configuration as a source tree.
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { defined } from "../../lib/defined.ts";
import { OutriggerError } from "../../lib/errors.ts";
import { importDocuments } from "../../lib/import/import-documents.ts";
import type { ImportFinding } from "../../lib/import/import-finding.ts";
import type { ImportSource } from "../../lib/import/read-documents.ts";
import { lintTree } from "../../lib/release/lint-tree.ts";
import { collect } from "../cluster-options.ts";
import type { Io } from "../io.ts";
import { describeFindings } from "../lint-report.ts";
import { printResult } from "../print.ts";
import { inputName, readInput } from "../read-input.ts";
import { shippedTree } from "../tree/read-trees.ts";
import { sourceFile, writeSourceFiles } from "../tree/source-files.ts";

interface ImportCommandOptions {
  readonly filename?: readonly string[];
  readonly output: string;
  readonly revision?: string;
  readonly json?: true;
}

const NOTES = `
Reads the ConfigMaps istio-sidecar-injector (config, values, templates) and istio (mesh), Helm values, IstioOperator and
ProxyConfig resources, and Pods, which become samples. Templates that Istio itself ships (1.20 and later) are recognised and
left out: the shipped ones serve. Other Go templates are translated.

Findings are printed as file:line:column: severity: message. The tree is written, compiled and tried on its samples. Exits 1
if there are errors: something was not translated, or the tree does not compile.

Examples:
  kubectl -n istio-system get configmap istio-sidecar-injector istio -o yaml | outrigger import -f - -o my-templates
  outrigger import -f values.yaml -f proxyconfigs.yaml -o my-templates
  outrigger import -f injector.yaml -f mesh.yaml --revision canary -o my-templates`;

export function addImportCommand(program: Command, io: Io): void {
  program
    .command("import")
    .description("make a source tree from Istio's injector configuration")
    .option("-f, --filename <file>", "a file to read, - for standard input; give it again for more", collect)
    .requiredOption("-o, --output <dir>", "the directory to write the tree to; it must be new or empty")
    .option("--revision <name>", "the revision of istiod whose ConfigMaps are meant, and of the tree")
    .option("--json", "print the files and findings as JSON")
    .addHelpText("after", NOTES)
    .action((options: ImportCommandOptions) => runImport(options, io));
}

async function runImport({ filename = [], output, revision, json }: ImportCommandOptions, io: Io): Promise<void> {
  if (filename.length === 0) throw new OutriggerError("usage", "Cannot import: name at least one file with -f");
  const directory = resolve(io.cwd, output);
  await requireEmpty(directory, output);
  const sources: ImportSource[] = [];
  for (const file of filename) sources.push({ file: inputName(file), text: await readInput(file, io) });
  const { tree, findings } = importDocuments(sources, defined({ digest, revision }));
  const paths = Object.keys(tree).sort();
  if (paths.length === 0) {
    io.stderr.write(describe(findings));
    throw new OutriggerError("usage", "Cannot import: the files hold nothing of Istio's injection");
  }
  await writeSourceFiles(directory, tree, paths);
  const linted = lintTree([await shippedTree(io), tree]);
  const files = paths.map(sourceFile);
  const errors = [...findings, ...linted.findings].filter(({ severity }) => severity === "error").length;
  const written = `Wrote ${files.length === 1 ? "1 file" : `${files.length} files`} to ${output}: ${files.join(", ")}\n`;
  const report = describe(findings) + describeFindings(linted.findings) + written;
  printResult(io, json, { directory, files, findings, lint: linted.findings }, report);
  if (errors === 0) return;
  const count = errors === 1 ? "is 1 error" : `are ${errors} errors`;
  throw new OutriggerError(
    "tree-invalid",
    `The import is not complete: there ${count}; fix the tree in ${output} and run outrigger lint`,
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function requireEmpty(directory: string, name: string): Promise<void> {
  const entries = await readdir(directory).catch((): readonly string[] => []);
  if (entries.length === 0) return;
  throw new OutriggerError("usage", `Cannot import into ${name}: the directory is not empty; name a new one`);
}

function describe(findings: readonly ImportFinding[]): string {
  return findings
    .map(({ file, line, column, severity, message }) => {
      const place = [file, line, column].filter((part) => part !== undefined && part !== "").join(":");
      return `${place === "" ? "" : `${place}: `}${severity}: ${message}\n`;
    })
    .join("");
}
