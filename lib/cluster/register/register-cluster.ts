// The registration of a cluster, step by step: the record, the self-test, the objects in the cluster, the proof that its
// API server calls, the alarm. Each step can be run again; if one fails, those before it are undone.
import { defined, jsonEqual, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { webhookUrl } from "@outrigger/webhook";
import { readIstiodsIfAllowed, warnOfConflictingWebhooks } from "../istio/read-istiods.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { type Baseline, openBaseline } from "../objects/baseline.ts";
import { findConfigurations, findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { removeOffMark } from "../objects/off-mark.ts";
import { planObjects } from "../objects/own-objects.ts";
import { applyProven, isStrict, seenIn } from "./apply-settings.ts";
import { fencedKube, signObjects, undoingWith } from "./fence.ts";
import { newLease } from "./held-lease.ts";
import { openJournal } from "./journal.ts";
import { haveLastWord } from "./last-word.ts";
import { type InjectionPolicy, planSettings, type RequestedSettings, warnOfTags } from "./plan-settings.ts";
import { prove } from "./prove.ts";
import { recordedSettings, warnOfUnrecorded, withSettings } from "./recorded-settings.ts";
import { builtObjects, type RegistrationPorts, type Subject } from "./registration.ts";
import { stoppable } from "./stoppable.ts";
import { digestOfToken, hasToken, newToken, SETTLE_MILLISECONDS, tokenInUse } from "./tokens.ts";
import { releaseLease, undoRegistration } from "./undo-registration.ts";

export interface RegistrationRequest extends Subject {
  readonly requested: RequestedSettings;
  /** Of the cluster: account, Region and name. */
  readonly arn: string;
  readonly kubernetesVersion: string;
  /** Left out: the current one, or `stable`. */
  readonly channel?: string;
  /** False where this machine cannot reach the webhook, as it cannot with a private API. */
  readonly withSelfTest: boolean;
  /** Whether to enforce even if no pod could be tried through the API server. */
  readonly allowUnproven?: boolean;
  /** What the release injects that a channel serves; undefined where it cannot be read. For the safety net. */
  readonly injectionOf?: (channel: string) => Promise<InjectionPolicy | undefined>;
  /** Whether the canary fails: no rollout goes on while it does. */
  readonly isCanaryFailing: () => Promise<boolean>;
}

export interface RegistrationResult {
  readonly settings: Omit<WebhookSettings, "token">;
  /** What was not proven, and what a person should look at. */
  readonly warnings: readonly string[];
}

/**
 * Registers a cluster, or repairs its registration: writes the record, tests the webhook, applies the objects, and proves by
 * a dry run that the API server calls. If a step fails, those before it are undone.
 *
 * @throws OutriggerError `cluster-conflict` where another command or tool changes the same, `endpoint-unfit` where the webhook
 * or the proof fails, `interrupted` where the signal was aborted, `usage` for settings that cannot be, and what a port throws
 */
export async function registerCluster(
  request: RegistrationRequest,
  given: RegistrationPorts,
): Promise<RegistrationResult> {
  const ports = stoppable(given);
  const { kube, report } = ports;
  const { requested, cluster, deployment } = request;
  // This look comes first: off is stronger than everything that began before it.
  const found = await findConfigurations(kube, deployment);
  const record = await ports.readRecord(cluster);
  assertSameCluster(request, record);
  const { installed } = found;
  const before = installed.find(({ revision, tag }) => revision === requested.revision && tag === undefined);
  const inUse = tokenInUse(installed, record);
  // The record is read after the webhooks: what it has may be a registration's that was made in between.
  if (inUse === undefined && record !== undefined) await assertTokensUnchanged(kube, deployment, installed, cluster);
  const token = inUse ?? newToken(ports.randomBytes);
  const clusterId = await findClusterId(kube);
  const channel = request.channel ?? record?.revisions[requested.revision] ?? "stable";
  const recorded = recordedSettings(record, { ...requested, deployment });
  const hasNet = (requested.safetyNet ?? (before?.settings ?? recorded)?.safetyNet ?? "off") !== "off";
  const injection = hasNet ? await request.injectionOf?.(channel) : undefined;
  const settings = planSettings(deployment, requested, installed, token, defined({ clusterId, injection, recorded }));
  // Objects of others are found before anything is changed.
  const planned = await planObjects(kube, deployment, builtObjects(settings));
  const baseline = openBaseline(cluster, [
    ...planned.map(({ path, before }) => ({ path, object: before })),
    // These were read first: what has happened to them since is another command's.
    ...seenIn(found),
  ]);
  if ((settings.phase === "cluster" || settings.phase === "enforce") && (await request.isCanaryFailing())) {
    throw new OutriggerError(
      "endpoint-unfit",
      `Cannot go on to the phase ${settings.phase}: the canary of "${deployment}" fails; see docs/runbooks/endpoint.md#canary`,
    );
  }
  report(`Registering ${cluster} (${request.arn})`);
  const next = nextRecord(request, ports, record, settings, token, channel);
  const held = newLease(request, ports);
  const fenced = fencedKube(kube, held);
  const undoing = undoingWith(held, given);
  const journal = openJournal(fenced, undoing);
  const steps = async () => {
    await held.ask({ action: "put-cluster", ...held.change, record: next, expect: recordDigest(record) });
    await signObjects(kube, deployment, held);
    await assertTokensUnchanged(fenced, deployment, installed, cluster);
    if (request.withSelfTest) {
      report("Testing the webhook from this machine");
      await ports.selfTest(webhookUrl(settings), settings, ports.sleep);
    }
    report(`Applying the webhook configuration, phase ${settings.phase}`);
    const isNew = record === undefined || !hasToken(record, digestOfToken(token));
    const settle = isNew && isStrict(settings) ? () => settled(ports) : async () => {};
    const proven = { ...ports, kube: journal.kube };
    const warnings = await applyAndProve(
      settings,
      proven,
      { before, baseline },
      request.allowUnproven === true,
      settle,
    );
    if (found.offMark !== undefined) await removeOffMark(journal.kube, found.offMark);
    // What was written last, or where nothing had to be: nothing has looked since whether this is still true.
    await held.renew();
    return warnings;
  };
  const undo = () => undoRegistration(given, journal, record, next, held);
  const warnings = await steps().catch(async (error: unknown) => {
    throw (await undo()) ?? error;
  });
  // The cluster calls from here on: what fails now is no reason to take that back.
  const inForce = withSettings(next, settings);
  const { token: _, injection: _injection, ...shown } = settings;
  const untested = request.withSelfTest ? [] : ["The webhook was not tested from this machine"];
  const later = [
    ...(await orWarning("No alarm is set for the case that the cluster stops calling", () => given.alarm.put(cluster))),
    ...(await warnOfConflictingWebhooks(given.kube, settings)),
    ...(await haveLastWord(given, settings, cluster, () => releaseLease(given, inForce, held, next), undoing.isOwn)),
    ...warnOfUnrecorded(inForce, settings),
  ];
  return { settings: shown, warnings: [...warnOfTags(settings, installed), ...untested, ...warnings, ...later] };
}

/** Without permission to look, registering goes on: the release's own values name the cluster then. */
async function findClusterId(kube: KubeClient): Promise<string | undefined> {
  const istiods = (await readIstiodsIfAllowed(kube, "istio-system")) ?? [];
  return istiods.find(({ clusterId }) => clusterId !== undefined)?.clusterId;
}

/** What was read first may have been changed by another command since. */
async function assertTokensUnchanged(
  kube: KubeClient,
  deployment: string,
  before: readonly InstalledWebhook[],
  cluster: string,
): Promise<void> {
  const tokensOf = (installed: readonly InstalledWebhook[]) => installed.map(({ name, token }) => `${name} ${token}`);
  if (jsonEqual(tokensOf(before), tokensOf(await findInstalled(kube, deployment)))) return;
  const message = `Cannot register ${cluster}: its webhooks were changed by another command in the meantime; run this again`;
  throw new OutriggerError("cluster-conflict", message, { path: cluster });
}

/** Another cluster of the same name is another cluster: its record is not taken over. */
function assertSameCluster({ cluster, arn }: RegistrationRequest, record: ClusterRecord | undefined): void {
  if (cluster === CANARY) {
    const message = `The name ${CANARY} is the deployment's own canary: register this cluster under another with --as`;
    throw new OutriggerError("cluster-conflict", message, { path: cluster });
  }
  if (record === undefined || record.arn === "" || record.arn === arn) return;
  throw new OutriggerError(
    "cluster-conflict",
    `The name ${cluster} is taken by another cluster (${record.arn}): register this one under another name with --as`,
    { path: cluster },
  );
}

/** The deployment calls itself under this name. */
const CANARY = "canary";

function nextRecord(
  { requested, arn, kubernetesVersion }: RegistrationRequest,
  { now }: RegistrationPorts,
  record: ClusterRecord | undefined,
  settings: WebhookSettings,
  token: string,
  channel: string,
): ClusterRecord {
  const sha256 = digestOfToken(token);
  const isLive = record !== undefined && hasToken(record, sha256);
  return {
    revisions: { ...record?.revisions, [requested.revision]: channel },
    arn,
    ...defined({
      kubernetesVersion: kubernetesVersion === "" ? undefined : kubernetesVersion,
      network: settings.network ?? record?.network,
      nativeSidecars: record?.nativeSidecars,
    }),
    // What is not in force yet is not recorded.
    ...defined({ settings: record?.settings }),
    // A token that no webhook has is lost: it is replaced.
    tokens: isLive ? record.tokens : [{ sha256, created: new Date(now()).toISOString() }],
  };
}

async function applyAndProve(
  settings: WebhookSettings,
  ports: RegistrationPorts,
  { before, baseline }: { readonly before: InstalledWebhook | undefined; readonly baseline: Baseline },
  allowUnproven: boolean,
  settle: () => Promise<void>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  await applyProven(ports.kube, settings, before, baseline, async () => {
    const unproven = await prove(settings, ports);
    await settle();
    if (unproven === undefined) return;
    const wasStrict = before?.settings !== undefined && before.off === undefined && isStrict(before.settings);
    if (isStrict(settings) && !wasStrict && !allowUnproven) {
      throw new OutriggerError(
        "endpoint-unfit",
        `Cannot enforce what was not proven: ${unproven}; make it possible, or pass --force`,
      );
    }
    warnings.push(`No pod was tried through the API server: ${unproven}`);
  });
  return warnings;
}

/** One container has been seen to know a new token: before its calls may reject pods, all others have to. */
async function settled({ report, sleep }: RegistrationPorts): Promise<void> {
  report(`Waiting ${SETTLE_MILLISECONDS / 1000} s: by then every container knows the token, or looks it up`);
  await sleep(SETTLE_MILLISECONDS);
}

async function orWarning(warning: string, step: () => Promise<void>): Promise<readonly string[]> {
  try {
    await step();
    return [];
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return [`${warning}: ${error.message}`];
  }
}
