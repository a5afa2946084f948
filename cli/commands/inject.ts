// `outrigger inject`: manifests in, injected manifests out, as `istioctl kube-inject` does.
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { OutriggerError } from "../../lib/errors.ts";
import { injectManifest } from "../../lib/inject/inject-manifest.ts";
import type { InjectRequest } from "../../lib/inject/injector.ts";
import type { Io } from "../io.ts";
import { loadInjector, treeDirectories } from "../load-injector.ts";

interface InjectOptions {
  readonly filename: string;
  readonly output?: string;
  readonly dir?: string;
  readonly namespace?: string;
  readonly revision?: string;
}

const EXAMPLES = `
Takes Pods, Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers, Jobs, CronJobs,
DeploymentConfigs and Lists of them; every other document is passed through as it was written.

Examples:
  outrigger inject -f deployment.yaml | kubectl apply -f -
  kubectl get deployment web -o yaml | outrigger inject -f - --dir my-templates`;

export function addInjectCommand(program: Command, io: Io): void {
  program
    .command("inject")
    .description("inject sidecars into the pods of a manifest")
    .requiredOption("-f, --filename <file>", "the manifest; - reads standard input")
    .option("-o, --output <file>", "where the injected manifest is written, instead of standard output")
    .option("--dir <dir>", "a source tree to lay over the shipped one")
    .option("-n, --namespace <namespace>", "the namespace of documents that name none")
    .option("--revision <revision>", "the revision to inject, instead of the source tree's")
    .addHelpText("after", EXAMPLES)
    .action((options: InjectOptions) => runInject(options, io));
}

async function runInject(options: InjectOptions, io: Io): Promise<void> {
  const { filename, revision } = options;
  const text = await readManifest(filename, io);
  const { inject } = await loadInjector(treeDirectories(options.dir, io));
  const injectRevision = (request: InjectRequest) =>
    inject(revision === undefined ? request : { ...request, cluster: { revision } });
  const { text: injected, warnings } = injectManifest(text, {
    inject: injectRevision,
    source: filename === "-" ? "standard input" : filename,
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
  });
  for (const warning of warnings) io.stderr.write(`${warning}\n`);
  if (options.output === undefined) io.stdout.write(injected);
  else await writeManifest(options.output, injected, io);
}

async function readManifest(filename: string, io: Io): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(filename, io));
  } catch (cause) {
    const source = filename === "-" ? "standard input" : filename;
    throw new OutriggerError("manifest-invalid", `Cannot read ${source}: ${reasonOf(cause)}`, { path: source, cause });
  }
}

async function readBytes(filename: string, io: Io): Promise<Uint8Array> {
  if (filename !== "-") return readFile(resolve(io.cwd, filename));
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

async function writeManifest(filename: string, text: string, io: Io): Promise<void> {
  try {
    await writeFile(resolve(io.cwd, filename), text);
  } catch (cause) {
    throw new OutriggerError("manifest-invalid", `Cannot write ${filename}: ${reasonOf(cause)}`, {
      path: filename,
      cause,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  EISDIR: "it is a directory",
  EACCES: "permission is denied",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return REASONS[code] ?? (code === "" ? String(cause) : code);
}
