// `outrigger pull`: what of Parameter Store goes into a directory, and what of the directory it leaves alone.
import { defined, OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { listEnvironments, readSettledSource, readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { treeDiff } from "../../terminal/text-diff.ts";
import { readBase, requireNotEmptied, writeBase } from "../../tree/base-file.ts";
import { chooseEnvironment, environmentOptions, readTree } from "../../tree/environment.ts";
import { directoryOf, directoryTree } from "../../tree/read-trees.ts";
import { runPush } from "../../tree/run-push.ts";
import { sourceFile, writeSourceFiles } from "../../tree/source-files.ts";
import { textAt, threeWay } from "../../tree/three-way.ts";

const NOTES = `
Templates are written as .hbs files with {{ }}, everything else as .yaml. What was pulled is remembered in
.outrigger/base.json, so that push and the next pull know who has edited what. Edits made here are never overwritten:
where the same entry was edited on both sides, nothing is written and the differences are shown. --force makes the
directory what Parameter Store is.

Examples:
  outrigger pull my-templates
  outrigger pull my-templates --deployment prod --dry-run`;

const PULL_OPTIONS = optionTable({
  ...deploymentOptions,
  ...resultOptions,
  force: { about: "overwrite edits made here" },
  dryRun: sharedOptions.dryRun,
});

export function addPullCommand(program: Command, io: Io): void {
  takes(program.command("pull"), PULL_OPTIONS)
    .description("write the source tree of a deployment into a directory")
    .argument("[dir]", "the directory; made where there is none (default: the current one)")
    .addHelpText("after", NOTES)
    .action((directory, options) => runPull(directory, options, io));
}

/** Throws `tree-changed`, having written nothing, where both sides were edited. */
async function runPull(argument: string | undefined, options: OptionsOf<typeof PULL_OPTIONS>, io: Io): Promise<void> {
  const { force = false, dryRun = false } = options;
  const deployment = await openDeployment(options, io);
  const { source } = deployment.target.layout;
  const directory = directoryOf(argument, io);
  await requireNoEnvironments(directory, deployment);
  const seen = await readBase(directory, deployment);
  const known = force ? {} : seen.base;
  const read = await readSettledSource(deployment.store, deployment.target.layout, {
    expected: { paths: Object.keys(known), manifestVersion: seen.manifestVersion },
    ...defined({ sleep: io.sleep }),
  });
  const { tree: theirs, manifest } = read;
  const ours = await directoryTree(directory);
  requireNotEmptied(theirs, known, "pull", deployment, "delete your files too with --force");
  const { carried, kept, conflicts, base } = threeWay(theirs, ours, known, force);
  if (conflicts.length > 0) {
    io.stderr.write(treeDiff({ name: "yours", tree: ours }, { name: "source", tree: theirs }, conflicts));
    const message = `Cannot pull ${conflicts.map(sourceFile).join(", ")}: edited here and in ${source}, as shown above; put your edits aside, or overwrite them with --force`;
    throw new OutriggerError("tree-changed", message);
  }
  if (manifest?.state === "pushing") {
    const message = `a push by ${manifest.by}, begun at ${manifest.at}, is not complete: part of it may be missing`;
    io.stderr.write(`Warning: ${message}\n`);
  }
  if (!dryRun) {
    await writeSourceFiles(directory, theirs, carried);
    await writeBase(directory, deployment, base, read.manifestVersion);
  }
  const files = Object.keys(theirs).length;
  const left = kept.length === 0 ? [] : [`Left as you have edited it: ${kept.map(sourceFile).join(", ")}`];
  const count = `${carried.length} ${carried.length === 1 ? "file" : "files"}`;
  const place = argument ?? ".";
  const pulled = dryRun ? "Would pull" : "Pulled";
  const end =
    carried.length === 0 ? `Nothing to pull: ${place} has it all` : `${pulled} ${count} from ${source} into ${place}`;
  const nothing = `${source} is empty: the shipped templates are served as they are; look at --deployment, --region and --profile if you expected more`;
  const lines = [
    ...carried.map((path) => changeLine(path, ours, theirs)),
    ...left,
    files + carried.length === 0 ? nothing : end,
  ];
  printResult(io, options.json, { directory, changed: carried, kept, files, dryRun }, lines.join("\n"));
}

/** What a deployment holds is one environment, laid over the rest: it cannot be taken apart again. */
async function requireNoEnvironments(directory: string, { target }: Deployment): Promise<void> {
  const known = await listEnvironments(directory);
  if (known.length === 0) return;
  const message = `Cannot pull into ${directory}: it has environments (${known.join(", ")}), and ${target.layout.source} holds one of them laid over the rest; look at "outrigger diff source ${directory} --env ${known.at(-1)}", and edit the directory`;
  throw new OutriggerError("tree-invalid", message, { path: directory });
}

function changeLine(path: string, ours: SourceTree, theirs: SourceTree): string {
  const isNew = textAt(ours, path) === undefined;
  const verb = textAt(theirs, path) === undefined ? "deleted" : isNew ? "added" : "changed";
  return `${verb.padEnd(8)} ${sourceFile(path)}`;
}

// `outrigger push`: what was edited in a directory goes to Parameter Store.
const PUSH_NOTES = `
Only what was edited here since the last pull or push is written, and what was deleted here is deleted. What others
have changed meanwhile is never overwritten: the push is refused, and shows the differences. --force makes
Parameter Store what the directory is, whatever is there. A tree that would not be published is not pushed.

Examples:
  outrigger push my-templates --dry-run
  outrigger push my-templates --publish -m "Larger proxy for the shop"`;

const PUSH_OPTIONS = optionTable({
  ...deploymentOptions,
  ...environmentOptions,
  message: sharedOptions.message,
  ...resultOptions,
  force: { about: "overwrite what others have changed" },
  dryRun: sharedOptions.dryRun,
  publish: { about: "publish it and wait, instead of leaving it to the deployment" },
  unpin: { ...sharedOptions.unpin, about: "with --publish: publish although the channel is pinned, and unpin it" },
  advanced: sharedOptions.advanced,
  channel: { ...sharedOptions.channel, about: "with --publish: refuse to publish to any other" },
});

export function addPushCommand(program: Command, io: Io): void {
  takes(program.command("push"), PUSH_OPTIONS)
    .description("write a directory's edits to Parameter Store")
    .argument("[dir]", "the directory of the source tree (default: the current one)")
    .addHelpText("after", PUSH_NOTES)
    .action(async (argument, options) => {
      const directory = directoryOf(argument, io);
      // Before AWS is asked: a directory may be misspelt.
      const below = await readSourceTree(directory);
      const deployment = await openDeployment(options, io);
      const env = await chooseEnvironment(directory, below, options.env, deployment);
      const tree = await readTree(directory, env, below);
      await runPush({ directory, tree, settings: options, isTruth: false }, deployment, io);
    });
}
