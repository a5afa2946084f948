// Reading the records of a deployment for people: records that cannot be read are reported and left out. Each kind is
// read by itself: a user who may see channels need not be allowed to see clusters.

import { type Parameter, readAll } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import { readChannelRecord } from "@outrigger/publisher";
import { type ClusterRecord, readClusterRecord } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { printable } from "../terminal/printable.ts";

/** Channels by name; a line on standard error for each record that is damaged. */
export function readChannels(deployment: Deployment, io: Io): Promise<Readonly<Record<string, ChannelRecord>>> {
  return readFolder(deployment, deployment.target.layout.channels, readChannelRecord, io);
}

/** Clusters by name; a line on standard error for each record that is damaged. */
export function readClusters(deployment: Deployment, io: Io): Promise<Readonly<Record<string, ClusterRecord>>> {
  return readFolder(deployment, deployment.target.layout.clusters, readClusterRecord, io);
}

async function readFolder<Item>(
  { store }: Deployment,
  folder: string,
  read: (parameter: Parameter) => Item,
  io: Io,
): Promise<Readonly<Record<string, Item>>> {
  const parameters = await readAll(store, folder);
  const records = parameters.flatMap((parameter) => {
    try {
      return [[parameter.name.slice(folder.length + 1), read(parameter)] as const];
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
      io.stderr.write(printable(`Warning: ${error.message}\n`));
      return [];
    }
  });
  return Object.fromEntries(records);
}
