// `outrigger inject`: manifests in, injected manifests out, as `istioctl kube-inject` does.

import { OutriggerError } from "@outrigger/base";
import { injectManifest, injectPod, loadRelease, misspeltKeys } from "@outrigger/injector";
import type { Command } from "commander";
import { type Manifest, readManifests } from "../../manifests/read-manifests.ts";
import { writeManifests } from "../../manifests/write-manifests.ts";
import { findRelease, type PodOptions, sourceOptions, withPodOptions } from "../../options/release-options.ts";
import { describeError } from "../../terminal/describe-error.ts";
import type { Io } from "../../terminal/io.ts";

interface InjectOptions extends PodOptions {
  readonly output?: string;
  readonly keepGoing?: true;
}

const NOTES = `
Takes Pods, every workload of Kubernetes and OpenShift, other resources with a pod template (a Rollout, a Knative Service,
a LeaderWorkerSet), and Lists of them. Only the lines of the injection change: comments, order, quotes and line ends stay,
and JSON stays JSON. Standard error says what has no pod, and why a pod is not injected.

Examples:
  outrigger inject -f deployment.yaml | kubectl apply -f -
  kubectl get deployment web -o yaml | outrigger inject -f - --dir my-templates
  outrigger inject -f deployment.yaml --cluster shop
  outrigger inject -R -f manifests/ -n shop -o injected`;

export function addInjectCommand(program: Command, io: Io): void {
  withPodOptions(program.command("inject"))
    .description("inject sidecars into the pods of manifests")
    .option("-o, --output <file>", "a file for all, or a directory with a file for each, instead of standard output")
    .option("--keep-going", "write the manifests that can be injected, where others cannot")
    .addHelpText("after", NOTES)
    .action((options: InjectOptions) => runInject(options, io));
}

async function runInject(options: InjectOptions, io: Io): Promise<void> {
  const manifests = await readManifests(options, io);
  const { referred, settings } = await findRelease(options, io);
  const injector = loadRelease(referred.release);
  const isReference = injector.config.compatibility === "reference";
  const misspeltIn = misspeltKeys(referred.release.templates);
  const failed: OutriggerError[] = [];
  const injected = manifests.flatMap((manifest) => {
    try {
      return [injectOne(manifest)];
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
      failed.push(error);
      return [];
    }
  });
  // One file that is wrong is said as ever; of several, each is.
  if (manifests.length === 1 && failed[0] !== undefined) throw failed[0];
  for (const error of failed) io.stderr.write(`${describeError(error)}\n`);
  if (failed.length === 0 || options.keepGoing === true) {
    await writeManifests(injected, options.output, io, manifests.length > 1);
  }
  if (failed.length === 0) return;
  const rest =
    options.keepGoing === true ? "the others are written" : "nothing is written; --keep-going writes the others";
  throw new OutriggerError(
    "manifest-invalid",
    `Cannot inject ${failed.length} of ${manifests.length} manifests: ${rest}`,
  );

  function injectOne(manifest: Manifest): Manifest {
    const { text, warnings } = injectManifest(manifest.text, {
      inject: (request) => {
        // istioctl does not look for them.
        for (const misspelt of isReference ? [] : misspeltIn(request.pod)) {
          io.stderr.write(`Warning: ${manifest.source}: ${misspelt}\n`);
        }
        return injectPod(injector, { ...request, cluster: settings });
      },
      source: manifest.source,
      isReference,
      ...sourceOptions(options),
    });
    for (const warning of warnings) io.stderr.write(`${warning}\n`);
    return { ...manifest, text };
  }
}
