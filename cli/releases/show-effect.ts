// A dry run of a move that names a cluster shows with the answer what the move does to the cluster's workloads.
import type { Published } from "@outrigger/cluster";
import type { Deployment } from "../connect/deployment.ts";
import { namesContext, type RunningOptions } from "../options/cluster-options.ts";
import { findReference } from "../options/reference.ts";
import type { Io } from "../terminal/io.ts";
import type { AskOptions } from "./ask-and-print.ts";

interface DryRunOptions extends RunningOptions {
  readonly dryRun?: true;
}

/**
 * Returns the options with the question to the cluster that they name; as they are without a dry run.
 *
 * @param after names what the channel goes to. Left out, the release that the publisher answers with
 */
export function showingEffect<Options extends DryRunOptions>(
  options: Options,
  io: Io,
  after?: "source",
): Options & Pick<AskOptions, "readEffect"> {
  if (options.dryRun !== true || (options.cluster === undefined && !namesContext(options))) return options;
  const readEffect = async ({ channel, release }: Published, deployment: Deployment) => {
    const goal = after ?? release;
    if (channel === undefined || goal === undefined) return undefined;
    const connect = async () => deployment;
    const trees = { before: await findReference(channel, connect, io), after: await findReference(goal, connect, io) };
    const { cluster, context, ...place }: RunningOptions = options;
    const { readFleetEffect } = await import("../rollouts/fleet-effect.ts");
    const fleet = { ...place, ...(cluster && { cluster: [cluster] }), ...(context && { context: [context] }) };
    return readFleetEffect(trees, fleet, io);
  };
  return { ...options, readEffect };
}
