// A dry run of a move that names a cluster shows with the answer what the move does to the cluster's workloads.
import type { Published } from "@outrigger/cluster";
import type { RestartQuestion } from "@outrigger/rollouts";
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
    const { value, text } = await readFleetEffect(trees, fleet, io);
    return { value: { effect: value }, text };
  };
  return { ...options, readEffect };
}

/**
 * Returns the options of a dry run with the question to the cluster that they name, and to which of its workloads the move would restart.
 *
 * @param questionOf which workloads are restarted, by the release that the channel would serve
 * @param shares the percentages of workloads that get the release one after the other; left out, all get it at once
 */
export function showingRestart<Options extends DryRunOptions>(
  options: Options,
  questionOf: (release: string) => RestartQuestion,
  io: Io,
  shares?: readonly number[],
): Options & Pick<AskOptions, "readEffect"> {
  const shown = showingEffect(options, io);
  const readEffect: AskOptions["readEffect"] = async (answer, deployment) => {
    const effect = await shown.readEffect?.(answer, deployment);
    const { channel, release } = answer;
    if (channel === undefined || release === undefined) return effect;
    const { planAhead } = await import("../rollouts/restart-ahead.ts");
    const plan = await planAhead({ channel, release, question: questionOf(release), shares }, options, io);
    return {
      value: { ...effect?.value, restart: plan.value },
      text: `${effect === undefined ? "" : `${effect.text}\n`}${plan.text}`,
    };
  };
  return { ...shown, readEffect };
}
