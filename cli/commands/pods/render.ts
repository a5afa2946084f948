// `outrigger render`: what templates make of a pod, before it is merged over it.

import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import type { Injector, InjectRequest } from "@outrigger/injector";
import { annotationKeys, injectPod, labelKeys, loadRelease } from "@outrigger/injector";
import { formatYaml } from "@outrigger/yaml";
import type { Command } from "commander";
import { type PodOptions, readQuestion, withPodOptions } from "../../options/release-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

interface RenderOptions extends PodOptions {
  readonly template?: string;
  readonly json?: true;
}

interface Overlay {
  readonly pod: string;
  readonly template: string;
  readonly overlay: JsonObject;
}

const NOTES = `
Prints one YAML document for each template that the pod is injected with: the overlay, as it is before the merge. With
--template, that one alone, whether or not the pod would be injected with it.

Examples:
  outrigger render -f pod.yaml --dir my-templates
  outrigger render -f pod.yaml --dir my-templates --template log-agent
  outrigger render -f deployment.yaml --from canary`;

export function addRenderCommand(program: Command, io: Io): void {
  withPodOptions(program.command("render"))
    .description("show what templates render for a pod, before it is merged")
    .option("--template <name>", "this template, whatever the pod asks for")
    .option("--json", "print the overlays as JSON")
    .addHelpText("after", NOTES)
    .action((options: RenderOptions) => runRender(options, io));
}

async function runRender(options: RenderOptions, io: Io): Promise<void> {
  const { referred, pods } = await readQuestion(options, io);
  const injector = loadRelease(referred.release);
  const overlays = pods.flatMap(({ name, request }) => {
    const { overlays, skipped } = render(injector, request, options.template);
    if (skipped !== "") io.stderr.write(`${name}: not injected: ${skipped}\n`);
    return overlays.map(([template, overlay]): Overlay => ({ pod: name, template, overlay }));
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
    throw new OutriggerError("usage", `Cannot render template ${JSON.stringify(template)}: there are ${known}`);
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
  const result = injectPod(listening, template === undefined ? request : asking(request, template));
  return { overlays, skipped: result.injected ? "" : result.message };
}

function asking(request: InjectRequest, template: string): InjectRequest {
  const { metadata, spec, ...rest } = request.pod;
  const labels = { ...metadata?.labels, [labelKeys.inject]: "true" };
  const annotations = { ...metadata?.annotations, [annotationKeys.templates]: template };
  return { ...request, pod: { ...rest, metadata: { ...metadata, labels, annotations }, ...(spec && { spec }) } };
}
