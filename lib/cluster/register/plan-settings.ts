// The settings of a webhook after a registration: the current request over the previous settings over defaults. Pure.
// Running a registration again without options requests the current settings, and so repairs them; where the webhooks are gone, it
// restores what the cluster's record has of them.
import { DEFAULT_REVISION, defined, type JsonObject, OutriggerError } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { checkWebhookSettings, DEFAULT_TIMEOUT_SECONDS, formatSettings, parseSettings } from "@outrigger/webhook";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { builtObjects } from "./registration.ts";

/** The policy that decides which pods a release injects. */
export type InjectionPolicy = NonNullable<WebhookSettings["injection"]>;

/** Fields that are left out keep their current values. */
export interface RequestedSettings extends Pick<WebhookSettings, "url" | "revision">, Partial<Kept> {
  /** True: the URL is a person's, and is kept. False: one that was kept is forgotten. Left out: one that was kept replaces `url`. */
  readonly givenUrl?: boolean;
  readonly enableNamespacesByDefault?: boolean;
  /** Left out: that of the release, where it can be read. */
  readonly injectionLabel?: string;
  /** `off` removes it. */
  readonly safetyNet?: NonNullable<WebhookSettings["safetyNet"]> | "off";
  /** The custom resource of CloudFormation that registers it; left out: a person does. */
  readonly stack?: {
    /** Stack and logical ID. */
    readonly id: string;
    /** Whether it is made now: what it finds is another's. */
    readonly isNew: boolean;
  };
}

type Kept = Pick<
  WebhookSettings,
  | ("tags" | "phase" | "namespaces" | "clusterId" | "network" | "timeoutSeconds")
  | ("failurePolicy" | "reinvocationPolicy" | "caBundle")
>;

/** The settings that are not read from the webhooks. */
export interface FoundElsewhere {
  /** Istio's cluster id as istiod says it, for a first registration. */
  readonly clusterId?: string;
  /** The policy that the served release injects by. */
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
    url: requested.givenUrl === undefined ? (givenUrlOf(kept) ?? requested.url) : requested.url,
    token,
    revision,
    tags: requested.tags ?? tagsOf(revision, installed, kept?.tags ?? []),
    phase,
    namespaces: requested.namespaces ?? (phase === "namespace" && samePhase ? kept.namespaces : []),
    timeoutSeconds: requested.timeoutSeconds ?? kept?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    ...defined({
      givenUrl: (requested.givenUrl ?? kept?.givenUrl) ? (true as const) : undefined,
      enableNamespacesByDefault:
        (requested.enableNamespacesByDefault ?? kept?.enableNamespacesByDefault) ? (true as const) : undefined,
      // What is served decides, as a release of another label is deaf to the old one.
      injectionLabel: requested.injectionLabel ?? (found.injection ?? kept)?.injectionLabel,
      clusterId,
      network: requested.network ?? kept?.network,
      failurePolicy,
      reinvocationPolicy: requested.reinvocationPolicy ?? kept?.reinvocationPolicy,
      safetyNet: safetyNet === "off" ? undefined : safetyNet,
      injection: found.injection,
      stacks: stacksOf(requested.stack, kept),
      caBundle: requested.caBundle ?? kept?.caBundle,
    }),
  });
}

/** The URL of settings where a person gave it; undefined where it is the deployment's own. */
export function givenUrlOf(kept: InstalledWebhook["settings"]): string | undefined {
  return kept?.givenUrl === true ? kept.url : undefined;
}

/** The URL that a person gave for a revision, of the webhooks or else of the record; undefined where it follows the deployment's own. */
export function keptUrl(
  revision: string,
  installed: readonly InstalledWebhook[],
  record: ClusterRecord | undefined,
): string | undefined {
  const there = installed.find((webhook) => webhook.revision === revision && webhook.tag === undefined);
  // A record without a URL follows the deployment's own, whatever that is.
  const place = { deployment: there?.deployment ?? "any", url: "https://any.invalid", revision };
  return givenUrlOf(there?.settings ?? recordedSettings(record, place));
}

/** The owner in place of a resource, where a person had registered the revision, or a stack with a version that did not say so. */
const BEFORE_STACKS = "an earlier registration";

function stacksOf(stack: RequestedSettings["stack"], kept: InstalledWebhook["settings"]) {
  if (stack === undefined) return kept?.stacks;
  const before = kept?.stacks ?? (kept !== undefined && stack.isNew ? [BEFORE_STACKS] : []);
  return [...new Set([...before, stack.id])];
}

/** The revision `default` and a tag of that name select the same namespaces: each of their pods would be sent twice. */
function assertOneDefault({ revision, tags = [] }: RequestedSettings, installed: readonly InstalledWebhook[]): void {
  const hasRevision = installed.some((webhook) => webhook.revision === DEFAULT_REVISION && webhook.tag === undefined);
  const tagged = installed.find(({ tag }) => tag === DEFAULT_REVISION);
  if (tags.includes(DEFAULT_REVISION) && hasRevision) {
    const message = `Cannot give revision ${revision} the tag "default" while the revision "default" is registered: both select namespaces with istio-injection: enabled; unregister it first (outrigger unregister --revision default)`;
    throw new OutriggerError("usage", message);
  }
  if (revision !== DEFAULT_REVISION || tagged === undefined) return;
  const message = `Cannot register the revision "default" while revision ${tagged.revision} has the tag "default": both select namespaces with istio-injection: enabled; register another --revision, or register ${tagged.revision} without the tag`;
  throw new OutriggerError("usage", message);
}

/** The revision's tags: those that were asked for, less those that have been moved to another revision since. */
function tagsOf(revision: string, installed: readonly InstalledWebhook[], kept: readonly string[]): readonly string[] {
  const owner = new Map(installed.flatMap(({ tag, revision }) => (tag === undefined ? [] : [[tag, revision]])));
  const there = [...owner].filter(([, its]) => its === revision).map(([tag]) => tag);
  return [...new Set([...kept.filter((tag) => (owner.get(tag) ?? revision) === revision), ...there])].sort();
}

/** The reach of each phase: fewer pods are sent in the phases before `cluster`. */
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
      `The tag ${tag} moves from revision ${owner.revision}, phase ${before}, to ${revision}, phase ${phase}: of its namespaces ${sent} are sent now, and other new pods get no sidecar; continue with --revision ${revision} --phase ${before}, or move the tag back with --revision ${owner.revision} --tag ${tag}`,
    ];
  });
}

/** Returns the settings in a record for a revision. The URL is the deployment's own where none was given. */
export function recordedSettings(
  record: ClusterRecord | undefined,
  { url, ...named }: Pick<WebhookSettings, "deployment" | "url" | "revision">,
): InstalledWebhook["settings"] {
  const { settings = {} } = record ?? {};
  const kept = Object.hasOwn(settings, named.revision) ? settings[named.revision] : undefined;
  return kept === undefined ? undefined : parseSettings(JSON.stringify({ url, ...kept, ...named }));
}

/** Characters of all settings: with the rest of the record, and twice in the log, they fit a parameter of 4 KB. */
const MOST = 1500;

/** The record with a revision's settings: without certificates where they are too long, and without any where they still are. */
export function withSettings(record: ClusterRecord, settings: WebhookSettings): ClusterRecord {
  const { deployment: _deployment, revision, url, ...others } = JSON.parse(formatSettings(settings));
  // The deployment's own URL is asked for anew each time.
  const kept: JsonObject = { ...others, ...(settings.givenUrl && { url }) };
  const { caBundle: _caBundle, ...shorter } = kept;
  const { [revision]: _earlier, ...rest } = record.settings ?? {};
  const candidates: readonly JsonObject[] = [kept, shorter].map((one) => ({ ...rest, [revision]: one }));
  const fitting = candidates.find((all) => JSON.stringify(all).length <= MOST) ?? rest;
  return { ...record, settings: fitting as NonNullable<ClusterRecord["settings"]> };
}

export function warnOfUnrecorded(
  { settings = {} }: ClusterRecord,
  { revision, caBundle }: WebhookSettings,
): readonly string[] {
  const kept = settings[revision];
  const options = kept === undefined ? "options" : "--ca-file";
  if (kept !== undefined && (caBundle === undefined || kept["caBundle"] !== undefined)) return [];
  return [`The record of the cluster cannot hold all settings: after outrigger off --remove, give ${options} again`];
}

/**
 * The webhook configurations and the safety net of a first registration, in the order in which they are created.
 *
 * @param deployment its stage: `prod`
 * @param token of the cluster, 43 characters
 * @throws OutriggerError `usage` for settings that cannot be
 * @example
 * ```ts
 * objectsToApply("prod", { url: "https://hook.test", revision: "1-30" }, "t".repeat(43)).map(({ kind }) => kind) // => ["MutatingWebhookConfiguration"]
 * ```
 */
export function objectsToApply(deployment: string, requested: RequestedSettings, token: string): readonly JsonObject[] {
  return builtObjects(planSettings(deployment, requested, [], token));
}
