// The options that select several registered clusters, shared by every command that otherwise takes one. Makes no calls.
import { clusterNamePattern, usageError } from "@outrigger/base";
import { InvalidArgumentError } from "commander";
import type { RunningOptions } from "./cluster-options.ts";
import { matching, wholeNumber } from "./names.ts";
import { type OptionsOf, optionTable } from "./option.ts";
import { sharedOptions } from "./shared-options.ts";

const SELECTION = "Several clusters:";

/** Clusters that are asked at once where no option says how many. */
export const CLUSTERS_AT_ONCE = 20;

export const selectionOptions = optionTable({
  clusters: {
    argument: "<cluster,...>",
    about: "these registered clusters, in this order: shop,pay",
    parse: parseClusterNames,
    group: SELECTION,
  },
  channel: { ...sharedOptions.channel, about: "every registered cluster that the channel serves", group: SELECTION },
  all: { about: "every registered cluster", group: SELECTION },
  roleName: {
    argument: "<name>",
    about: "the role to assume in the account of each cluster that is not the deployment's own account",
    parse: matching(/^[\w+=,.@-]{1,64}$/, "It is the name of a role, without its account: outrigger-operator."),
    group: SELECTION,
  },
  maxConcurrency: {
    argument: "<number>",
    about: "so many clusters at a time",
    parse: wholeNumber(1, 100, "It is a whole number from 1 to 100."),
    default: CLUSTERS_AT_ONCE,
    group: SELECTION,
  },
});

/** What the help of a command that asks several clusters says of it. */
export const SELECTION_NOTES = `With --clusters, --channel or --all, each of the registered clusters is asked, with a row in one table (-o json: a list with an item a
cluster). A cluster of EKS is found by the ARN of its registration, in its Region and account: --role-name is the role to assume in other
accounts than the deployment's. With --kubeconfig, and for other clusters, it is the context that has the registered name, or the ARN. One
that cannot be asked has a row with the reason, and the exit code is the worst of all: 3, then 1, then 0.`;

export type SelectionOptions = OptionsOf<typeof selectionOptions>;

/** The options that name a cluster, or several. */
type NamedClusters = { readonly [Name in keyof RunningOptions]?: unknown };

/**
 * Whether the options select several clusters.
 *
 * @throws OutriggerError `usage` where they select twice, or name one cluster as well
 */
export function selectsClusters(options: Partial<SelectionOptions> & NamedClusters): boolean {
  const { clusters, channel, all, roleName } = options;
  const selections = given({ "--clusters": clusters, "--channel": channel, "--all": all });
  const [selection, second] = selections;
  if (second !== undefined) {
    throw usageError(`Cannot use both ${selection} and ${second}: each selects clusters`);
  }
  if (selection === undefined) {
    if (roleName === undefined) return false;
    throw usageError("--role-name is about several clusters (--clusters, --channel, --all); of one, name --role-arn");
  }
  const { cluster, context, as, clusterRegion, roleArn } = options;
  const single = { "--cluster": cluster, "--context": context, "--as": as };
  const [other] = given({ ...single, "--cluster-region": clusterRegion, "--role-arn": roleArn });
  if (other === undefined) return true;
  const instead = other === "--role-arn" ? "use --role-name, whose account is that of each cluster" : "leave it out";
  throw usageError(`Cannot use ${other} with ${selection}: it is about one cluster; ${instead}`);
}

function given(options: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(options).filter((name) => options[name] !== undefined);
}

function parseClusterNames(text: string): readonly string[] {
  const names = [...new Set(text.split(","))];
  if (names.every((name) => clusterNamePattern.test(name))) return names;
  throw new InvalidArgumentError("Name registered clusters, separated by commas: shop,pay.");
}
