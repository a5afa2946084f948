// `outrigger inject`: manifests in, injected manifests out, as `istioctl kube-inject` does.
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { OutriggerError } from "../../lib/errors.ts";
import { injectManifest } from "../../lib/inject/inject-manifest.ts";
import type { InjectRequest } from "../../lib/inject/injector.ts";
import type { Io } from "../io.ts";
import { loadInjector, treeDirectories } from "../load-injector.ts";
import { fileFault, inputName, readInput } from "../read-input.ts";

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
  const text = await readInput(filename, io);
  const { inject } = await loadInjector(treeDirectories(options.dir, io));
  const injectRevision = (request: InjectRequest) =>
    inject(revision === undefined ? request : { ...request, cluster: { revision } });
  const { text: injected, warnings } = injectManifest(text, {
    inject: injectRevision,
    source: inputName(filename),
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
  });
  for (const warning of warnings) io.stderr.write(`${warning}\n`);
  if (options.output === undefined) io.stdout.write(injected);
  else await writeManifest(options.output, injected, io);
}

async function writeManifest(filename: string, text: string, io: Io): Promise<void> {
  try {
    await writeFile(resolve(io.cwd, filename), text);
  } catch (cause) {
    throw new OutriggerError("manifest-invalid", `Cannot write ${filename}: ${fileFault(cause)}`, {
      path: filename,
      cause,
    });
  }
}
