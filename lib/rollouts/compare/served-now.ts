// Which release would answer for a pod that were made now, and with which settings: webhook → revision → channel → release. Pure.
import { DEFAULT_REVISION, entryOf, memoizeObject, metadataKeys, objectOf, objectsOf } from "@outrigger/base";
import type { InstalledWebhook } from "@outrigger/cluster";
import { type Injector, type InjectRequest, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import type { ClusterRecord, Snapshot } from "@outrigger/serving";
import { clusterSettings, isPodInShare, parsePathParameters } from "@outrigger/serving";
import { selectionOf } from "@outrigger/webhook";

/** The facts that decide about new pods of a cluster. */
export interface ServedCluster {
  /** The cluster's registered name. */
  readonly name: string;
  readonly record: ClusterRecord;
  readonly installed: readonly InstalledWebhook[];
  readonly namespaces: ReadonlyMap<string, Labels>;
  readonly snapshot: Pick<Snapshot, "channels" | "shares" | "releases">;
}

type Labels = Readonly<Record<string, string>>;

/** A release that answers, and what of the caller decides with it. */
export interface ServedRelease {
  readonly release: string;
  readonly injector: Injector;
  readonly channel: string;
  readonly cluster: NonNullable<InjectRequest["cluster"]>;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The releases that answer for a pod: the first that can inject it does. None where no webhook is called for it, or its channel
 * serves nothing.
 */
export type ServedFor = (pod: Pod) => readonly ServedRelease[];

/**
 * The deployment whose webhook is called for a pod, of those that this one knows nothing else of.
 *
 * @param installed the webhooks of all deployments
 * @param own the deployment that judges
 */
export function servedElsewhere(
  installed: readonly InstalledWebhook[],
  own: string,
  namespaces: ServedCluster["namespaces"],
): (pod: Pod) => string | undefined {
  const others = installed.filter(({ deployment }) => deployment !== own);
  return calledFor(others, namespaces, ({ deployment }) => deployment);
}

/** Returns the webhook, of these, that is called for a pod. */
function calledFor<Known>(
  installed: readonly InstalledWebhook[],
  namespaces: ServedCluster["namespaces"],
  know: (webhook: InstalledWebhook) => Known,
): (pod: Pod) => Known | undefined {
  const calling = installed.filter(isCalling).map((webhook) => {
    return { known: know(webhook), selects: selectionOf(objectsOf(webhook.object["webhooks"])) };
  });
  return ({ metadata }) => {
    const { namespace = "", labels = {} } = metadata ?? {};
    const of = { [metadataKeys.namespaceName]: namespace, ...namespaces.get(namespace) };
    return calling.find(({ selects }) => selects(of, labels))?.known;
  };
}

/** Asked for each pod: releases are loaded once. */
export function servedNow({ name, record, installed, namespaces, snapshot }: ServedCluster): ServedFor {
  const injectorOf = memoizeObject(loadRelease);
  const called = calledFor(installed, namespaces, (webhook) => callOf(webhook, record));
  return (pod) => {
    const call = called(pod);
    const own = call && snapshot.channels[call.channel];
    if (call === undefined || own === undefined) return [];
    const share = snapshot.shares?.[call.channel];
    const place = { cluster: name, pod, namespace: pod.metadata?.namespace ?? "" };
    const isShared = share !== undefined && isPodInShare(place, share.percent);
    return [...(isShared ? [share.release] : []), own].flatMap((release) => {
      const known = entryOf(snapshot.releases, release);
      return known === undefined ? [] : [{ release, injector: injectorOf(known), ...call }];
    });
  };
}

/** A webhook that was switched off is called for nothing, and one that is audited for dry runs only. */
function isCalling({ off, settings }: InstalledWebhook): boolean {
  return off === undefined && settings?.phase !== "audit";
}

function callOf({ revision, object }: InstalledWebhook, { revisions, ...record }: ClusterRecord) {
  const isKnown = Object.hasOwn(revisions, revision);
  const taken = isKnown ? revision : DEFAULT_REVISION;
  const [url] = objectsOf(object["webhooks"]).map(({ clientConfig }) => String(objectOf(clientConfig)["url"] ?? ""));
  const settings = clusterSettings({ revisions, ...record });
  return {
    channel: revisions[taken] ?? "",
    cluster: taken === DEFAULT_REVISION ? settings : { ...settings, revision: taken },
    parameters: parsePathParameters(decodeURI(/\/inject(?:\/.*)?$/.exec(url ?? "")?.[0] ?? "/inject")),
  };
}
