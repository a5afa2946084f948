// `outrigger diff`: what changes between two trees, in their texts and in the pods that come of them.
import { OutriggerError, once, ownError, trimEnd, usageError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import {
  admittedRequest,
  injectedText,
  loadRelease,
  manifestPods,
  type NamedPod,
  samplePods,
} from "@outrigger/injector";
import { readSettledSource } from "@outrigger/publisher";
import { formatYaml } from "@outrigger/yaml";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { inputName, readInput } from "../../manifests/read-input.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { fleetOptions, namesCluster } from "../../options/cluster-options.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { findReference, REFERENCES, type Referred } from "../../options/reference.ts";
import { selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptionsWith } from "../../options/shared-options.ts";
import { valuesOptions, withCommandLineValues } from "../../options/values-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { entryDiffs, textDiff } from "../../terminal/text-diff.ts";
import { shippedTree } from "../../tree/read-trees.ts";
import { changedPaths } from "../../tree/three-way.ts";

interface Difference {
  readonly path: string;
  readonly diff: string;
}

const NOTES = `${REFERENCES}

Shows the texts that differ, and then each sample pod whose injected form differs: the shipped samples, and those of the
trees that are compared. With -f, the pods of a manifest instead of the samples. --values and --set lie over the second tree.

With --cluster or --context, or --clusters, --channel or --all, the workloads of registered clusters instead: those whose next pod would differ, counted by change, and
first those that would fail, be refused, or lose or gain a container. Each running pod is restored to what its author wrote and injected
by both trees, as the webhook would. Where BEFORE is a channel, only the pods that it serves are asked about. A workload without a
running pod is not seen. Of several, one that cannot be asked is left out, with the reason and exit code 3. Nothing is written; the permissions are those of outrigger pods (outrigger print rbac pods).

Exit codes with a cluster: 0 no workload changes, 1 some do, 2 the command line is wrong, 3 could not read.

Examples:
  outrigger diff stable source
  outrigger diff stable canary -f deployment.yaml
  outrigger diff shipped my-templates
  outrigger diff my-templates my-templates --env dev --env prod
  outrigger diff stable stable --set global.proxy.logLevel=debug
  outrigger diff stable source --cluster shop
  outrigger diff stable source --all
  outrigger diff stable my-templates --context prod-a --context prod-b -o markdown`;

const DIFF_OPTIONS = optionTable({
  ...deploymentOptions,
  ...valuesOptions,
  ...fleetOptions,
  ...selectionOptions,
  ...resultOptionsWith("wide", "markdown"),
  env: {
    argument: "<name>",
    about: "lay this environment over the directories; given twice: the first over BEFORE, the second over AFTER",
    isRepeatable: true,
  },
  filename: { short: "-f", argument: "<file>", about: "compare the pods of this manifest; - reads standard input" },
  exitCode: { about: "exit 1 if there are differences" },
});

type DiffOptions = OptionsOf<typeof DIFF_OPTIONS>;

export function addDiffCommand(program: Command, io: Io): void {
  takes(program.command("diff"), DIFF_OPTIONS)
    .description("show what changes between two trees, and in pods")
    .argument("<before>", "a channel, a release, source, shipped or a directory")
    .argument("<after>", "the same")
    .addHelpText("after", NOTES)
    .action(async (left, right, options) => {
      const isFleet = selectsClusters(options) || namesCluster(options);
      checkFleetOptions(options, isFleet);
      const connect = once(() => openDeployment(options, io));
      const [first, second = first, ...more] = options.env ?? [];
      if (more.length > 0) throw usageError("Cannot use --env more than twice: there are two trees");
      const before = await findReference(left, connect, io, first);
      const after = await withCommandLineValues(await findReference(right, connect, io, second), options, io);
      if (first !== undefined && before.environment === undefined && after.environment === undefined) {
        throw usageError("Cannot use --env without a directory: name one as BEFORE or AFTER");
      }
      if (isFleet) {
        const { printFleetEffect } = await import("../../rollouts/fleet-effect.ts");
        return printFleetEffect({ before, after }, options, io);
      }
      const trees = textDifferences(before, after);
      const pods = podDifferences(before, after, await podsOf([before, after], options, connect, io));
      const about = ({ name, digest }: Referred) => ({ name, release: digest });
      const value = { before: about(before), after: about(after), trees, pods };
      printResult(io, options.json, value, report(before, after, trees, pods, options.filename));
      if (options.exitCode === true && trees.length + pods.length > 0) {
        throw new OutriggerError("tree-changed", `${before.name} and ${after.name} differ`);
      }
    });
}

/** @throws OutriggerError `usage` for an option that has no meaning without a cluster, or with one */
function checkFleetOptions({ filename, output, namespace, selector, as }: DiffOptions, isFleet: boolean): void {
  if (isFleet && filename !== undefined) {
    throw usageError("Cannot use -f with a cluster: compare the pods of the manifest, or those of the cluster");
  }
  const isFormat = output === "wide" || output === "markdown";
  const given = isFormat
    ? `-o ${output}`
    : namespace
      ? "--namespace"
      : selector
        ? "--selector"
        : as
          ? "--as"
          : undefined;
  if (!isFleet && given !== undefined) {
    throw usageError(
      `Cannot use ${given} without a cluster: name one with --cluster or --context, or several with --clusters`,
    );
  }
}

/**
 * Compares two trees: by text where the texts of both are kept; otherwise by what they came to: values and settings as YAML. Of templates that are kept as
 * programs only, it can be said that they differ.
 */
function textDifferences(before: Referred, after: Referred): readonly Difference[] {
  const between = (left: SourceTree, right: SourceTree) =>
    entryDiffs({ name: label(before.name), tree: left }, { name: label(after.name), tree: right });
  if (before.tree !== undefined && after.tree !== undefined) return between(before.tree, after.tree);
  const texts = ({ release }: Referred) => ({
    config: formatYaml(release.config),
    mesh: formatYaml(release.meshConfig),
    values: formatYaml(release.values),
    proxyconfigs: formatYaml(release.proxyConfigs),
    namespaces: formatYaml(release.namespaceAnnotations),
  });
  const programs = ({ release }: Referred): SourceTree => {
    const { templates, partials } = release.templates;
    const all = Object.entries({ templates, partials }).flatMap(([folder, programs]) =>
      Object.entries(programs).map(([name, program]) => [`${folder}/${name}`, JSON.stringify(program)]),
    );
    return Object.fromEntries(all);
  };
  const [left, right] = [programs(before), programs(after)];
  return [
    ...between(texts(before), texts(after)),
    ...changedPaths(left, right).map((path) => ({ path, diff: `${path} differs; its text is not kept any more\n` })),
  ];
}

function podDifferences(before: Referred, after: Referred, pods: readonly NamedPod[]): readonly Difference[] {
  const [left, right] = [loadRelease(before.release), loadRelease(after.release)];
  return pods.flatMap(({ name, request }) => {
    const diff = textDiff(
      { name: `${label(before.name)}/${name}`, text: injectedText(left, request) },
      { name: `${label(after.name)}/${name}`, text: injectedText(right, request) },
    );
    return diff === "" ? [] : [{ path: name, diff }];
  });
}

async function podsOf(
  referred: readonly Referred[],
  { filename }: DiffOptions,
  connect: () => Promise<Deployment>,
  io: Io,
): Promise<readonly NamedPod[]> {
  if (filename !== undefined) {
    const pods = manifestPods([{ text: await readInput(filename, io), source: inputName(filename) }]);
    return pods.map(({ name, request }) => ({ name, request: admittedRequest(request) }));
  }
  const kept = referred.flatMap(({ tree }) => (tree === undefined ? [] : [tree]));
  const current = kept.length === referred.length ? [] : await sourceSamples(connect);
  return samplePods([await shippedTree(io), ...current, ...kept]);
}

/** The samples that exist now, for a release whose own are not kept. */
async function sourceSamples(connect: () => Promise<Deployment>) {
  const { store, target } = await connect();
  try {
    return [(await readSettledSource(store, target.layout)).tree];
  } catch (error) {
    ownError(error);
    return [];
  }
}

function report(
  before: Referred,
  after: Referred,
  trees: readonly Difference[],
  pods: readonly Difference[],
  filename: string | undefined,
): string {
  const head = `${before.name} is release ${before.digest}, ${after.name} is release ${after.digest}\n`;
  if (before.digest === after.digest) return `${head}They inject every pod in the same way\n${joined(trees)}`;
  const texts = trees.length === 0 ? "Their texts are the same: other shipped templates lie beneath\n" : joined(trees);
  const none =
    filename === undefined
      ? "No sample pod changes: give the tree a sample that shows the difference, or name a pod with -f\n"
      : `No pod of ${inputName(filename)} changes\n`;
  return `${head}\n${texts}\n${pods.length === 0 ? none : `Injected pods:\n${joined(pods)}`}`;
}

function joined(all: readonly Difference[]): string {
  return all.map(({ diff }) => diff).join("");
}

/** A directory without what would make its name read as a path of its own. */
function label(name: string): string {
  return trimEnd(name, "/") || name;
}
