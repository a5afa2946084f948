// The registration of a cluster, step by step: the record, the self-test, the objects in the cluster, the proof that its
// API server calls, the alarm. Each step can be run again; if one fails, those before it are undone.
import { defined, jsonEqual, OutriggerError, ownError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { webhookUrl } from "@outrigger/webhook";
import { readIstiodsIfAllowed, warnOfConflictingWebhooks } from "../istio/read-istiods.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { findInstalled, type InstalledWebhook, settingsInForce } from "../objects/installed-webhooks.ts";
import { assertOwn, pathOfObject } from "../objects/own-objects.ts";
import { applyAndProve, isStrict } from "./apply-settings.ts";
import { newLease, takenOver } from "./lease.ts";
import type { InjectionPolicy, RequestedSettings } from "./plan-settings.ts";
import { planSettings, recordedSettings, warnOfTags, warnOfUnrecorded, withSettings } from "./plan-settings.ts";
import { openReconciler, type Reconciler } from "./reconciler.ts";
import { builtObjects, type RegistrationPorts, type Subject, stoppable } from "./registration.ts";
import { digestOfToken, hasToken, newToken, SETTLE_MILLISECONDS, tokenInUse } from "./tokens.ts";
import { assertWorkloadsTaken, isWider } from "./try-workloads.ts";
import { undoRegistration } from "./undo-registration.ts";

export interface RegistrationRequest extends Subject {
  readonly requested: RequestedSettings;
  /** The ARN of the cluster: account, Region and name. */
  readonly arn: string;
  readonly kubernetesVersion: string;
  /** Left out: the current one, or `stable`. */
  readonly channel?: string;
  /** False where this machine cannot reach the webhook, as it cannot with a private API. */
  readonly withSelfTest: boolean;
  /** Whether to go on even if no pod could be tried through the API server, or a workload would be rejected. */
  readonly allowUnproven?: boolean;
  /**
   * Returns the policy of the release that a channel serves, or undefined if it cannot be read. It is for the selectors
   * and the safety net.
   */
  readonly injectionOf?: (channel: string) => Promise<InjectionPolicy | undefined>;
  /** Whether the release adds `istio-proxy`; left out where that is not known. */
  readonly addsProxy?: boolean;
  /** False where no pod of the release is in Istio's mesh: no istiod is asked for its name of the cluster. */
  readonly hasPartInMesh?: boolean;
  /** Whether the canary fails: no rollout continues while it does. */
  readonly isCanaryFailing: () => Promise<boolean>;
}

/**
 * Registers a cluster, or repairs its registration: writes the record, tests the webhook, applies the objects, and proves by
 * a dry run that the API server calls. If a step fails, those before it are undone.
 *
 * @returns the settings, without the token, and as warnings what was not proven and what a person should look at
 * @throws OutriggerError `cluster-conflict` where another command or tool changes the same, `endpoint-unfit` where the webhook
 * or the proof fails, `interrupted` where the signal was aborted, `usage` for settings that cannot be, and what a port throws
 */
export async function registerCluster(
  request: RegistrationRequest,
  given: RegistrationPorts,
): Promise<{ readonly settings: Omit<WebhookSettings, "token">; readonly warnings: readonly string[] }> {
  const ports = stoppable(given);
  const { kube, report } = ports;
  const { requested, cluster, deployment } = request;
  const held = newLease(request, given, ports);
  const reconciler = openReconciler(kube, { cluster, deployment, isRegistration: true, given: given.kube }, held);
  // This look comes first: off is stronger than everything that began before it.
  await reconciler.look();
  const record = await ports.readRecord(cluster);
  assertSameCluster(request, record);
  const installed = reconciler.installed();
  const before = installed.find(({ revision, tag }) => revision === requested.revision && tag === undefined);
  const inUse = tokenInUse(installed, record);
  // The record is read after the webhooks: what it has may be a registration's that was made in between.
  if (inUse === undefined && record !== undefined)
    assertTokensUnchanged(cluster, installed, await findInstalled(kube, deployment));
  const token = inUse ?? newToken(ports.randomBytes);
  const channel = request.channel ?? record?.revisions[requested.revision] ?? "stable";
  const recorded = recordedSettings(record, { ...requested, deployment });
  const kept = before?.settings ?? recorded;
  const isOpen = requested.clusterId === undefined && kept === undefined && request.hasPartInMesh !== false;
  const clusterId = isOpen ? await findClusterId(kube) : undefined;
  const injection = await request.injectionOf?.(channel);
  const settings = planSettings(deployment, requested, installed, token, defined({ clusterId, injection, recorded }));
  // Objects of others are found before anything is changed.
  for (const object of builtObjects(settings)) {
    const there = reconciler.at(pathOfObject(object));
    if (there !== undefined) assertOwn(kube.name, there, deployment);
  }
  if ((settings.phase === "cluster" || settings.phase === "enforce") && (await request.isCanaryFailing())) {
    const message = `Cannot continue to the phase ${settings.phase}: the canary of "${deployment}" fails; see docs/runbooks/endpoint.md#canary`;
    throw new OutriggerError("endpoint-unfit", message);
  }
  report(`Registering ${cluster} (${request.arn})`);
  const next = nextRecord(request, ports, record, settings, token, channel);
  const inForceBefore = settingsInForce(before);
  const tryWorkloads = () => {
    report("Trying a workload of each namespace that is selected, as a dry run");
    return assertWorkloadsTaken(kube, settings);
  };
  const steps = async () => {
    await held.ask({ action: "put-cluster", ...held.change, record: next, expect: recordDigest(record) });
    // A command that ended has nothing on its way any more; one that did not end has left its lease, or its record was removed.
    if (record?.lease !== undefined || (record === undefined && reconciler.objects().length > 0)) {
      await reconciler.takeOver();
      assertTokensUnchanged(cluster, installed, reconciler.installed());
    }
    if (request.withSelfTest) {
      report("Testing the webhook from this machine");
      await ports.selfTest(webhookUrl(settings), settings, ports.sleep);
    }
    const allowUnproven = request.allowUnproven === true;
    const untried = allowUnproven || !isWider(settings, inForceBefore) ? [] : await tryWorkloads();
    report(`Applying the webhook configuration, phase ${settings.phase}`);
    const isNew = record === undefined || !hasToken(record, digestOfToken(token));
    // One container has been seen to know a new token: before its calls may reject pods, all others have to.
    const settle = async () => {
      if (!isNew || !isStrict(settings)) return;
      report(`Waiting ${SETTLE_MILLISECONDS / 1000} s: by then every container knows the token, or looks it up`);
      await ports.sleep(SETTLE_MILLISECONDS);
    };
    const warnings = await applyAndProve(reconciler, { settings, before, allowUnproven, settle }, ports);
    await reconciler.removeOffMark();
    // What was written last, or where nothing had to be: nothing has looked since whether this is still true.
    await held.renew();
    return [...warnings, ...untried];
  };
  const warnings = await steps().catch(async (error: unknown) => {
    throw (await undoRegistration(given, reconciler, record, next, held)) ?? error;
  });
  // The cluster calls from here on: what fails now is no reason to take that back.
  const inForce = withSettings(next, settings);
  const { token: _, injection: _injection, ...shown } = settings;
  const untested = request.withSelfTest ? [] : ["The webhook was not tested from this machine"];
  const unset = await failureOf(given.alarm.put(cluster));
  const later = [
    ...warningOf("No alarm is set for the case that the cluster stops calling", unset),
    ...warnOfConflictingWebhooks(reconciler.at, settings, request.addsProxy),
    ...(await haveLastWord(reconciler, settings, cluster, held.release(inForce, next))),
    ...warnOfUnrecorded(inForce, settings),
  ];
  return { settings: shown, warnings: [...warnOfTags(settings, installed), ...untested, ...warnings, ...later] };
}

/** Reads Istio's name for the cluster; undefined without permission to look, where the release's own values name the cluster. */
async function findClusterId(kube: KubeClient): Promise<string | undefined> {
  const istiods = (await readIstiodsIfAllowed(kube, "istio-system")) ?? [];
  return istiods.find(({ clusterId }) => clusterId !== undefined)?.clusterId;
}

/** Checks that no other command has changed the tokens since they were first read. */
function assertTokensUnchanged(cluster: string, before: readonly InstalledWebhook[], now: readonly InstalledWebhook[]) {
  const tokensOf = (webhooks: readonly InstalledWebhook[]) =>
    webhooks.map(({ name, token }) => `${name} ${token}`).toSorted();
  if (jsonEqual(tokensOf(before), tokensOf(now))) return;
  const message = `Cannot register ${cluster}: its webhooks were changed by another command in the meantime; run this again`;
  throw new OutriggerError("cluster-conflict", message, { path: cluster });
}

/** Refuses the record of another cluster that has the same name: it is not taken over. */
function assertSameCluster({ cluster, arn }: RegistrationRequest, record: ClusterRecord | undefined): void {
  if (cluster === CANARY) {
    const message = `The name ${CANARY} is the deployment's own canary: register this cluster under another with --as`;
    throw new OutriggerError("cluster-conflict", message, { path: cluster });
  }
  if (record === undefined || record.arn === "" || record.arn === arn) return;
  const message = `The name ${cluster} is taken by another cluster (${record.arn}): register this one under another name with --as`;
  throw new OutriggerError("cluster-conflict", message, { path: cluster });
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
      // What is not in force yet is not recorded.
      settings: record?.settings,
    }),
    // A token that no webhook has is lost: it is replaced.
    tokens: isLive ? record.tokens : [{ sha256, created: new Date(now()).toISOString() }],
  };
}

/**
 * Releases the lease, and looks at the cluster once more: nothing is said of one that another command has had since.
 *
 * @returns why the lease could not be released, as a warning
 * @throws OutriggerError `cluster-conflict` where another command has changed the registration or switched it off
 */
async function haveLastWord(
  reconciler: Reconciler,
  settings: WebhookSettings,
  cluster: string,
  released: Promise<void>,
): Promise<readonly string[]> {
  const unreleased = await failureOf(released);
  // Where nobody may look any more, what was seen before counts.
  const isChanged =
    unreleased?.code === "cluster-conflict" ||
    !(await reconciler.isUntouched(builtObjects(settings)).catch(() => true));
  if (isChanged) throw takenOver(cluster);
  return warningOf(`Other commands may have to wait before they can change ${cluster}`, unreleased);
}

function failureOf(step: Promise<void>): Promise<OutriggerError | undefined> {
  return step.then(() => undefined, ownError);
}

function warningOf(warning: string, failure: OutriggerError | undefined): readonly string[] {
  return failure === undefined ? [] : [`${warning}: ${failure.message}`];
}
