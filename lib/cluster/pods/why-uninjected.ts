// Why a pod that should have a sidecar has none: the revision that labels ask for, and what happened to it. Pure; what a release
// decides is passed in.
import { metadataKeys, objectsOf } from "@outrigger/base";
import type { decide } from "@outrigger/injector";
import { type Metadata, metadataOf, type Pod } from "@outrigger/pod";
import { selectionOf, selectorsOf } from "@outrigger/webhook";
import { type InstalledWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";

/** A pod that should have a sidecar. */
export interface Uninjected {
  readonly namespace: string;
  readonly name: string;
  /** `ReplicaSet/web-6f…`, or empty. */
  readonly owner: string;
  readonly revision: string;
  readonly reason: string;
  readonly remediation: string;
  /** The time at which the pod was made: RFC 3339, in UTC. */
  readonly created?: string;
  /** A new pod would have one: what owns it has to be restarted. */
  readonly isRestartable?: boolean;
  /** A webhook was there for it, and let it pass: its call failed and was ignored, or none was made. */
  readonly isMissed?: boolean;
}

type Labels = Readonly<Record<string, string>>;

/** The facts that decide whether a pod should have a sidecar. */
export interface SidecarQuestion {
  /** Namespace → its labels. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** The webhooks of all deployments. */
  readonly installed: readonly InstalledWebhook[];
  /** Decides as the release of a revision would; undefined where the revision serves none. */
  readonly decideFor: (revision: string, pod: Pod, namespace: string) => ReturnType<typeof decide> | undefined;
}

/** A sidecar that labels ask for, and that the release does not withhold. */
export interface WantedSidecar {
  readonly revision: string;
  /** Left out where no webhook serves the revision. */
  readonly webhook?: InstalledWebhook | undefined;
  /** The labels of the pod's namespace. */
  readonly labels: Labels;
}

/** The sidecar that a pod should have, if any. It is the same for all replicas of a workload. */
export function wantedSidecar(pod: Pod, question: SidecarQuestion): WantedSidecar | undefined {
  const { namespaces, installed, decideFor } = question;
  const namespace = pod.metadata?.namespace ?? "";
  const labels = namespaces.get(namespace) ?? {};
  const byDefault = installed.some(({ settings }) => settings?.enableNamespacesByDefault === true);
  const keys = new Set(installed.map(({ settings }) => settings?.injectionLabel));
  // Without a webhook, Istio's labels ask for one.
  const [asked] = [...(keys.size === 0 ? [undefined] : keys)].flatMap((key) => {
    const revision = wantedRevision(labels, pod.metadata?.labels ?? {}, byDefault, key);
    return revision === undefined ? [] : [{ key, revision }];
  });
  if (asked === undefined) return undefined;
  const { key, revision } = asked;
  const webhook = installed.find(
    ({ tag, revision: own, settings }) => (tag ?? own) === revision && settings?.injectionLabel === key,
  );
  if (decideFor(webhook?.revision ?? revision, pod, namespace)?.inject === false) return undefined;
  return { revision, labels, webhook };
}

/** The revision that labels ask for: Istio's rules, without regard to what is installed. */
function wantedRevision(
  namespace: Labels,
  pod: Labels,
  byDefault: boolean,
  injectionLabel: string | undefined,
): string | undefined {
  const key = injectionLabel ?? metadataKeys.revision;
  const requested = namespace[key] ?? pod[key] ?? "default";
  const labels = { ...namespace, [metadataKeys.namespaceName]: namespace[metadataKeys.namespaceName] ?? "" };
  const isName = injectionLabel === undefined || (requested !== "true" && requested !== "false");
  const revisions = new Set([...(isName ? [requested] : []), "default"]);
  return [...revisions].find((revision) =>
    selectionOf(selectorsOf(revision, [], byDefault, injectionLabel))(labels, pod),
  );
}

/** The reason why a pod that should have this sidecar has none. */
export function whyUninjected(pod: { readonly metadata?: unknown }, wanted: WantedSidecar): Uninjected {
  const metadata = metadataOf(pod);
  const { namespace, name, creationTimestamp, ownerReferences } = metadata;
  const [owner] = ownerReferences;
  return {
    namespace,
    name,
    owner: owner === undefined ? "" : `${owner.kind}/${owner.name}`,
    revision: wanted.revision,
    ...(creationTimestamp !== "" && { created: creationTimestamp }),
    ...reasonFor(metadata, wanted),
  };
}

function reasonFor(
  { namespace, labels: podLabels, creationTimestamp: born }: Metadata,
  { revision, webhook, labels }: WantedSidecar,
): Pick<Uninjected, "reason" | "remediation" | "isRestartable" | "isMissed"> {
  const register = "outrigger register --cluster …";
  if (webhook === undefined) {
    const reason = `no webhook serves the revision "${revision}"`;
    return { reason, remediation: `${register} --revision ${revision}, or correct the label` };
  }
  const { settings, off } = webhook;
  const restart = { remediation: "restart what owns it: kubectl rollout restart …", isRestartable: true };
  if (off !== undefined) return { reason: `injection was switched off at ${off}`, remediation: register };
  if (settings?.phase === "audit") {
    return { reason: "the rollout is at the phase audit", remediation: `${register} --phase namespace` };
  }
  const selects = selectionOf(selectorsOfInstalled(webhook));
  if (!selects(labels, podLabels)) {
    const reason = "the rollout has not come to its namespace";
    return { reason, remediation: `${register} --phase namespace --namespace ${namespace}` };
  }
  const { creationTimestamp: made } = metadataOf(webhook.object);
  // Both times are RFC 3339 in UTC, as API servers write them.
  if (born !== "" && born < made) return { reason: "it is older than the webhook", ...restart };
  return { reason: reasonUnder(webhook), ...restart, isMissed: true };
}

/** The reason that the webhook's failurePolicy leaves: under `Fail`, no failed call lets a pod in. */
function reasonUnder({ object }: InstalledWebhook): string {
  const isStrict = objectsOf(object["webhooks"]).every(({ failurePolicy }) => failurePolicy === "Fail");
  return isStrict
    ? "it was made before failed calls rejected pods, the release of that time did not inject it, or its sidecar was taken away"
    : "the call failed and was ignored, or the pod was made while it was";
}
