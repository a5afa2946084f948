// From the options of a command to the clusters that they select, in the deployment that they name. Loaded only when a command runs.

import { openDeployment } from "../connect/deployment.ts";
import { contextNames } from "../connect/kubeconfig-access.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import type { Io } from "../terminal/io.ts";
import { selectClusters } from "./select-clusters.ts";

/** The deployment that the options name, and the clusters that they select. */
export async function openFleet(options: SelectionOptions & RunningOptions, io: Io) {
  const deployment = await openDeployment(options, io);
  const contextsOf = () => contextNames(options, io);
  return { deployment, clusters: await selectClusters(options, deployment, contextsOf) };
}
