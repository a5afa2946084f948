// `outrigger samples`: samples of the pods that clusters run, for a source tree.
import { usageError } from "@outrigger/base";
import type { Command } from "commander";
import { deploymentOptions } from "../../options/aws-options.ts";
import { fleetOptions, namesCluster } from "../../options/cluster-options.ts";
import { optionTable, takes } from "../../options/option.ts";
import { selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import type { Io } from "../../terminal/io.ts";

const NOTES = `
Reads the pods that the deployment serves in the clusters, and writes as few of them into samples/ as take, together with the samples that are there,
every branch of the templates that the pods take. outrigger lint, test and publish then try these pods too.

A sample has the shape of its pod: which fields, keys and items there are, numbers and amounts. Values of variables, arguments, addresses
and what is in or of Secrets are never written; of labels, annotations and everything else, only what a condition of a template needs, which is named.
Nothing is written to the cluster. With --clusters, --channel or --all, the pods of registered clusters; one that cannot be asked is left out, with
the reason and exit code 3.

Run it again, and samples that are there stay as they are. One that it wrote itself is removed where other samples take its branches; with
--prune, also where no pod of these clusters takes them now. Settings of a cluster, such as its network, are not part of a sample.

Examples:
  outrigger samples my-templates --cluster shop --dry-run
  outrigger samples my-templates --context prod-a --context prod-b
  outrigger samples my-templates --all --dry-run
  outrigger samples my-templates --cluster shop --prune -o json`;

const SAMPLES_OPTIONS = optionTable({
  ...deploymentOptions,
  ...fleetOptions,
  ...selectionOptions,
  cluster: { ...fleetOptions.cluster, about: "an EKS cluster whose pods are read; repeatable" },
  ...resultOptions,
  prune: { about: "remove samples that it wrote and that no pod of these clusters needs now" },
  dryRun: sharedOptions.dryRun,
});

export function addSamplesCommand(program: Command, io: Io): void {
  takes(program.command("samples"), SAMPLES_OPTIONS)
    .description("write samples of the pods that a cluster runs")
    .argument("[dir]", "the directory of the source tree (default: the current one)")
    .addHelpText("after", NOTES)
    .action(async (directory, options) => {
      if (!selectsClusters(options) && !namesCluster(options))
        throw usageError(
          "Name the cluster whose pods are read, with --cluster or --context, or several with --clusters",
        );
      const { namespace, selector, prune } = options;
      if (prune === true && (namespace ?? selector) !== undefined) {
        throw usageError(
          `Cannot use --prune with ${namespace === undefined ? "--selector" : "--namespace"}: whether any pod needs a sample, only all of them say`,
        );
      }
      const { writeSamples } = await import("../../rollouts/fleet-samples.ts");
      await writeSamples(directory, options, io);
    });
}
