// Which workloads a share of a channel is: the same ones for every pod, process and release. Pure.
import { fnv1a } from "@outrigger/base";
import { type InjectRequest, workloadOf } from "@outrigger/injector";

/** A release that a channel serves to a share of its workloads, next to its own. */
export type Share = {
  readonly release: string;
  /**
   * The percentage of workloads, 1 to 100. A rollout serves all of them for a while before the release is the channel's
   * own.
   */
  readonly percent: number;
};

export interface Workload extends Pick<ReturnType<typeof workloadOf>, "kind" | "name" | "namespace"> {
  readonly cluster: string;
}

/** The number of parts of a whole: shares differ by a hundredth of a percent at least. */
const BUCKETS = 10_000;

/**
 * Whether a workload belongs to a share. Its place depends on nothing but its name, so that a share that grows only adds
 * workloads, and one of another release has the same ones.
 *
 * @example
 * ```ts
 * isInShare({ cluster: "shop", namespace: "web", kind: "Deployment", name: "cart" }, 100) // => true
 * isInShare({ cluster: "shop", namespace: "web", kind: "Deployment", name: "cart" }, 0) // => false
 * ```
 */
export function isInShare({ cluster, namespace, kind, name }: Workload, percent: number): boolean {
  // No part of a name holds a slash.
  return hash(`${cluster}/${namespace}/${kind}/${name}`) % BUCKETS < (percent * BUCKETS) / 100;
}

/**
 * Whether a pod's workload belongs to a share of a channel.
 *
 * @param percent 1 to 100, of the workloads
 */
export function isPodInShare(
  { cluster, pod, namespace }: Pick<InjectRequest, "pod" | "namespace"> & Pick<Workload, "cluster">,
  percent: number,
): boolean {
  const { kind, name } = workloadOf(pod, namespace);
  return isInShare({ cluster, namespace, kind, name }, percent);
}

/**
 * FNV-1a over UTF-16 units, followed by Murmur3's last step, without which names that differ in their last letter stay
 * close together.
 */
function hash(text: string): number {
  let state = fnv1a(text);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
