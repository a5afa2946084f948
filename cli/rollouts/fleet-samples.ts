// Samples of the pods that clusters run: opens the clusters, plans, and writes into a source tree. Loaded only when a command runs.
import { fitsParameter } from "@outrigger/aws";
import { OutriggerError, plural } from "@outrigger/base";
import { branchReader, lintSource, loadRelease, type SourceTree } from "@outrigger/injector";
import { fleetBranches, planSamples, type SamplesPlan } from "@outrigger/rollouts";
import { describeFindings, requireNoErrors } from "../diagnose/lint-report.ts";
import type { Io } from "../terminal/io.ts";
import { printResult } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import { shellWords } from "../terminal/shell-words.ts";
import { directoryOf, directoryTree, shippedTree } from "../tree/read-trees.ts";
import { sourceFile, writeSourceFiles } from "../tree/source-files.ts";
import { type AskedOptions, askFleet, leftOutError, leftOutText } from "./ask-fleet.ts";

type SamplesOptions = AskedOptions & { readonly json?: true; readonly prune?: true; readonly dryRun?: true };

type Count = Awaited<ReturnType<typeof fleetBranches>>["clusters"][number];

/**
 * Writes the samples that a directory lacks for the pods of the clusters that the options name or select.
 *
 * @throws OutriggerError where a cluster could not be asked, once the samples of the others are written; before that with `prune`
 */
export async function writeSamples(argument: string | undefined, options: SamplesOptions, io: Io): Promise<void> {
  const { json, prune = false, dryRun = false } = options;
  const directory = directoryOf(argument, io);
  const [shipped, tree] = await Promise.all([shippedTree(io), directoryTree(directory)]);
  const { release, findings } = lintSource([shipped, tree]);
  if (release === undefined) {
    io.stderr.write(printable(describeFindings(findings)));
    return requireNoErrors(findings, "make samples");
  }
  const injector = loadRelease(release);
  const read = branchReader(release, injector);
  const { clusters, groups, leftOut } = await askFleet(options, io, (opened, question, report) =>
    fleetBranches(opened, read, question, report),
  );
  const left = leftOutError(leftOut, clusters.length);
  // Whether any pod needs a sample, only all clusters say.
  if (left !== undefined && prune)
    throw new OutriggerError(left.code, `Cannot prune: ${left.message}: ${leftOut[0]?.message}`);
  const { templates, config } = injector;
  const words = new Set([...templates.names, ...Object.keys(config.aliases)]);
  const isTrees = (text: string) => words.has(text) || templates.isRead(text);
  const fits = (text: string) => fitsParameter(text, "Standard");
  const plan = planSamples({ groups, shipped, tree, read, isTrees, fits, isPruned: prune });
  const texts: SourceTree = Object.fromEntries(plan.written.map(({ path, text }) => [path, text]));
  const changed = [...Object.keys(texts), ...plan.removed.map(({ path }) => path)];
  if (!dryRun && changed.length > 0) await writeSourceFiles(directory, texts, changed);
  const files = plan.written.map(({ path, text: _, ...about }) => ({ file: sourceFile(path), ...about }));
  const removed = plan.removed.map(({ path, why }) => ({ file: sourceFile(path), why }));
  const value = {
    clusters,
    branches: plan.branches,
    written: files,
    removed,
    unused: plan.unused.map(sourceFile),
    left: plan.left,
    leftOut,
  };
  const said = describePlan(clusters, plan, dryRun, argument);
  printResult(io, json, { dryRun, ...value }, `${said}\n${leftOutText(leftOut)}`);
  if (left !== undefined) throw left;
}

function describePlan(clusters: readonly Count[], plan: SamplesPlan, dryRun: boolean, place = "."): string {
  const { branches, written, removed, unused, left } = plan;
  const total = clusters.reduce((sum, { pods }) => sum + pods, 0);
  const names = clusters.map(({ cluster }) => cluster).join(", ");
  const silent = clusters.filter(({ pods, served }) => pods > 0 && served === 0);
  const gained = written.flatMap((sample) => sample.branches).length;
  const before = branches.sampled - gained;
  return [
    ...silent.map(
      ({ cluster }) =>
        `No pod of ${cluster} is sent to this deployment: label its namespaces, or outrigger check says why`,
    ),
    `${counted(total, "pod")} of ${names} ${plural(total, "takes", "take")} ${counted(branches.taken, "branch", "branches")} of the templates; samples take ${before} of them`,
    ...written.flatMap(({ path, pods, workloads, branches: more, kept, workload }) => [
      `${dryRun ? "Would write" : "Wrote"} ${sourceFile(path)}: ${counted(more.length, "branch", "branches")} more, from ${workload} (${counted(pods, "pod")} in ${counted(workloads, "workload")})`,
      ...(kept.length === 0 ? [] : [`  It has values of the pod that conditions need: ${kept.join(", ")}`]),
    ]),
    ...removed.map(({ path, why }) => `${dryRun ? "Would remove" : "Removed"} ${sourceFile(path)}: ${why}`),
    ...unused.map((path) => `Left ${sourceFile(path)}: no pod takes its branches now; --prune removes it`),
    ...left.map(({ branch, why }) => `No sample takes ${branch}: ${why}`),
    ...(written.length + removed.length === 0 ? ["Nothing to write"] : []),
    ...(written.length > 0 && !dryRun ? [`Look at them, then: outrigger lint ${shellWords([place])}`] : []),
  ].join("\n");
}

function counted(count: number, one: string, several?: string): string {
  return `${count} ${plural(count, one, several)}`;
}
