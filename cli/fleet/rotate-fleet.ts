// `outrigger token rotate`, of one cluster or of several. Loaded only when the command runs.
import { OutriggerError } from "@outrigger/base";
import { rotateToken } from "@outrigger/cluster";
import { connectCluster, registrationPorts, watchDeployment } from "../connect/connect-cluster.ts";
import { causeOf, type Deployment } from "../connect/deployment.ts";
import type { ClusterOptions, RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import { inTurn } from "../terminal/in-turn.ts";
import type { Io } from "../terminal/io.ts";
import { openFleet } from "./open-fleet.ts";
import { ownIos } from "./own-io.ts";
import { printEach } from "./print-each.ts";
import type { SelectedCluster } from "./select-clusters.ts";

interface RotateOptions {
  readonly message?: string;
  readonly selfTest: boolean;
  /** Minutes. */
  readonly wait: number;
  readonly now?: true;
}

type Rotation = Awaited<ReturnType<typeof rotateToken>>;

/** What is said of a cluster after a rotation. */
export const ROTATIONS: Readonly<Record<Rotation, string>> = {
  retired: "uses a new token; the old one is retired",
  "still-live":
    "has a new token; the old one is still live: run this command again to retire it, or with --now to retire it although calls come with it",
};

export async function rotateOne(
  deployment: Deployment,
  options: ClusterOptions & RotateOptions,
  io: Io,
): Promise<Rotation> {
  const watch = await watchDeployment(deployment, io.env);
  const { kube } = await connectCluster(deployment, options, io);
  const request = rotationOf(options);
  const { cluster } = request;
  const cause = await causeOf(deployment, options.message);
  const subject = { deployment: deployment.target.stage, cause, countCalls: watch.countCalls(cluster) };
  return rotateToken({ ...request, ...subject }, registrationPorts(deployment, kube, watch, io));
}

/** What the options ask for. */
export function rotationOf({ cluster, as, selfTest, now, wait }: ClusterOptions & RotateOptions) {
  return { cluster: as ?? cluster, withSelfTest: selfTest, isRevocation: now === true, patience: wait * MINUTE };
}

/** Milliseconds. */
const MINUTE = 60_000;

/** Rotates the tokens of the clusters that the options select. One that fails keeps its old token, and no other from its new one. */
export async function rotateFleet(
  options: RunningOptions & SelectionOptions & RotateOptions & { readonly json?: true },
  io: Io,
): Promise<void> {
  const { clusters, deployment: opened } = await openFleet(options, io);
  // The publish function makes one change at a time: asked at once, it would refuse the others for a while.
  const deployment = { ...opened, askPublisher: inTurn(opened.askPublisher) };
  const withOwn = ownIos(io);
  const rotate = async ({ name, place }: SelectedCluster) => {
    const { cluster } = place;
    if (cluster === undefined) {
      const message = `Cannot rotate the token of ${name} here: it is no cluster of EKS; outrigger token add and retire do it step by step`;
      throw new OutriggerError("cluster-unknown", message, { path: name });
    }
    const rotation = await withOwn(name, (own) => rotateOne(deployment, { ...options, ...place, cluster }, own));
    return { value: { rotation }, cells: [rotation], said: ROTATIONS[rotation] };
  };
  await printEach(clusters, { ...options, headings: ["OLD TOKEN"], isQuiet: true }, rotate, io);
}
