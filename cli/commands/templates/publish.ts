// `outrigger publish`: the source tree becomes a release, and a channel moves to it.
import { resolve } from "node:path";
import { defined, usageError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { readSettledSource, readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { runningOptions } from "../../options/cluster-options.ts";
import { wholeNumber } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import { acceptedIn, MAX_MESSAGE } from "../../releases/action-request.ts";
import { askAndPrint } from "../../releases/ask-and-print.ts";
import { openNamed, placeOf } from "../../releases/open-named-deployment.ts";
import type { PublishTo } from "../../releases/publish-to-many.ts";
import { showingEffect } from "../../releases/show-effect.ts";
import type { Io } from "../../terminal/io.ts";
import { chooseEnvironment, environmentOptions, readTree } from "../../tree/environment.ts";
import { directoryOf } from "../../tree/read-trees.ts";
import { runPush } from "../../tree/run-push.ts";
import { testTree } from "./test.ts";

const NOTES = `
Every edit is published by itself, within seconds; publish does it at once, waits, and says why where it is refused. A
channel that is pinned, by a rollback or by hand, is not moved: the exit code is 3, and nothing is written. --unpin says
that it may be.

For a tree that is kept in git, --dir pushes the directory first and publishes exactly that. The directory is the truth:
whatever was pushed before is replaced. Edits made in Parameter Store since the last push are not: the
publish is refused, and shows the differences. With --force it is overwritten too. The tests of the directory run first
(outrigger test): a tree whose tests fail is not published. Of a tree with environments (docs/tasks/dev-and-prod.md), the one that the
deployment is for is laid over it, or --env where the deployment is for none.

What publishing would do to pods is compared with what they get now. What the channel holds (outrigger channel holds) is refused
until you accept it by its name, so that a pod never loses its sidecar by an edit that looked small. The refusal, and a dry run with
--dir, print the command that does: it names both releases, and accepts nothing else. --accept prints what it accepts, and publishes
that alone. A directory that is held is in the source tree already, and waits there.

With --to, the directory goes to every deployment of a file: deployments: [{stage: prod, region: eu-west-1, profile: eu, account:
"111122223333", ring: 1}]. Each is tried before anything is written: if one refuses the tree, nothing is. Then rings are published one after
the other; one in which a deployment fails is the last. The table says who has the tree. Run it again to go on; --ring 1 stops after the first.

With --dry-run and a cluster (--cluster or --context), it shows which workloads of the cluster would come out differently.

--verify looks up every image that would be injected, without credentials or with those of Amazon ECR. What does not exist is not
published; what cannot be looked up is a warning. The history keeps the digests.

Examples:
  outrigger publish -m "Retry with the right quota"
  outrigger publish --dry-run --cluster shop
  outrigger publish --verify --context prod
  outrigger publish --accept container-gone -m "The log shipper is a DaemonSet now"
  outrigger publish --dir templates --deployment prod -m "$GIT_COMMIT"
  outrigger publish --dir templates --to deployments.yaml --ring 1 -m "$GIT_COMMIT"`;

const PUBLISH_OPTIONS = optionTable({
  ...deploymentOptions,
  message: sharedOptions.message,
  replicas: sharedOptions.replicas,
  ...runningOptions,
  ...resultOptions,
  dir: { argument: "<dir>", about: "push this directory first" },
  to: { argument: "<file>", about: "with --dir: to all deployments that this file names, ring by ring: see below" },
  ring: {
    argument: "<number>",
    about: "with --to: this ring and those before it (default: all)",
    parse: wholeNumber(1, 100, "It is a whole number from 1 to 100."),
  },
  env: { ...environmentOptions.env, about: "with --dir: lay this environment of the tree over it: environments/NAME" },
  force: { about: "with --dir: overwrite what was edited in Parameter Store since the last push" },
  channel: {
    ...sharedOptions.channel,
    about: "the channel to move, instead of the one that edits go to; with --dir: refuse any other",
  },
  accept: { argument: "<classes>", about: "publish although it does this to pods, separated by commas: see below" },
  verify: { about: "first look up images in their registries, and with --context istiod's address in that cluster" },
  unpin: { ...sharedOptions.unpin, about: "publish although the channel is pinned, and unpin it" },
  advanced: {
    ...sharedOptions.advanced,
    about: "with --dir: write texts over 4,096 bytes as advanced parameters, which cost money",
  },
  ifServing: sharedOptions.ifServing,
  dryRun: { ...sharedOptions.dryRun, about: "check everything, and write nothing" },
});

type PublishOptions = OptionsOf<typeof PUBLISH_OPTIONS>;

export function addPublishCommand(program: Command, io: Io): void {
  takes(program.command("publish"), PUBLISH_OPTIONS)
    .description("publish the source tree, and wait for it")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const { dir, channel, force, unpin } = options;
      if (dir === undefined && force === true) {
        throw usageError("Cannot use --force without --dir: there is nothing that it would overwrite");
      }
      if (dir === undefined && options.env !== undefined) {
        throw usageError("Cannot use --env without --dir: what Parameter Store holds is of one environment already");
      }
      if (dir !== undefined && options.replicas !== undefined) {
        const message =
          "Cannot use --replicas with --dir: what is pushed is published by itself, to the channel that edits go to; publish to a canary channel, and promote it with --replicas";
        throw usageError(message);
      }
      checkClusterOptions(options);
      if (options.to !== undefined) return publishToFile(options.to, options, io);
      if (dir !== undefined) {
        await publishDirectory(directoryOf(dir, io), options, io);
        return;
      }
      const deployment = await openDeployment(options, io);
      const { tree } =
        options.verify === true ? await readSettledSource(deployment.store, deployment.target.layout) : {};
      const settings = await verified(tree, options, deployment, io);
      const request = { action: "publish", ...defined({ channel, unpin }), ...acceptedIn(options.accept) } as const;
      await askAndPrint(request, showingEffect(settings, io, "source"), deployment, io);
    });
}

/** @throws OutriggerError `usage` where a cluster is named that would not be asked */
function checkClusterOptions({ cluster, dir, dryRun }: PublishOptions): void {
  if (cluster === undefined) return;
  if (dir !== undefined) {
    throw usageError(
      `Cannot use --cluster with --dir: outrigger diff CHANNEL ${dir} --cluster ${cluster} says what it does`,
    );
  }
  if (dryRun !== true) throw usageError("Cannot use --cluster without --dry-run: publishing asks no cluster");
}

/** The options; with --verify, the message names the images that were found, which the channel's history keeps. */
async function verified(
  tree: SourceTree | undefined,
  options: PublishOptions,
  deployment: Deployment,
  io: Io,
): Promise<PublishOptions> {
  if (options.verify !== true || tree === undefined) return options;
  const { verifyTree } = await import("../../releases/verify-tree.ts");
  const images = await verifyTree(tree, deployment, options, io);
  const why = [options.message, images].filter((text) => text !== undefined && text !== "").join("; ");
  return { ...options, message: why.slice(0, MAX_MESSAGE) };
}

/** Options that name one deployment, or are answered by one. */
const OF_ONE = ["deployment", "prefix", "publisher", "region", "profile", "replicas", "context", "ifServing"] as const;

async function publishToFile(file: string, options: PublishOptions, io: Io): Promise<void> {
  const { dir, ring, json, dryRun } = options;
  if (dir === undefined)
    throw usageError("Cannot use --to without --dir: a tree that is kept in git is published to many");
  const one = OF_ONE.find((name) => options[name] !== undefined);
  if (one !== undefined) {
    const flag = `--${one.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw usageError(`Cannot use ${flag} with --to: ${file} names the deployments`);
  }
  const { readDeployments } = await import("../../releases/deployments-file.ts");
  const { publishToMany } = await import("../../releases/publish-to-many.ts");
  const named = (await readDeployments(resolve(io.cwd, file))).filter((each) => each.ring <= (ring ?? each.ring));
  if (named.length === 0) throw usageError(`Cannot publish to ring ${ring}: ${file} names none before it`);
  const publish: PublishTo = async (each, more, quiet) => {
    // Its account is checked before anything is asked.
    await openNamed(each, quiet);
    return publishDirectory(directoryOf(dir, io), { ...options, ...placeOf(each), ...more }, quiet);
  };
  await publishToMany(named, publish, defined({ json, dryRun }), io);
}

async function publishDirectory(directory: string, options: PublishOptions, io: Io) {
  // Before AWS is asked: a directory may be misspelt.
  const below = await readSourceTree(directory);
  const deployment = await openDeployment(options, io);
  const env = await chooseEnvironment(directory, below, options.env, deployment);
  const tree = await readTree(directory, env, below);
  // Standard output is the result of publish alone.
  await testTree(directory, defined({ env }), { ...io, stdout: io.stderr });
  const settings = { ...(await verified(tree, options, deployment, io)), publish: true } as const;
  const pushed = await runPush({ directory, tree, settings, isTruth: true }, deployment, io);
  return { ...pushed, ...defined({ environment: env }) };
}
