// `outrigger uninject`: takes an injection off the pods of manifests again.

import { loadRelease, uninjectManifest } from "@outrigger/injector";
import type { Command } from "commander";
import { readManifests } from "../../manifests/read-manifests.ts";
import { writeManifests } from "../../manifests/write-manifests.ts";
import { findRelease, type PodOptions, sourceOptions, withPodOptions } from "../../options/release-options.ts";
import type { Io } from "../../terminal/io.ts";

interface UninjectOptions extends PodOptions {
  readonly output?: string;
}

const NOTES = `
Restores what the author wrote, from the record that an injection leaves in the pod: Outrigger's own or Istio's. What was
injected with "outrigger inject" comes back byte for byte, but for white space and quotes of what the injection replaced.

Examples:
  outrigger uninject -f injected.yaml -o deployment.yaml
  kubectl get deployment web -o yaml | outrigger uninject -f -`;

export function addUninjectCommand(program: Command, io: Io): void {
  withPodOptions(program.command("uninject"))
    .description("take an injection off the pods of manifests")
    .option("-o, --output <file>", "a file for all, or a directory with a file for each, instead of standard output")
    .addHelpText("after", NOTES)
    .action((options: UninjectOptions) => runUninject(options, io));
}

async function runUninject(options: UninjectOptions, io: Io): Promise<void> {
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
}
