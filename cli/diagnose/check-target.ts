// `outrigger check`: from the options to the results. Loaded only when the command runs, because the checks need the SDK.
import { defined, OutriggerError, usageError } from "@outrigger/base";
import {
  type CheckPorts,
  type CheckResult,
  clusterStatus,
  findInstalled,
  injectedProxyImage,
  type KubeClient,
  recordOf,
  runChecks,
} from "@outrigger/cluster";
import { isOutdated, readRunning } from "@outrigger/rollouts";
import { proxyAgents } from "../connect/choose-proxy.ts";
import {
  connectCluster,
  connectClusterToRead,
  deploymentClients,
  watchDeployment,
} from "../connect/connect-cluster.ts";
