// The registration of a cluster, step by step: the record, the self-test, the objects in the cluster, the proof that its
// API server calls, the alarm. Each step can be run again; if one fails, those before it are undone.
import { defined, jsonEqual, OutriggerError } from "@outrigger/base";
import type { LeaseRequest } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { webhookUrl } from "@outrigger/webhook";
import { warnOfConflictingWebhooks } from "../istio/conflicting-webhooks.ts";
import { readIstiodsIfAllowed } from "../istio/read-istiods.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { planObjects } from "../objects/own-objects.ts";
import { applyProven, isStrict } from "./apply-settings.ts";
import { type Journal, openJournal } from "./journal.ts";
import { type InjectionPolicy, planSettings, type RequestedSettings, warnOfTags } from "./plan-settings.ts";
import { probeInjection } from "./probe-injection.ts";
import {
  builtObjects,
  contentOf,
  expectationOf,
  newLease,
  type RegistrationPorts,
  released,
  type Subject,
} from "./registration.ts";
import { SETTLE_MILLISECONDS } from "./rotate-token.ts";
import { stoppable } from "./stoppable.ts";
import { digestOfToken, newToken, tokenInUse } from "./tokens.ts";

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
  const record = await ports.readRecord(cluster);
  assertSameCluster(request, record);
  const installed = await findInstalled(kube, deployment);
  const before = installed.find(({ revision, tag }) => revision === requested.revision && tag === undefined);
  const token = tokenInUse(installed, record) ?? newToken(ports.randomBytes);
  const clusterId = await findClusterId(kube);
  const channel = request.channel ?? record?.revisions[requested.revision] ?? "stable";
  const hasNet = (requested.safetyNet ?? before?.settings?.safetyNet ?? "off") !== "off";
  const injection = hasNet ? await request.injectionOf?.(channel) : undefined;
  const settings = planSettings(deployment, requested, installed, token, defined({ clusterId, injection }));
  // Objects of others are found before anything is changed.
  await planObjects(kube, deployment, builtObjects(settings));
  if ((settings.phase === "cluster" || settings.phase === "enforce") && (await request.isCanaryFailing())) {
    throw new OutriggerError(
      "endpoint-unfit",
      `Cannot go on to the phase ${settings.phase}: the canary of "${deployment}" fails; see docs/operations.md#canary`,
    );
  }
  report(`Registering ${cluster} (${request.arn})`);
  const next = nextRecord(request, ports, record, settings, token, channel);
  const lease = newLease(ports);
  const journal = openJournal(kube, given.kube);
  const steps = async () => {
    const { cause } = request;
    await ports.ask({ action: "put-cluster", cause, cluster, record: next, lease, expect: expectationOf(record) });
    await assertTokensUnchanged(kube, deployment, installed, cluster);
    if (request.withSelfTest) {
      report("Testing the webhook from this machine");
      await ports.selfTest(webhookUrl(settings), settings, ports.sleep);
    }
    report(`Applying the webhook configuration, phase ${settings.phase}`);
    const isNew = record?.tokens.some(({ sha256 }) => sha256 === digestOfToken(token)) !== true;
    const settle = isNew && isStrict(settings) ? () => settled(ports) : async () => {};
    return applyAndProve(settings, { ...ports, kube: journal.kube }, before, request.allowUnproven === true, settle);
  };
  const undo = () => undoAll(request, given, journal, record, next, lease);
  const warnings = await steps().catch(async (error: unknown) => {
    await undo();
    throw error;
  });
  // The cluster calls from here on: what fails now is no reason to take that back.
  const { token: _, injection: _injection, ...shown } = settings;
  const untested = request.withSelfTest ? [] : ["The webhook was not tested from this machine"];
  const later = [
    ...(await orWarning("No alarm is set for the case that the cluster stops calling", () => given.alarm.put(cluster))),
    ...(await orWarning(`Other commands may have to wait ${lease.seconds} s before they can change ${cluster}`, () =>
      releaseLease(request, given, next, lease),
    )),
    ...(await warnOfConflictingWebhooks(given.kube, settings)),
  ];
  return { settings: shown, warnings: [...warnOfTags(settings, installed), ...untested, ...warnings, ...later] };
}

/** Without permission to look, registering goes on: the release's own values name the cluster then. */
async function findClusterId(kube: KubeClient): Promise<string | undefined> {
  const istiods = (await readIstiodsIfAllowed(kube, "istio-system")) ?? [];
  return istiods.find(({ clusterId }) => clusterId !== undefined)?.clusterId;
}

/** What was read before the lease was taken may have been changed by a rotation that held it. */
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
  const isLive = record?.tokens.some((live) => live.sha256 === sha256) ?? false;
  return {
    revisions: { ...record?.revisions, [requested.revision]: channel },
    arn,
    ...defined({
      kubernetesVersion: kubernetesVersion === "" ? undefined : kubernetesVersion,
      network: settings.network ?? record?.network,
      nativeSidecars: record?.nativeSidecars,
    }),
    // A token that no webhook has is lost: it is replaced.
    tokens: isLive && record !== undefined ? record.tokens : [{ sha256, created: new Date(now()).toISOString() }],
  };
}

async function releaseLease(
  { cause, cluster }: RegistrationRequest,
  { ask }: RegistrationPorts,
  record: ClusterRecord,
  lease: LeaseRequest,
): Promise<void> {
  await ask({ action: "put-cluster", cause, cluster, record, lease: released(lease) });
}

/** Restores the cluster, then the record: while an object has the new token, the token has to be live. */
async function undoAll(
  { cause, cluster }: RegistrationRequest,
  { ask, report }: RegistrationPorts,
  journal: Journal,
  record: ClusterRecord | undefined,
  next: ClusterRecord,
  lease: LeaseRequest,
): Promise<void> {
  const problems = await journal.undo();
  for (const problem of problems) report(`Not restored: ${problem}`);
  if (problems.length > 0) {
    report(`The record of ${cluster} stays as it is: run outrigger status, then register again`);
    return;
  }
  const change = { cause: { ...cause, why: "registration undone" }, cluster, lease: released(lease) };
  const expect = expectationOf(next);
  try {
    if (record === undefined) await ask({ action: "remove-cluster", ...change, expect });
    else await ask({ action: "put-cluster", ...change, record: contentOf(record), expect });
    report("Everything is as it was before");
  } catch (error) {
    report(
      error instanceof OutriggerError && error.code === "cluster-conflict"
        ? `The cluster is as it was before; the record of ${cluster} belongs to another command and is left as it is`
        : `The cluster is as it was before; the record of ${cluster} could not be restored: run outrigger register again`,
    );
  }
}

async function applyAndProve(
  settings: WebhookSettings,
  ports: RegistrationPorts,
  before: InstalledWebhook | undefined,
  allowUnproven: boolean,
  settle: () => Promise<void>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  await applyProven(ports.kube, settings, before, async () => {
    const unproven = await prove(settings, ports);
    await settle();
    if (unproven === undefined) return;
    const wasStrict = before?.settings !== undefined && before.off === undefined && isStrict(before.settings);
    if (isStrict(settings) && !wasStrict && !allowUnproven) {
      throw new OutriggerError(
        "endpoint-unfit",
        `Cannot enforce what was not proven: ${unproven}; make it possible, or pass --allow-unproven`,
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

/** Why nothing could be proven; undefined where it was. */
async function prove(
  settings: WebhookSettings,
  { kube, sleep, report }: RegistrationPorts,
): Promise<string | undefined> {
  report("Creating a pod as a dry run, to prove that the API server reaches the webhook");
  const proof = await probeInjection(kube, settings, sleep, report);
  switch (proof.kind) {
    case "injected":
      report(`The API server injects a pod that is created as a dry run in the namespace ${proof.namespace}`);
      return undefined;
    case "untried":
      return proof.why;
    case "failed":
      throw new OutriggerError("endpoint-unfit", `The API server cannot use the webhook: ${proof.message}`);
    case "not-injected": {
      const { host } = new URL(settings.url);
      throw new OutriggerError(
        "endpoint-unfit",
        `The API server does not get an answer from the webhook, and admits a pod of the namespace ${proof.namespace} without a sidecar: check that the cluster's control plane reaches ${host} (its security group, egress and DNS)`,
      );
    }
  }
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
