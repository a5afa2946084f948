// The settings of a webhook after a registration: the current request over the previous settings over defaults. Pure.
// Running a registration again without options requests the current settings, and so repairs them.

import { DEFAULT_REVISION, OutriggerError } from "@outrigger/base";
import { checkWebhookSettings, DEFAULT_TIMEOUT_SECONDS, type WebhookSettings } from "@outrigger/webhook";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";

/** What decides which pods a release injects. */
export type InjectionPolicy = NonNullable<WebhookSettings["injection"]>;

/** Fields that are left out keep their current values. */
export interface RequestedSettings {
  readonly url: string;
  readonly revision: string;
  readonly tags?: readonly string[];
  readonly phase?: WebhookSettings["phase"];
  readonly namespaces?: readonly string[];
  readonly enableNamespacesByDefault?: boolean;
  readonly clusterId?: string;
  readonly network?: string;
  readonly timeoutSeconds?: number;
  readonly failurePolicy?: NonNullable<WebhookSettings["failurePolicy"]>;
  readonly reinvocationPolicy?: NonNullable<WebhookSettings["reinvocationPolicy"]>;
  /** `off` removes it. */
  readonly safetyNet?: NonNullable<WebhookSettings["safetyNet"]> | "off";
  readonly caBundle?: string;
  /** The custom resource that registers it; left out: a person does. */
  readonly stack?: StackResource;
}

/** A custom resource of CloudFormation, which registers a revision. */
export interface StackResource {
  /** Stack and logical ID. */
  readonly id: string;
  /** Whether it is made now: what it finds is another's. */
  readonly isNew: boolean;
}

/** What is read elsewhere than of the webhooks. */
export interface FoundElsewhere {
  /** Istio's cluster id as istiod says it, for a first registration. */
  readonly clusterId?: string;
  /** What the served release injects. */
  readonly injection?: InjectionPolicy;
  /** The settings in the cluster's record, for webhooks that are gone or damaged. */
  readonly recorded?: NonNullable<InstalledWebhook["settings"]>;
}

/**
 * @param installed all of the deployment's objects in the cluster
 */
export function planSettings(
  deployment: string,
  requested: RequestedSettings,
  installed: readonly InstalledWebhook[],
  token: string,
  found: FoundElsewhere = {},
): WebhookSettings {
  const { revision } = requested;
  assertOneDefault(requested, installed);
  const there = installed.find((webhook) => webhook.revision === revision && webhook.tag === undefined);
  const kept = there?.settings ?? found.recorded;
  const phase = requested.phase ?? (requested.namespaces === undefined ? kept?.phase : "namespace") ?? "audit";
  const samePhase = kept?.phase === phase;
  const clusterId = requested.clusterId ?? (kept === undefined ? found.clusterId : kept.clusterId);
  const safetyNet = requested.safetyNet ?? (phase === "audit" ? undefined : kept?.safetyNet);
  const failurePolicy = requested.failurePolicy ?? (samePhase ? kept?.failurePolicy : undefined);
  return checkWebhookSettings({
    deployment,
    url: requested.url,
    token,
    revision,
    tags: requested.tags ?? tagsOf(revision, installed, kept?.tags ?? []),
    phase,
    namespaces: requested.namespaces ?? (phase === "namespace" && samePhase ? kept.namespaces : []),
    timeoutSeconds: requested.timeoutSeconds ?? kept?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    ...((requested.enableNamespacesByDefault ?? kept?.enableNamespacesByDefault) === true
      ? { enableNamespacesByDefault: true }
      : {}),
    ...given("clusterId", clusterId),
    ...given("network", requested.network ?? kept?.network),
    ...given("failurePolicy", failurePolicy),
    ...given("reinvocationPolicy", requested.reinvocationPolicy ?? kept?.reinvocationPolicy),
    ...given("safetyNet", safetyNet === "off" ? undefined : safetyNet),
    ...given("injection", found.injection),
    ...given("stacks", stacksOf(requested.stack, kept)),
    ...given("caBundle", requested.caBundle ?? kept?.caBundle),
  });
}

/** In place of a resource, where a person had registered the revision, or a stack with a version that did not say so. */
const BEFORE_STACKS = "an earlier registration";

function stacksOf(stack: StackResource | undefined, kept: InstalledWebhook["settings"]): readonly string[] | undefined {
  if (stack === undefined) return kept?.stacks;
  const before = kept?.stacks ?? (kept !== undefined && stack.isNew ? [BEFORE_STACKS] : []);
  return [...new Set([...before, stack.id])];
}

/** The revision `default` and a tag of that name select the same namespaces: each of their pods would be sent twice. */
function assertOneDefault({ revision, tags = [] }: RequestedSettings, installed: readonly InstalledWebhook[]): void {
  const hasRevision = installed.some((webhook) => webhook.revision === DEFAULT_REVISION && webhook.tag === undefined);
  const tagged = installed.find(({ tag }) => tag === DEFAULT_REVISION);
  if (tags.includes(DEFAULT_REVISION) && hasRevision) {
    throw new OutriggerError(
      "usage",
      `Cannot give revision ${revision} the tag "default" while the revision "default" is registered: both select namespaces with istio-injection: enabled; unregister it first (outrigger unregister --revision default)`,
    );
  }
  if (revision !== DEFAULT_REVISION || tagged === undefined) return;
  throw new OutriggerError(
    "usage",
    `Cannot register the revision "default" while revision ${tagged.revision} has the tag "default": both select namespaces with istio-injection: enabled; register another --revision, or register ${tagged.revision} without the tag`,
  );
}

/** The revision's tags: those that were asked for, less those that have been moved to another revision since. */
function tagsOf(revision: string, installed: readonly InstalledWebhook[], kept: readonly string[]): readonly string[] {
  const owner = new Map(installed.flatMap(({ tag, revision }) => (tag === undefined ? [] : [[tag, revision]])));
  const there = [...owner].filter(([, its]) => its === revision).map(([tag]) => tag);
  return [...new Set([...kept.filter((tag) => (owner.get(tag) ?? revision) === revision), ...there])].sort();
}

/** In the phases before `cluster`, fewer pods are sent. */
const REACH: Readonly<Record<WebhookSettings["phase"], number>> = { audit: 0, namespace: 1, cluster: 2, enforce: 2 };

/**
 * Warnings about tags that move here from a revision that is further in its rollout: new pods of their namespaces would get
 * no sidecar from then on.
 */
export function warnOfTags(
  { revision, tags, phase, namespaces }: Pick<WebhookSettings, "revision" | "tags" | "phase" | "namespaces">,
  installed: readonly InstalledWebhook[],
): readonly string[] {
  return tags.flatMap((tag) => {
    const owner = installed.find((webhook) => webhook.tag === tag && webhook.revision !== revision);
    const before = owner?.settings?.phase;
    if (owner === undefined || before === undefined || REACH[phase] >= REACH[before]) return [];
    const sent = phase === "audit" ? "only dry runs" : `only pods of ${namespaces.join(", ")}`;
    return [
      `The tag ${tag} moves from revision ${owner.revision}, phase ${before}, to ${revision}, phase ${phase}: of its namespaces ${sent} are sent now, and other new pods get no sidecar; go on with --revision ${revision} --phase ${before}, or move the tag back with --revision ${owner.revision} --tag ${tag}`,
    ];
  });
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}
