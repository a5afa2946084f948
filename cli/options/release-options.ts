// The options of commands that look at what a release does with a pod, and the release that they come to.
import { clusterNamePattern, DEFAULT_REVISION, defined, OutriggerError, usageError } from "@outrigger/base";
import { manifestPods } from "@outrigger/injector";
import { clusterSettings } from "@outrigger/serving";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { manifestOptions, readManifests } from "../manifests/read-manifests.ts";
import { readClusterRecord } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";
import { environmentOptions } from "../tree/environment.ts";
import { deploymentOptions } from "./aws-options.ts";
import { type OptionsOf, optionTable } from "./option.ts";
import { findReference } from "./reference.ts";
import { sharedOptions } from "./shared-options.ts";
import { valuesOptions, withCommandLineValues } from "./values-options.ts";

/** The options that name a release, and what is laid over it. */
export const treeOptions = optionTable({
  dir: sharedOptions.dir,
  ...environmentOptions,
  from: { argument: "<tree>", about: "a channel, a release, source or ./directory, instead of the shipped tree" },
  cluster: {
    argument: "<cluster>",
    about: "as a registered cluster is served: its channel, network and versions",
  },
  revision: { argument: "<revision>", about: "the revision that pods are injected for" },
  ...valuesOptions,
  ...deploymentOptions,
});

export type ReleaseOptions = OptionsOf<typeof treeOptions>;

/** The options that name pods and a release. */
export const podOptions = optionTable({
  ...manifestOptions,
  namespace: { short: "-n", argument: "<namespace>", about: "the namespace of documents that name none" },
  kind: {
    argument: "<kind>",
    about: "a kind that has pods in fields of other names than template; repeatable",
    isRepeatable: true,
  },
  ...treeOptions,
});

export type PodOptions = OptionsOf<typeof podOptions>;

/** Finds the release that the options name, the shipped one where they name none, and what the calling cluster adds to it. */
export async function findRelease(options: ReleaseOptions, io: Io) {
  const connect = () => openDeployment(options, io);
  const { from, settings } = await chooseRelease(options, connect);
  const referred = await withCommandLineValues(await findReference(from, connect, io, options.env), options, io);
  return { referred, settings };
}

export async function readQuestion(options: PodOptions, io: Io) {
  const manifests = await readManifests(options, io);
  const { referred, settings } = await findRelease(options, io);
  const pods = manifestPods(manifests, sourceOptions(options));
  return { referred, pods: pods.map(({ name, request }) => ({ name, request: { ...request, cluster: settings } })) };
}

export function sourceOptions({ namespace, kind: kinds }: Pick<PodOptions, "namespace" | "kind">) {
  return defined({ namespace, kinds });
}

async function chooseRelease(options: ReleaseOptions, connect: () => Promise<Deployment>) {
  const { dir, from, cluster, revision } = options;
  if ([dir, from, cluster].filter((option) => option !== undefined).length > 1)
    throw usageError("Cannot use more than one of --dir, --from and --cluster");
  if (options.env !== undefined && dir === undefined) throw usageError("Cannot use --env without --dir");
  const settings = revision === undefined ? {} : { revision };
  if (cluster !== undefined) return chooseCluster(cluster, revision, await connect());
  // A directory needs no slash where it cannot be anything else.
  if (dir !== undefined) return { from: /[/\\]/.test(dir) ? dir : `${dir}/`, settings };
  return { from: from ?? "shipped", settings };
}

async function chooseCluster(cluster: string, wanted: string | undefined, deployment: Deployment) {
  const record = clusterNamePattern.test(cluster) ? await readClusterRecord(deployment, cluster) : undefined;
  if (record === undefined) {
    const message = `Cannot find cluster ${cluster}: "outrigger clusters" lists those that are registered`;
    throw new OutriggerError("cluster-unknown", message);
  }
  const revision = wanted ?? DEFAULT_REVISION;
  const channel = Object.hasOwn(record.revisions, revision) ? record.revisions[revision] : undefined;
  if (channel === undefined) {
    const known = Object.keys(record.revisions).join(", ");
    const message = `Cannot find revision ${revision} of cluster ${cluster}: it has ${known}`;
    throw new OutriggerError("cluster-invalid", message);
  }
  const isDefault = revision === DEFAULT_REVISION;
  return { from: channel, settings: { ...clusterSettings(record), ...(!isDefault && { revision }) } };
}
