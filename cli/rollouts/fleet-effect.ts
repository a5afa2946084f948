// What a tree in place of another does to the workloads of clusters: opens the clusters, asks, and prints the answer. Loaded only when a
// command runs.
import { defined, OutriggerError } from "@outrigger/base";
import { loadRelease, type Release } from "@outrigger/injector";
import { fleetEffect } from "@outrigger/rollouts";
import type { Io } from "../terminal/io.ts";
import { printResult } from "../terminal/print.ts";
import { type AskedOptions, askFleet, leftOutError, leftOutText } from "./ask-fleet.ts";
import { fleetMarkdown, fleetText } from "./fleet-text.ts";

/** A tree that is compared, by the name that the reader knows. */
interface ComparedTree {
  readonly name: string;
  readonly digest: string;
  readonly release: Release;
  readonly channel?: string;
}

interface Compared {
  readonly before: ComparedTree;
  readonly after: ComparedTree;
}

type PrintOptions = AskedOptions & { readonly json?: true; readonly output?: string };

/** @throws OutriggerError where a cluster could not be asked; `findings` where the next pod of any workload differs */
export async function printFleetEffect(trees: Compared, options: PrintOptions, io: Io): Promise<void> {
  const { value, text } = await readFleetEffect(trees, options, io);
  printResult(io, options.json, value, text);
  const left = leftOutError(value.leftOut, value.clusters.length);
  if (left !== undefined) throw left;
  if (value.groups.length === 0) return;
  const { length } = value.clusters;
  const where = length === 1 ? value.clusters[0]?.cluster : `${length} clusters`;
  const what = value.workloads === 1 ? "One workload" : `${value.workloads} workloads`;
  throw new OutriggerError("findings", `${what} of ${where} would come out differently`);
}

/** Asks the clusters that the options name, one after the other, and says the answer in the format that they ask for. */
export async function readFleetEffect({ before, after }: Compared, options: PrintOptions, io: Io) {
  const releases = {
    before: loadRelease(before.release),
    after: loadRelease(after.release),
    ...defined({ channel: before.channel }),
  };
  const effect = await askFleet(options, io, (clusters, question, report) =>
    fleetEffect(clusters, releases, question, report),
  );
  const about = ({ name, digest }: ComparedTree) => ({ name, release: digest });
  const value = { before: about(before), after: about(after), ...effect };
  const said = options.output === "markdown" ? fleetMarkdown(value) : fleetText(value, options.output === "wide");
  return { value, text: `${said}${leftOutText(value.leftOut)}` };
}
