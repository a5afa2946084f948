// Reading the records of a deployment for people: records that cannot be read are reported and left out. Each kind is
// read by itself: a user who may see channels need not be allowed to see clusters.
import { type Parameter, readAll } from "@outrigger/aws";
import { OutriggerError, ownError } from "@outrigger/base";
import { type ChannelRecord, readChannelRecord, releasePattern } from "@outrigger/publisher";
import { type ClusterRecord, readClusterRecord as clusterRecordIn } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { warn } from "../terminal/print.ts";

/** Channels by name; a line on standard error for each record that is damaged. */
export function readChannels(deployment: Deployment, io: Io): Promise<Readonly<Record<string, ChannelRecord>>> {
  return readFolder(deployment, deployment.target.layout.channels, readChannelRecord, io);
}

/** Clusters by name; a line on standard error for each record that is damaged. */
export function readClusters(deployment: Deployment, io: Io): Promise<Readonly<Record<string, ClusterRecord>>> {
  return readFolder(deployment, deployment.target.layout.clusters, clusterRecordIn, io);
}

/** The record of a cluster, or undefined if it is not registered. */
export async function readClusterRecord(
  { store, target }: Deployment,
  cluster: string,
): Promise<ClusterRecord | undefined> {
  const [parameter] = await store.getParameters([target.layout.cluster(cluster)]);
  return parameter && clusterRecordIn(parameter);
}

/**
 * The release whose digest begins with a text, as git names a commit: releases are kept as long as a channel has them.
 *
 * @throws OutriggerError `release-unknown` where there is none, or more than one
 */
export async function wholeDigest(text: string, deployment: Deployment, io: Io): Promise<string> {
  if (releasePattern.test(text)) return text;
  const records = Object.values(await readChannels(deployment, io));
  const kept = records.flatMap((record) => [record, ...(record.share ? [record.share] : []), ...record.history]);
  const found = [...new Set(kept.map(({ release }) => release))].filter((digest) => digest.startsWith(text));
  if (found.length === 1) return found[0] as string;
  const why = found.length === 0 ? "no channel has one" : `${found.sort().join(" and ")} do: write more digits`;
  const message = `Cannot find a release that begins with ${text}: ${why} (outrigger releases)`;
  throw new OutriggerError("release-unknown", message);
}

/** Every registered cluster: its record, or why that cannot be read. */
export function readEachCluster(deployment: Deployment): Promise<ReadonlyMap<string, ClusterRecord | OutriggerError>> {
  return readEach(deployment, deployment.target.layout.clusters, clusterRecordIn);
}

async function readFolder<Item extends object>(
  deployment: Deployment,
  folder: string,
  read: (parameter: Parameter) => Item,
  io: Io,
): Promise<Readonly<Record<string, Item>>> {
  const records: (readonly [string, Item])[] = [];
  for (const [name, record] of await readEach(deployment, folder, read)) {
    if (record instanceof OutriggerError) warn(record.message, io);
    else records.push([name, record]);
  }
  return Object.fromEntries(records);
}

async function readEach<Item extends object>(
  { store }: Deployment,
  folder: string,
  read: (parameter: Parameter) => Item,
): Promise<ReadonlyMap<string, Item | OutriggerError>> {
  const parameters = await readAll(store, folder);
  const records = parameters.map((parameter): readonly [string, Item | OutriggerError] => {
    const name = parameter.name.slice(folder.length + 1);
    try {
      return [name, read(parameter)];
    } catch (error) {
      return [name, ownError(error)];
    }
  });
  return new Map(records);
}
