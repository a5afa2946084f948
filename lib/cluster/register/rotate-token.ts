// Replacing a cluster's token while it goes on calling: the new one is registered next to the old one, tested, written to
// the webhooks, seen in use, and only then is the old one retired. Run again, it continues where it stopped.
import { OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { assertOwnManaged } from "../objects/object-owner.ts";
import { fencedKube, signObjects } from "./fence.ts";
import { type HeldLease, newLease, takenOver } from "./held-lease.ts";
import { probeInjection } from "./probe-injection.ts";
import { contentOf, type RegistrationPorts, released, type Subject } from "./registration.ts";
import { retirementEffect } from "./retirement.ts";
import { stoppable } from "./stoppable.ts";
import { digestOfToken, hasToken, newToken, tokenInUse } from "./tokens.ts";
import { applyToken, testAndApply } from "./write-token.ts";

export interface RotationRequest extends Subject {
  readonly withSelfTest: boolean;
  /** The longest time to wait for calls with the new token, in milliseconds; 0 leaves the old one live. */
  readonly patience: number;
  /** Calls of a slot since a time, as CloudWatch counts them. */
  readonly countCalls: (slot: 1 | 2, since: number) => Promise<number>;
  /** Retires every earlier token as soon as the webhooks have the new one, although calls still come with it. */
  readonly isRevocation?: boolean;
}

const CONFIGURATION = "MutatingWebhookConfiguration";

/** What became of the old token. */
export type Rotation = "retired" | "still-live";

/**
 * Replaces a cluster's token without losing a call: registers a second one, tests it, writes it to the webhooks, waits until
 * calls arrive with it and none with the old one, and retires the old one. Run again, it continues where it stopped.
 *
 * A revocation does not wait: the holder of a leaked token may call with it for ever.
 *
 * @returns `still-live` where the old token is left, because calls with the new one were not seen in time
 * @throws OutriggerError `cluster-unknown` where the cluster is not registered, `cluster-conflict`, `endpoint-unfit` where the
 * new token is not answered, `interrupted`, and what a port throws
 */
export async function rotateToken(request: RotationRequest, given: RegistrationPorts): Promise<Rotation> {
  const ports = stoppable(given);
  const { cluster, deployment } = request;
  const record = await ports.readRecord(cluster);
  if (record === undefined) throw notRegistered(cluster);
  const held = newLease(request, ports);
  const { ask, change } = held;
  const fenced = fencedKube(ports.kube, held);
  const steps = async (): Promise<string> => {
    await ask({ action: "put-cluster", ...change, record: contentOf(record), expect: recordDigest(record) });
    await signObjects(ports.kube, deployment, held);
    // Read under the lease: another rotation may just have written its token.
    const installed = await findInstalled(fenced, deployment);
    for (const { object } of installed) assertOwnManaged(ports.kube.name, { ...object, kind: CONFIGURATION });
    const old = tokenInUse(installed, record);
    if (old === undefined) throw noLiveToken(cluster);
    if (request.isRevocation === true) await reportEffects(request, record, ports);
    const digest = digestOfToken(old);
    // The later of two live tokens is in the webhooks already: an earlier rotation stopped at waiting.
    if (record.tokens.length === 2 && record.tokens[1]?.sha256 === digest) {
      ports.report("An earlier rotation has written the new token to the webhooks");
      await applyToken(installed, old, fenced, held);
      if (request.isRevocation !== true) return digest;
    }
    // A second token that no webhook has is lost.
    let expect = recordDigest(record);
    for (const lost of record.tokens.filter(({ sha256 }) => sha256 !== digest)) {
      await ask({ action: "retire-token", ...change, sha256: lost.sha256, expect });
      expect = recordDigest({ ...record, tokens: record.tokens.filter((token) => token !== lost) });
    }
    const token = newToken(ports.randomBytes);
    ports.report("Registering a second token");
    await ask({ action: "add-token", ...change, sha256: digestOfToken(token), expect });
    await testAndApply(installed, token, request.withSelfTest, held, { ...ports, kube: fenced }, given);
    return digestOfToken(token);
  };
  const used = await steps().catch(async (error: unknown) => {
    await release(given, held);
    throw error;
  });
  // Waiting changes nothing, so others need not wait for it.
  await release(ports, held);
  return retireWhenUsed(request, ports, await readUsing(used, request, ports), used);
}

/** A lease that cannot be released ends by itself. */
async function release({ ask, readRecord }: RegistrationPorts, { change }: HeldLease): Promise<void> {
  try {
    const record = await readRecord(change.cluster);
    if (record?.lease?.id !== change.lease.id) return;
    const [content, expect] = [contentOf(record), recordDigest(record)];
    await ask({ action: "put-cluster", ...change, record: content, lease: released(change.lease), expect });
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
  }
}

/** The record, while the token is live and a webhook has it: nothing may be said of one that another command has taken away. */
async function readUsing(
  sha256: string,
  { cluster, deployment }: RotationRequest,
  { readRecord, kube }: RegistrationPorts,
): Promise<ClusterRecord> {
  const installed = await findInstalled(kube, deployment);
  const record = await readRecord(cluster);
  if (webhooksWith(sha256, installed).length === 0 || record === undefined || !hasToken(record, sha256))
    throw takenOver(cluster, record);
  return record;
}

function webhooksWith(sha256: string, installed: readonly InstalledWebhook[]): readonly InstalledWebhook[] {
  return installed.filter(({ token }) => token !== undefined && digestOfToken(token) === sha256);
}

/** CloudWatch has a call a minute or two after it was made. */
const POLL = 30_000;

/** What a revocation breaks, said before anything is changed. */
async function reportEffects(request: RotationRequest, record: ClusterRecord, ports: RegistrationPorts): Promise<void> {
  for (const { sha256 } of record.tokens) {
    const { sentence } = await retirementEffect({ ...request, record, sha256, now: ports.now() });
    ports.report(sentence);
  }
  ports.report(
    `The webhooks in ${ports.kube.name} get a new token first; whatever else has an old one has to be changed`,
  );
}

async function retireWhenUsed(
  request: RotationRequest,
  ports: RegistrationPorts,
  record: ClusterRecord,
  used: string,
): Promise<Rotation> {
  const old = record.tokens.find(({ sha256 }) => sha256 !== used);
  if (old === undefined) return "retired";
  if (request.isRevocation === true) await probeNewToken(request, ports);
  else if (!(await isUsed(request, ports, record, used))) {
    await readUsing(used, request, ports);
    return "still-live";
  }
  // Another command, or a person, may have written the old token to a webhook in the meantime, or taken the webhooks away.
  const installed = await findInstalled(ports.kube, request.deployment);
  if (webhooksWith(used, installed).length === 0) throw takenOver(request.cluster, record);
  const behind = webhooksWith(old.sha256, installed);
  if (behind.length > 0 && request.isRevocation !== true) return "still-live";
  for (const { name } of behind) ports.report(`${name} has the old token again: run this command once more`);
  const { cause, cluster } = request;
  await ports.ask({ action: "retire-token", cause, cluster, sha256: old.sha256, expect: recordDigest(record) });
  return "retired";
}

/** Waits until calls come with the new token, and for as long as they come with the old one. */
async function isUsed(
  request: RotationRequest,
  ports: RegistrationPorts,
  record: ClusterRecord,
  used: string,
): Promise<boolean> {
  const slot = record.tokens[0]?.sha256 === used ? 1 : 2;
  const start = ports.now();
  if (request.patience === 0) return false;
  // A quiet cluster would be waited for in vain.
  await probeNewToken(request, ports);
  ports.report("Waiting until calls come with the new token");
  for (let since = start; ports.now() - start < request.patience; ) {
    await ports.sleep(POLL);
    const late = await request.countCalls(slot === 1 ? 2 : 1, since);
    if (late > 0) since = ports.now();
    else if (ports.now() - since >= SETTLED && (await request.countCalls(slot, start)) > 0) return true;
  }
  return false;
}

/** A dry run makes the API server call with what it has now. */
async function probeNewToken({ deployment }: RotationRequest, { kube, sleep }: RegistrationPorts): Promise<void> {
  const [webhook] = await findInstalled(kube, deployment);
  if (webhook?.settings !== undefined) await probeInjection(kube, webhook.settings, sleep);
}

/** How long no call may have come with the old token: longer than CloudWatch is behind. */
const SETTLED = 180_000;

function noLiveToken(cluster: string): OutriggerError {
  return new OutriggerError(
    "cluster-invalid",
    `No webhook in ${cluster} has a token that is live: repair that first with outrigger register --cluster ${cluster}`,
  );
}

function notRegistered(cluster: string): OutriggerError {
  return new OutriggerError(
    "cluster-unknown",
    `${cluster} is not registered: register it first with outrigger register --cluster ${cluster}`,
    { path: cluster },
  );
}
