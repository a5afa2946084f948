// Who else injects the pods that a registration will send: asked before its first write. Reads only.
import { defined, type JsonObject, usageError } from "@outrigger/base";
import { conflictingWebhooks, injectorsOfOthers } from "../check/read-cluster.ts";
import { learn } from "../fact.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { installedAmong, settingsInForce } from "../objects/installed-webhooks.ts";
import { readNamespaces } from "../pods/running-pods.ts";
import { type InjectionPolicy, planSettings, type RequestedSettings } from "./plan-settings.ts";
import { isWider } from "./try-workloads.ts";

interface PlannedRegistration {
  readonly deployment: string;
  readonly requested: RequestedSettings;
  /** Every webhook configuration of the cluster. */
  readonly webhooks: readonly JsonObject[];
  /** The policy of the release that will be served; left out where it cannot be read. */
  readonly injection?: InjectionPolicy;
}

/**
 * The injectors that select pods which a registration will send, with the namespaces of these pods; none where they cannot be read, or
 * where no other pods are sent than before.
 *
 * @throws OutriggerError `usage` for settings that cannot be
 */
export async function otherInjectors(
  kube: KubeClient,
  { deployment, requested, webhooks, injection }: PlannedRegistration,
) {
  const installed = installedAmong(webhooks, deployment);
  const settings = planSettings(deployment, requested, installed, ANY_TOKEN, defined({ injection }));
  const { revision, tags, phase } = settings;
  const before = installed.find((webhook) => webhook.revision === revision && webhook.tag === undefined);
  const inForce = settingsInForce(before);
  const sendsMore = inForce === undefined || isWider(settings, inForce);
  // Registered again, pods are sent as before: nothing changes for those of others.
  if (!sendsMore) return { found: [], phase, isWider: false };
  const planned = [undefined, ...tags].map((tag) => ({ revision, settings, ...defined({ tag }) }));
  const others = injectorsOfOthers(webhooks, deployment);
  const found = await learn(async () =>
    others.length === 0 ? [] : conflictingWebhooks(others, planned, await readNamespaces(kube)),
  );
  return {
    found: found.known ? found.value : [],
    phase,
    /** Whether pods of controllers are sent that were not sent before. */
    isWider: phase !== "audit",
  };
}

type OtherInjectors = Awaited<ReturnType<typeof otherInjectors>>;

/**
 * Checks that no pod loses the proxy that istiod injects, as it does where a release without one gets the pods that both webhooks select:
 * that is never done unasked.
 *
 * @param asked the cluster; what is served, in words; whether that adds `istio-proxy`; whether the loss is asked for, and how one asks
 * @throws OutriggerError `usage`, with the names of istiod's webhooks
 */
export function assertNoneLost(
  { found, isWider }: OtherInjectors,
  asked: {
    readonly cluster: string;
    readonly served: string;
    readonly addsProxy: boolean | undefined;
    readonly replacesIstio: boolean;
    readonly flag: string;
  },
): void {
  const names = found.flatMap(({ name, isIstios, isBeside }) => (isIstios && !isBeside ? [name] : []));
  // A repair, or dry runs alone: no new pod is another than before.
  if (asked.addsProxy !== false || asked.replacesIstio || !isWider || names.length === 0) return;
  throw usageError(
    `Cannot register ${asked.cluster}: ${asked.served} adds no istio-proxy, and istiod's ${names.join(", ")} selects the same pods, which would lose the proxy that istiod injects; give the config an injectionLabel of its own, serve other namespaces with another revision, or pass ${asked.flag}`,
  );
}

const ANY_TOKEN = "A".repeat(43);
