// A cluster's record → what injecting takes of it.
import { defined } from "@outrigger/base";
import type { InjectRequest } from "@outrigger/injector";
import type { ClusterRecord } from "../snapshot/cluster-record.ts";

/** From this minor version on, native sidecars are stable and Istio takes them as given: 1.33. */
const NATIVE_SIDECARS_SINCE = 33;

/**
 * Settings of a cluster for all its revisions.
 *
 * | `nativeSidecars` of the record | `kubernetesVersion` | native sidecars        |
 * |--------------------------------|---------------------|------------------------|
 * | given                          | any                 | as given               |
 * | –                              | older than 1.33     | no                     |
 * | –                              | 1.33 or newer, or – | what the release says  |
 *
 * A release that turns them off does so for every cluster that does not say otherwise, as with Istio.
 *
 * @example
 * ```ts
 * clusterSettings({ revisions: {}, arn: "", tokens: [], kubernetesVersion: "1.32" }) // => { nativeSidecars: false }
 * clusterSettings({ revisions: {}, arn: "", tokens: [], network: "n1" }) // => { network: "n1" }
 * ```
 */
export function clusterSettings({
  network,
  kubernetesVersion,
  nativeSidecars,
}: ClusterRecord): NonNullable<InjectRequest["cluster"]> {
  const native = nativeSidecars ?? (isOlder(kubernetesVersion) ? false : undefined);
  return defined({ network, nativeSidecars: native });
}

function isOlder(version: string | undefined): boolean {
  return version !== undefined && Number(version.slice(version.indexOf(".") + 1)) < NATIVE_SIDECARS_SINCE;
}
