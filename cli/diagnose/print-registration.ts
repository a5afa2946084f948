// `outrigger check --section registration`: whether a cluster matches its registration, with every difference. Loaded only when the
// command runs.
import { OutriggerError, usageError } from "@outrigger/base";
import { clusterStatus, findInstalled, injectedProxyImage, recordOf } from "@outrigger/cluster";
import { connectClusterToRead, watchDeployment } from "../connect/connect-cluster.ts";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { readClusterRecord, readClusters } from "../releases/read-records.ts";
import { readServed } from "../releases/read-served.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import type { CheckTarget } from "./check-target.ts";

/** @throws OutriggerError `findings` where something differs */
export async function printRegistration(options: CheckTarget, io: Io): Promise<void> {
  if (options.cluster === undefined && options.context === undefined) {
    throw usageError("--section registration is about a cluster: name it with --cluster, or --context");
  }
  const deployment = await openDeployment(options, io);
  const { findUrl } = await watchDeployment(deployment, io.env);
  const url = await findUrl(options.url);
  const { kube, ...registered } = await findRegistration(deployment, options, io);
  const served = await readServed(deployment);
  const status = await clusterStatus(kube, {
    ...registered,
    deployment: deployment.target.stage,
    url,
    istioNamespace: options.istioNamespace,
    meshConfigOf: (channel) => served(channel)?.meshConfig,
    injectionOf: (channel) => served(channel)?.config,
    proxyImageOf: (channel) => {
      const release = served(channel);
      return release === undefined ? undefined : injectedProxyImage(release);
    },
  });
  printResult(io, options.json, status, textOf(status));
  const { length } = status.drift;
  if (length === 0) return;
  const { cluster } = registered;
  throw new OutriggerError(
    "findings",
    `${cluster} differs from its registration in ${length === 1 ? "one place" : `${length} places`}: run outrigger register --cluster ${options.cluster ?? cluster} to repair the cluster`,
  );
}

/** By its name in EKS, which says its ARN and version; by a context alone, the token of its webhooks names the registration. */
async function findRegistration(deployment: Deployment, options: CheckTarget, io: Io) {
  const { cluster: eksName } = options;
  if (eksName !== undefined) {
    const { description, kube } = await connectClusterToRead(deployment, { ...options, cluster: eksName }, io);
    const cluster = options.as ?? eksName;
    const { arn, kubernetesVersion } = description;
    return { kube, cluster, record: await readClusterRecord(deployment, cluster), arn, kubernetesVersion };
  }
  const kube = await connectContext(options, io);
  const installed = await findInstalled(kube, deployment.target.stage);
  const found = recordOf(installed, await readClusters(deployment, io));
  const { arn = "", kubernetesVersion = "nothing" } = found?.record ?? {};
  return { kube, cluster: found?.name ?? options.as ?? kube.name, record: found?.record, arn, kubernetesVersion };
}

function textOf({ revisions, tokens, drift, notes }: Awaited<ReturnType<typeof clusterStatus>>): string {
  const rows = revisions.map(({ revision, tags, channel, phase, off }) => [
    revision,
    tags.join(",") || "-",
    channel || "-",
    off === undefined ? phase || "-" : `${phase}, off since ${off}`,
  ]);
  const differences = drift.map(({ place, expected, actual }) => [place, expected, actual]);
  return [
    rows.length === 0 ? "" : table(["REVISION", "TAGS", "CHANNEL", "PHASE"], rows),
    tokens > 1 ? "Two tokens are live: run outrigger token rotate to finish the rotation\n" : "",
    ...notes.map((note) => `${note}\n`),
    differences.length === 0 ? "No difference\n" : `\n${table(["PLACE", "SHOULD BE", "IS"], differences)}`,
  ].join("");
}
