// `outrigger inject`: manifests in, injected manifests out, as `istioctl kube-inject` does.
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { defined } from "../../lib/defined.ts";
import { OutriggerError } from "../../lib/errors.ts";
import { injectManifest } from "../../lib/inject/inject-manifest.ts";
import { injectPod } from "../../lib/inject/inject-pod.ts";
import { loadRelease } from "../../lib/release/load-release.ts";
import type { Io } from "../io.ts";
import { assertRendered, fileFault, inputName, readInput } from "../read-input.ts";
import { findRelease, type PodOptions, withPodOptions } from "../release-options.ts";

interface InjectOptions extends PodOptions {
  readonly output?: string;
}

const EXAMPLES = `
Takes Pods, Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers, Jobs, CronJobs,
DeploymentConfigs and Lists of them; every other document is passed through as it was written.

Examples:
  outrigger inject -f deployment.yaml | kubectl apply -f -
  kubectl get deployment web -o yaml | outrigger inject -f - --dir my-templates
  outrigger inject -f deployment.yaml --cluster shop`;

export function addInjectCommand(program: Command, io: Io): void {
  withPodOptions(program.command("inject"))
    .description("inject sidecars into the pods of a manifest")
    .option("-o, --output <file>", "where the injected manifest is written, instead of standard output")
    .addHelpText("after", EXAMPLES)
    .action((options: InjectOptions) => runInject(options, io));
}

async function runInject(options: InjectOptions, io: Io): Promise<void> {
  const { filename, namespace } = options;
  const text = await readInput(filename, io);
  assertRendered(text, inputName(filename));
  const { referred, settings } = await findRelease(options, io);
  const injector = loadRelease(referred.release);
  const { text: injected, warnings } = injectManifest(text, {
    inject: (request) => injectPod(injector, { ...request, cluster: settings }),
    source: inputName(filename),
    ...defined({ namespace }),
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
