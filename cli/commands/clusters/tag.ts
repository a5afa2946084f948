// `outrigger tag`: the tags of a cluster's revisions, as istioctl has them: a registration underneath.

import { usageError } from "@outrigger/base";
import { findInstalled } from "@outrigger/cluster";
import { Argument, type Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type ClusterOptions, withClusterOptions } from "../../options/cluster-options.ts";
import { withMessage } from "../../releases/ask-and-print.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";
import { runRegister } from "./register.ts";

interface TagOptions extends ClusterOptions {
  readonly revision?: string;
  /** False with --no-self-test. */
  readonly selfTest: boolean;
}

const NOTES = `
A tag is a second name of a revision: namespaces are labelled istio.io/rev=TAG. set gives it to a revision that is registered, and takes it
from the one that has it; its phase decides then which pods are sent. Both register the revision again (outrigger register --help).

Examples:
  outrigger tag list --cluster shop
  outrigger tag set prod --revision 1-30 --cluster shop
  outrigger tag remove prod --cluster shop`;

export function addTagCommand(program: Command, io: Io): void {
  withMessage(withClusterOptions(program.command("tag")))
    .description("list, set or remove the tags of a cluster's revisions")
    .addArgument(new Argument("<action>", "what to do").choices(["list", "set", "remove"]))
    .argument("[tag]", "the tag")
    .option("--revision <revision>", "the revision that gets the tag")
    .option("--no-self-test", "do not call the webhook from this machine: for one that only the cluster can reach")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action((action: string, tag: string | undefined, options: TagOptions) => runTag(action, tag, options, io));
}

async function runTag(action: string, tag: string | undefined, options: TagOptions, io: Io): Promise<void> {
  const { connectCluster } = await import("../../connect/connect-cluster.ts");
  if (action !== "list" && tag === undefined) {
    throw usageError(`Cannot ${action} a tag: name it, as in outrigger tag ${action} prod`);
  }
  const deployment = await openDeployment(options, io);
  const { kube } = await connectCluster(deployment, options);
  const installed = await findInstalled(kube, deployment.target.stage);
  const tags = installed.flatMap(({ tag, revision }) => (tag === undefined ? [] : [{ tag, revision }]));
  if (action === "list") {
    const rows = tags.map((each) => [each.tag, each.revision]);
    const none = "No revision of the cluster has a tag: outrigger tag set TAG --revision REVISION\n";
    return printResult(io, options.json, tags, rows.length === 0 ? none : table(["TAG", "REVISION"], rows));
  }
  const owner = tags.find((each) => each.tag === tag)?.revision;
  const revision = action === "set" ? options.revision : owner;
  const known = installed.flatMap((webhook) => (webhook.tag === undefined ? [webhook.revision] : []));
  if (revision === undefined) {
    const fix = action === "set" ? "name the revision with --revision" : "no revision has it (outrigger tag list)";
    throw usageError(`Cannot ${action} tag ${tag}: ${fix}`);
  }
  if (!known.includes(revision)) {
    throw usageError(
      `Cannot set tag ${tag}: revision ${revision} is not registered (there is ${known.join(", ") || "none"}); outrigger register --revision ${revision} does that`,
    );
  }
  const others = tags.filter((each) => each.revision === revision && each.tag !== tag).map((each) => each.tag);
  await runRegister({ ...options, revision, tag: action === "set" ? [...others, tag as string] : others }, io);
}
