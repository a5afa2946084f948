// Pods that change in the same way, counted together, the gravest change first. Pure.
import { compareTexts, jsonEqual } from "@outrigger/base";
import { metadataOf, type Pod } from "@outrigger/pod";
import { workloadOf } from "../workload-of.ts";
import { POD_EFFECTS, type PodEffect } from "./pod-effect.ts";
import { withoutNames } from "./without-names.ts";

/** What is counted: a workload, or whatever else has pods. */
interface Member {
  pods: number;
}

/** Members whose next pods differ in the same way. */
export interface EffectGroup<Of = Member> extends PodEffect {
  readonly pods: number;
  /** Those with the most pods first. */
  readonly workloads: readonly Readonly<Of>[];
}

/** A group while its pods are counted. */
interface OpenGroup<Of> {
  /** The effect on the first member, as it is. */
  readonly first: PodEffect;
  /** The effect without the names of a member. */
  readonly general: PodEffect;
  isGeneral: boolean;
  readonly members: Map<string, Of>;
}

/**
 * Makes groups of the effects that one release in place of another has on pods. Two are the same where they are equal but for the pods' own
 * names, which are placeholders then: `<workload>.<namespace>.svc`.
 */
export function effectGroups<Of extends Member>() {
  const found = new Map<string, OpenGroup<Of>>();
  return {
    /**
     * Returns the members of the group of an effect, each by a key of its own, to add one to or to count its pods.
     *
     * @param pod that the effect is of
     */
    membersOf(effect: PodEffect, pod: Pod, workload = workloadOf(pod)): Map<string, Of> {
      const { name, ownerReferences } = metadataOf(pod);
      const controller = ownerReferences.find((owner) => owner.controller)?.name ?? "";
      const general = withoutNames(effect, {
        pod: name,
        controller,
        workload: workload.name,
        namespace: workload.namespace,
      });
      const key = JSON.stringify([general.effect, general.containers, general.why, general.changes]);
      const known = found.get(key) ?? { first: effect, general, isGeneral: false, members: new Map() };
      if (!known.isGeneral && !jsonEqual(known.first, effect)) known.isGeneral = true;
      found.set(key, known);
      return known.members;
    },
    groups: (): readonly EffectGroup<Of>[] => [...found.values()].map(groupOf).toSorted(byGravity),
  };
}

function groupOf<Of extends Member>({ first, general, isGeneral, members }: OpenGroup<Of>): EffectGroup<Of> {
  const workloads = [...members]
    .toSorted(([key, a], [other, b]) => b.pods - a.pods || compareTexts(key, other))
    .map(([, member]) => member);
  const pods = workloads.reduce((sum, member) => sum + member.pods, 0);
  return { ...(isGeneral ? general : first), pods, workloads };
}

function byGravity(a: EffectGroup<unknown>, b: EffectGroup<unknown>): number {
  return (
    POD_EFFECTS.indexOf(a.effect) - POD_EFFECTS.indexOf(b.effect) ||
    b.pods - a.pods ||
    compareTexts(JSON.stringify(a.changes), JSON.stringify(b.changes))
  );
}
