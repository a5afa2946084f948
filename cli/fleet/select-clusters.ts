// From a selection to the registered clusters that it means, and to the options by which each would be named alone.
import { defined, OutriggerError, suggestName } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import { readEachCluster } from "../releases/read-records.ts";

/** A registered cluster that is asked among others. */
export interface SelectedCluster {
  /** The name of its registration. */
  readonly name: string;
  /** Left out where it cannot be read. */
  readonly record?: ClusterRecord;
  /** Given where its record cannot be read: why. */
  readonly unreadable?: OutriggerError;
  /** The options that name it, and how it is reached, to a command about one cluster. */
  readonly place: Pick<RunningOptions, "cluster" | "as" | "clusterRegion" | "roleArn" | "context" | "kubeconfig">;
  /** The number of its ring, where one ring is asked after the other: no cluster of the next is begun before all of this one have ended. */
  readonly ring?: number;
}

/**
 * The clusters that the options select: in the order in which they are named, or that of their names.
 *
 * | the cluster                    | is reached                                                                        |
 * |--------------------------------|-----------------------------------------------------------------------------------|
 * | has an ARN of EKS              | by EKS, in the ARN's Region, with --role-name in the ARN's account if it is another |
 * | has none, or with --kubeconfig | by the context that has its registered name, or its ARN as `aws eks update-kubeconfig` names it |
 *
 * @param contextsOf the contexts of the kubeconfig; asked where a cluster is reached by one
 * @throws OutriggerError `cluster-unknown` where one that is named is not registered, or none is
 */
export async function selectClusters(
  options: SelectionOptions & Pick<RunningOptions, "kubeconfig">,
  deployment: Deployment,
  contextsOf: () => Promise<readonly string[]>,
): Promise<readonly SelectedCluster[]> {
  const registered = await readEachCluster(deployment);
  const names = namesOf(options, registered, deployment);
  const account = (await deployment.place()).split("/")[0];
  let contexts: readonly string[] | undefined;
  const selected: SelectedCluster[] = [];
  for (const name of names) {
    const record = registered.get(name);
    if (record === undefined || record instanceof OutriggerError) {
      selected.push({ name, ...defined({ unreadable: record }), place: {} });
      continue;
    }
    const { arn } = record;
    const [, partition, region, owner, cluster] = EKS_ARN.exec(arn) ?? [];
    if (cluster === undefined || options.kubeconfig !== undefined) {
      contexts ??= await contextsOf();
      const context = contexts.includes(name) || !contexts.includes(arn) ? name : arn;
      selected.push({ name, record, place: { as: name, context, ...defined({ kubeconfig: options.kubeconfig }) } });
      continue;
    }
    const isElsewhere = options.roleName !== undefined && owner !== account;
    const roleArn = isElsewhere ? `arn:${partition}:iam::${owner}:role/${options.roleName}` : undefined;
    selected.push({ name, record, place: { cluster, as: name, ...defined({ clusterRegion: region, roleArn }) } });
  }
  return selected;
}

/** The deployment's own callers have records too, but no cluster: its canary, and `local` of `outrigger start --fake`. */
function isCluster({ arn, settings = {} }: ClusterRecord): boolean {
  return arn !== "" || Object.keys(settings).length > 0;
}

const EKS_ARN = /^arn:([a-z-]+):eks:([a-z0-9-]+):(\d{12}):cluster\/(.+)$/;

function namesOf(
  { clusters, channel }: SelectionOptions,
  registered: ReadonlyMap<string, ClusterRecord | OutriggerError>,
  { target }: Deployment,
): readonly string[] {
  const known = [...registered.keys()].sort();
  const missing = clusters?.find((name) => !registered.has(name));
  if (missing !== undefined) {
    const message = `There is no registered cluster ${missing}${suggestName(missing, known)} (outrigger clusters)`;
    throw new OutriggerError("cluster-unknown", message, { path: missing });
  }
  // What a damaged record would be served is not known: it is among those of every channel, and its row says so.
  const isMeant = (name: string) => {
    const record = registered.get(name);
    if (record === undefined || record instanceof OutriggerError) return true;
    return isCluster(record) && (channel === undefined || Object.values(record.revisions).includes(channel));
  };
  const names = clusters ?? known.filter(isMeant);
  if (names.length > 0) return names;
  const which = channel === undefined ? "" : ` that channel ${channel} serves`;
  const message = `There is no registered cluster${which} below ${target.layout.clusters} (outrigger clusters)`;
  throw new OutriggerError("cluster-unknown", message);
}
