// Which registration of a cluster a command is about: its one name in the deployment, and its revisions. Pure.
import { DEFAULT_REVISION, OutriggerError, usageError } from "@outrigger/base";
import { type InstalledWebhook, recordOf } from "@outrigger/cluster";
import type { ClusterRecord } from "@outrigger/serving";

type Records = Readonly<Record<string, ClusterRecord>>;

interface Registered {
  readonly installed: readonly InstalledWebhook[];
  readonly records: Records;
}

/**
 * Refuses a second name for a cluster: each would replace the other's token, and unregistering one would take the webhooks from the
 * other.
 *
 * @param name that is asked for
 * @throws OutriggerError `cluster-conflict`
 */
export function assertOneName(name: string, arn: string, { installed, records }: Registered): void {
  const byToken = recordOf(installed, records)?.name;
  const byArn = Object.keys(records).find((other) => arn !== "" && records[other]?.arn === arn);
  const [known] = [byToken, byArn].filter((other) => other !== undefined && other !== name);
  if (known === undefined || records[name] !== undefined) return;
  const message = `Cannot register this cluster as ${name}: it is registered as ${known}; use --as ${known}, or unregister that one first (outrigger unregister --as ${known})`;
  throw new OutriggerError("cluster-conflict", message, { path: name });
}

/** Options that say how one revision is to be. */
const OF_ONE = [
  ...["tag", "phase", "namespace", "enableNamespacesByDefault", "clusterId", "network", "timeout"],
  ...["failurePolicy", "reinvocationPolicy", "safetyNet", "channel"],
];

/**
 * The revisions that a command registers: the one that is named, or those that are registered. Without any, it is the default one.
 *
 * @throws OutriggerError `usage` where several are registered, and the options say how one is to be
 */
export function revisionsToRegister(
  options: Readonly<Record<string, unknown>> & { readonly revision?: string },
  name: string,
  { installed, records }: Registered,
): readonly string[] {
  if (options.revision !== undefined) return [options.revision];
  const there = installed.flatMap(({ revision, tag }) => (tag === undefined ? [revision] : []));
  const known = [...new Set([...Object.keys(records[name]?.revisions ?? {}), ...there])].toSorted();
  if (known.length < 2) return known.length === 0 ? [DEFAULT_REVISION] : known;
  const given = OF_ONE.filter((option) => options[option] !== undefined);
  if (given.length === 0) return known;
  throw usageError(
    `Cannot change ${name} without --revision: it has the revisions ${known.join(", ")}; name one of them, or a new one`,
  );
}
