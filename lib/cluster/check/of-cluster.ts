// How a check of one fact of a cluster is made.

import type { Fact } from "../fact.ts";
import type { ClusterFacts } from "./collect-cluster-facts.ts";
import type { Facts } from "./collect-facts.ts";
import { judged, type Verdict } from "./finding.ts";

type FactName = Exclude<keyof ClusterFacts, "name" | "isWithoutMesh">;
type Known<Name extends FactName> = Extract<NonNullable<ClusterFacts[Name]>, { readonly known: true }>["value"];

/** A check of one fact, made only where a cluster is named and the fact was asked for. */
export function ofCluster<Name extends FactName>(
  name: Name,
  judge: (value: Known<Name>, cluster: ClusterFacts, facts: Facts) => Verdict,
) {
  return (facts: Facts): Verdict | undefined => {
    const { cluster } = facts;
    const fact = cluster?.[name] as Fact<Known<Name>> | undefined;
    return cluster && fact && judged(fact, (value) => judge(value, cluster, facts));
  };
}
