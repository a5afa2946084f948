// Owns the registration of a cluster, step by step: the record, the self-test, the objects in the cluster, the proof that its
// API server calls, the alarm. Each step may be run again; where one fails, those before it are undone.
import { OutriggerError } from "../errors.ts";
import type { ClusterRecord } from "../serve/cluster-record.ts";
import type { WebhookSettings } from "../webhook/webhook-settings.ts";
import { findInstalled, type InstalledWebhook, type OwnKind, pathOf, readOwn } from "./installed-webhooks.ts";
import { findClusterId, findRivals } from "./istio-facts.ts";
import { type AskedSettings, planSettings } from "./plan-settings.ts";
import { probeInjection } from "./probe-injection.ts";
import {
  applySettings,
  objectsOf,
  type RegistrationPorts,
  restoreSettings,
  type Subject,
  urlOf,
} from "./registration.ts";
import { digestOfToken, newToken, tokenInUse } from "./tokens.ts";

export interface RegistrationRequest extends Subject {
  readonly asked: AskedSettings;
  /** Of the cluster: account, Region and name. */
  readonly arn: string;
  readonly kubernetesVersion: string;
  /** Left out: as it is, or `stable`. */
  readonly channel?: string;
  /** False where this machine cannot reach the webhook, as it cannot with a private API. */
  readonly withSelfTest: boolean;
  /** Says whether the canary fails: no rollout goes on while it does. */
  readonly isCanaryFailing: () => Promise<boolean>;
}

export interface RegistrationResult {
  readonly settings: Omit<WebhookSettings, "token">;
  /** What was not proven, and what a person should look at. */
  readonly warnings: readonly string[];
}

export async function registerCluster(
  request: RegistrationRequest,
  ports: RegistrationPorts,
): Promise<RegistrationResult> {
  const { kube, report } = ports;
  const { asked, cluster, deployment } = request;
  const record = await ports.readRecord(cluster);
  assertSameCluster(request, record);
  const installed = await findInstalled(kube, deployment);
  const before = installed.find(({ revision, tag }) => revision === asked.revision && tag === undefined);
  const token = tokenInUse(installed, record) ?? newToken(ports.randomBytes);
  const clusterId = await findClusterId(kube);
  const settings = planSettings(deployment, asked, installed, token, clusterId === undefined ? {} : { clusterId });
  for (const object of objectsOf(settings)) {
    const { name } = object["metadata"] as { readonly name: string };
    await readOwn(kube, object["kind"] as OwnKind, name, deployment);
  }
  if ((settings.phase === "cluster" || settings.phase === "enforce") && (await request.isCanaryFailing())) {
    throw new OutriggerError(
      "endpoint-unfit",
      `Cannot go on to the phase ${settings.phase}: the canary of "${deployment}" fails; see docs/operations.md#canary`,
    );
  }
  report(`Registering ${cluster} (${request.arn})`);
  await putRecord(request, ports, record, settings, token);
  const undoRecord = () => restoreRecord(request, ports, record);
  if (request.withSelfTest) {
    report("Testing the webhook from here");
    await ports.selfTest(urlOf(settings), settings).catch((error) => undoing(error, undoRecord, ports));
  }
  report(`Applying the webhook configuration, phase ${settings.phase}`);
  const undoAll = async () => {
    await restoreSettings(kube, before, settings);
    await undoRecord();
  };
  const warnings = await applyAndProve(settings, ports, before).catch((error) => undoing(error, undoAll, ports));
  const { token: _, ...shown } = settings;
  const untested = request.withSelfTest ? [] : ["The webhook was not tested from here"];
  const unwatched = await putAlarm(cluster, ports);
  return { settings: shown, warnings: [...untested, ...warnings, ...unwatched, ...(await findRivals(kube, settings))] };
}

/** Two clusters of one name are two: a record that stands for the other one is not taken over. */
function assertSameCluster({ cluster, arn }: RegistrationRequest, record: ClusterRecord | undefined): void {
  if (cluster === CANARY) {
    const message = `The name ${CANARY} is the deployment's own canary: register this cluster under another with --as`;
    throw new OutriggerError("cluster-conflict", message, { path: cluster });
  }
  if (record === undefined || record.arn === "" || record.arn === arn) return;
  throw new OutriggerError(
    "cluster-conflict",
    `The name ${cluster} is taken by another cluster (${record.arn}): register this one under a name of its own with --as`,
    { path: cluster },
  );
}

/** The deployment calls itself under this name. */
const CANARY = "canary";

async function putRecord(
  request: RegistrationRequest,
  { ask, now }: RegistrationPorts,
  record: ClusterRecord | undefined,
  settings: WebhookSettings,
  token: string,
): Promise<void> {
  const { asked, arn, cause, cluster, kubernetesVersion } = request;
  const channel = request.channel ?? record?.revisions[asked.revision] ?? "stable";
  const sha256 = digestOfToken(token);
  const network = settings.network ?? record?.network;
  const isLive = record?.tokens.some((live) => live.sha256 === sha256) ?? false;
  await ask({
    action: "put-cluster",
    cause,
    cluster,
    record: {
      revisions: { ...record?.revisions, [asked.revision]: channel },
      arn,
      ...(kubernetesVersion === "" ? {} : { kubernetesVersion }),
      ...(network === undefined ? {} : { network }),
      ...(record?.nativeSidecars === undefined ? {} : { nativeSidecars: record.nativeSidecars }),
      // A token that stands in no webhook is known to nobody any more: it is replaced.
      ...(isLive ? {} : { tokens: [{ sha256, created: new Date(now()).toISOString() }] }),
    },
  });
}

async function restoreRecord(
  { cause, cluster }: RegistrationRequest,
  { ask }: RegistrationPorts,
  record: ClusterRecord | undefined,
): Promise<void> {
  const why = "registration undone";
  if (record === undefined) await ask({ action: "remove-cluster", cause: { ...cause, why }, cluster });
  else await ask({ action: "put-cluster", cause: { ...cause, why }, cluster, record });
}

/** Runs the undoing and passes the error on; an undoing that fails itself is told and does not hide the reason. */
async function undoing(error: unknown, undo: () => Promise<void>, { report }: RegistrationPorts): Promise<never> {
  try {
    await undo();
    report("Everything is as it was before");
  } catch {
    report("Not everything could be undone: run outrigger status, and register again when the reason is mended");
  }
  throw error;
}

async function applyAndProve(
  settings: WebhookSettings,
  { kube, sleep, report }: RegistrationPorts,
  before: InstalledWebhook | undefined,
): Promise<readonly string[]> {
  await applySettings(kube, settings);
  if (before?.off !== undefined) await kube.mergePatch(pathOf("MutatingWebhookConfiguration", before.name), ON_AGAIN);
  const proof = await probeInjection(kube, settings, sleep);
  if (proof.kind === "injected") {
    report(`The API server injects a pod that is created as a dry run in the namespace ${proof.namespace}`);
    return [];
  }
  if (proof.kind === "untried") return [`No pod was tried through the API server: ${proof.why}`];
  throw new OutriggerError(
    "endpoint-unfit",
    proof.kind === "failed"
      ? `The API server cannot use the webhook: ${proof.message}`
      : `The API server does not get an answer from the webhook, and lets a pod of the namespace ${proof.namespace} in without a sidecar: see that the cluster's control plane reaches ${new URL(settings.url).host} (its security group, egress and DNS)`,
  );
}

/** The cluster calls by now: an alarm that cannot be set is no reason to take that back. */
async function putAlarm(cluster: string, { alarm }: RegistrationPorts): Promise<readonly string[]> {
  try {
    await alarm.put(cluster);
    return [];
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return [`Nobody is called when the cluster stops calling: ${error.message}`];
  }
}

const ON_AGAIN = { metadata: { annotations: { "outrigger/off": null } } };
