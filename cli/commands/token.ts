// `outrigger token rotate`: changes the token in a cluster's webhooks without a call being lost.
import { type Command, InvalidArgumentError } from "commander";
import { rotateToken } from "../../infra/eks/rotate-token.ts";
import { type ClusterOptions, withClusterOptions } from "../cluster-options.ts";
import { causeOf, openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { printResult } from "../print.ts";

interface RotateOptions extends ClusterOptions {
  /** Minutes; false with --no-wait. */
  readonly wait: number | false;
  readonly selfTest: boolean;
  readonly message?: string;
}

const NOTES = `
A second token is registered, tested and put into the webhooks. When calls come with it, and none with the old one any
more, the old one is retired. Stopped at any point, it goes on from there when it is run again.

Examples:
  outrigger token rotate --cluster shop
  outrigger token rotate --cluster shop --wait 30`;

export function addTokenCommand(program: Command, io: Io): void {
  const token = program.command("token").description("the tokens by which clusters are known");
  withClusterOptions(token.command("rotate"))
    .description("replace the token of a cluster while it goes on calling")
    .option("--wait <minutes>", "how long to wait for calls with the new token", parseMinutes, 15)
    .option("--no-wait", "leave the old token live; run it again to retire it")
    .option("--no-self-test", "do not call the webhook from here")
    .option("-m, --message <text>", "why: kept with the change")
    .addHelpText("after", NOTES)
    .action((options: RotateOptions) => runRotate(options, io));
}

async function runRotate(options: RotateOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, watchDeployment } = await import("../connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const watch = await watchDeployment(deployment, io.env);
  const { kube } = await connectCluster(deployment, options);
  const cluster = options.as ?? options.cluster;
  const rotation = await rotateToken(
    {
      cluster,
      deployment: deployment.target.stage,
      cause: await causeOf(deployment, options.message),
      withSelfTest: options.selfTest,
      patience: options.wait === false ? 0 : options.wait * 60_000,
      countCalls: watch.countCalls(cluster),
    },
    registrationPorts(deployment, kube, watch, io),
  );
  const text = {
    retired: `${cluster} calls with a new token, and the old one is retired`,
    "still-live": `${cluster} has a new token, and the old one is still live: run this again to retire it`,
  };
  printResult(io, undefined, rotation, text[rotation]);
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (/^\d+$/.test(text) && minutes >= 1 && minutes <= 240) return minutes;
  throw new InvalidArgumentError("Wait 1 to 240 whole minutes.");
}
