// `outrigger inject`: manifests in, injected manifests out, as `istioctl kube-inject` does; or what templates make of their pods,
// before it is merged over them.
import { type JsonObject, OutriggerError, ownError, usageError } from "@outrigger/base";
import type { Injector, InjectRequest } from "@outrigger/injector";
import { injectManifest, injectPod, loadRelease, podWarnings, uninjectManifest } from "@outrigger/injector";
import { formatYaml } from "@outrigger/yaml";
import type { Command } from "commander";
import { type Manifest, readManifests } from "../../manifests/read-manifests.ts";
import { writeManifests } from "../../manifests/write-manifests.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { findRelease, podOptions, readQuestion, sourceOptions } from "../../options/release-options.ts";
import { describeError } from "../../terminal/describe-error.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

const NOTES = `
Takes Pods, every workload of Kubernetes and OpenShift, other resources with a pod template (a Rollout, a Knative Service,
a LeaderWorkerSet), and Lists of them. Only the lines of the injection change: comments, order, quotes and line ends stay,
and JSON stays JSON. Standard error says what has no pod, and why a pod is not injected.

With --overlay, prints one YAML document for each template that a pod is injected with: the overlay, as it is before the merge. With
--overlay NAME, that template's alone, whether or not the pod would be injected with it.

Examples:
  outrigger inject -f deployment.yaml | kubectl apply -f -
  kubectl get deployment web -o yaml | outrigger inject -f - --dir my-templates
  outrigger inject -f deployment.yaml --cluster shop
  outrigger inject -R -f manifests/ -n shop -o injected
  outrigger inject -f pod.yaml --dir my-templates --overlay
  outrigger inject -f pod.yaml --dir my-templates --overlay log-agent`;

const INJECT_OPTIONS = optionTable({
  ...podOptions,
  output: {
    short: "-o",
    argument: "<file>",
    about: "a file for all, or a directory with a file for each, instead of standard output",
  },
  keepGoing: { about: "write the manifests that can be injected, where others cannot" },
  overlay: {
    argument: "[template]",
    about: "print what templates render, before it is merged: this one, or those of each pod",
  },
  json: { about: "with --overlay: print the overlays as JSON" },
});

type InjectOptions = OptionsOf<typeof INJECT_OPTIONS>;

export function addInjectCommand(program: Command, io: Io): void {
  takes(program.command("inject"), INJECT_OPTIONS)
    .description("inject sidecars into the pods of manifests")
    .addHelpText("after", NOTES)
    .action((options) => (options.overlay === undefined ? runInject(options, io) : showOverlays(options, io)));
}

async function runInject(options: InjectOptions, io: Io): Promise<void> {
  if (options.json === true) throw usageError("Cannot use --json without --overlay");
  const manifests = await readManifests(options, io);
  const { referred, settings } = await findRelease(options, io);
  const injector = loadRelease(referred.release);
  const isReference = injector.config.compatibility === "reference";
  const warningsOf = podWarnings(referred.release);
  const failed: OutriggerError[] = [];
  const injected = manifests.flatMap((manifest) => {
    try {
      return [injectOne(manifest)];
    } catch (error) {
      failed.push(ownError(error));
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
  const message = `Cannot inject ${failed.length} of ${manifests.length} manifests: ${rest}`;
  throw new OutriggerError("manifest-invalid", message);

  function injectOne(manifest: Manifest): Manifest {
    const { text, warnings } = injectManifest(manifest.text, {
      inject: (request) => {
        const result = injectPod(injector, { ...request, cluster: settings });
        for (const warning of warningsOf(request.pod, result)) {
          io.stderr.write(`Warning: ${manifest.source}: ${warning}\n`);
        }
        return result;
      },
      source: manifest.source,
      isReference,
      ...sourceOptions(options),
    });
    for (const warning of warnings) io.stderr.write(`${warning}\n`);
    return { ...manifest, text };
  }
}

async function showOverlays(options: InjectOptions, io: Io): Promise<void> {
  if (options.output !== undefined || options.keepGoing === true) {
    throw usageError("Cannot use --overlay with --output or --keep-going: no manifest is written");
  }
  const template = options.overlay === true ? undefined : options.overlay;
  const { referred, pods } = await readQuestion(options, io);
  const injector = loadRelease(referred.release);
  const overlays = pods.flatMap(({ name, request }) => {
    const { overlays, skipped } = render(injector, request, template);
    if (skipped !== "") io.stderr.write(`${name}: not injected: ${skipped}\n`);
    return overlays.map(([template, overlay]) => ({ pod: name, template, overlay }));
  });
  const documents = overlays.map(({ pod, template, overlay }) => `# ${template}, for ${pod}\n${formatYaml(overlay)}`);
  printResult(io, options.json, overlays, documents.join("---\n"));
}

/** The injection itself, listened to: there is no second way to render. */
function render(injector: Injector, request: InjectRequest, template: string | undefined) {
  const overlays: (readonly [string, JsonObject])[] = [];
  const { templates, config } = injector;
  if (template !== undefined && !templates.names.includes(template)) {
    const known = templates.names.join(", ");
    throw usageError(`Cannot render template ${JSON.stringify(template)}: there are ${known}`);
  }
  const listening: Injector = {
    ...injector,
    config: template === undefined ? config : { ...config, aliases: {} },
    templates: {
      ...templates,
      render: (name, data) => {
        const overlay = templates.render(name, data);
        overlays.push([name, overlay]);
        return overlay;
      },
    },
  };
  const result = injectPod(listening, template === undefined ? request : asking(request, template, injector.keys));
  return { overlays, skipped: result.injected ? "" : result.message };
}

function asking(request: InjectRequest, template: string, keys: Injector["keys"]): InjectRequest {
  const { metadata, spec, ...rest } = request.pod;
  const labels = { ...metadata?.labels, [keys.inject]: "true" };
  const annotations = { ...metadata?.annotations, [keys.templates]: template };
  return { ...request, pod: { ...rest, metadata: { ...metadata, labels, annotations }, ...(spec && { spec }) } };
}

// `outrigger uninject`: takes an injection off the pods of manifests again.
const UNINJECT_NOTES = `
Restores what the author wrote, from the record that an injection leaves in the pod: Outrigger's own or Istio's. What was
injected with "outrigger inject" comes back byte for byte, but for white space and quotes of what the injection replaced.
Of a pod that Istio injected, labels and annotations of Istio's templates go too; what is left of the mesh is an error.

Examples:
  outrigger uninject -f injected.yaml -o deployment.yaml
  kubectl get deployment web -o yaml | outrigger uninject -f -`;

const UNINJECT_OPTIONS = optionTable({
  ...podOptions,
  output: {
    short: "-o",
    argument: "<file>",
    about: "a file for all, or a directory with a file for each, instead of standard output",
  },
});

export function addUninjectCommand(program: Command, io: Io): void {
  takes(program.command("uninject"), UNINJECT_OPTIONS)
    .description("take an injection off the pods of manifests")
    .addHelpText("after", UNINJECT_NOTES)
    .action(async (options) => {
      const manifests = await readManifests(options, io);
      const { referred } = await findRelease(options, io);
      const injector = loadRelease(referred.release);
      const restored = manifests.map((manifest) => {
        const { source } = manifest;
        const { text, warnings } = uninjectManifest(manifest.text, injector, { source, ...sourceOptions(options) });
        for (const warning of warnings) io.stderr.write(`${warning}\n`);
        return { ...manifest, text };
      });
      await writeManifests(restored, options.output, io);
    });
}
