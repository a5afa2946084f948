// Replacing a cluster's token while it continues calling: the new one is registered next to the old one, tested, written to
// the webhooks, seen in use, and only then is the old one retired. Run again, it continues where it stopped.
import { type JsonObject, jsonEqual, OutriggerError, objectsOf } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { parseWebhookUrl, webhookUrl } from "@outrigger/webhook";
import { learn } from "../fact.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { assertOwnManaged, pathOfObject } from "../objects/own-objects.ts";
import { contentOf, type HeldLease, newLease, takenOver } from "./lease.ts";
import { probeInjection } from "./probe-injection.ts";
import { openReconciler, type Reconciler } from "./reconciler.ts";
import { type RegistrationPorts, type Subject, stoppable } from "./registration.ts";
import {
  digestOfToken,
  hasToken,
  isLive,
  newToken,
  type RetirementQuestion,
  retirementEffect,
  SETTLE_MILLISECONDS,
  tokenInUse,
} from "./tokens.ts";

export interface RotationRequest extends Subject, Pick<RetirementQuestion, "countCalls"> {
  readonly withSelfTest: boolean;
  /** The longest time to wait for calls with the new token, in milliseconds; 0 leaves the old one live. */
  readonly patience: number;
  /** Retires every earlier token as soon as the webhooks have the new one, although calls still come with it. */
  readonly isRevocation?: boolean;
}

/** The fate of the old token. */
export type Rotation = "retired" | "still-live";

/**
 * Replaces a cluster's token without losing a call: registers a second one, tests it, writes it to the webhooks, waits until
 * calls arrive with it and none with the old one, and retires the old one. Run again, it continues where it stopped.
 *
 * A revocation does not wait: the holder of a leaked token may call with it forever.
 *
 * @returns `still-live` where the old token is left, because calls with the new one were not seen in time
 * @throws OutriggerError `cluster-unknown` where the cluster is not registered, `cluster-conflict`, `endpoint-unfit` where the
 * new token is not answered, `interrupted`, and what a port throws
 */
export async function rotateToken(request: RotationRequest, given: RegistrationPorts): Promise<Rotation> {
  const ports = stoppable(given);
  const { cluster, deployment } = request;
  const record = await ports.readRecord(cluster);
  if (record === undefined) {
    const message = `${cluster} is not registered: register it first with outrigger register --cluster ${cluster}`;
    throw new OutriggerError("cluster-unknown", message, { path: cluster });
  }
  const held = newLease(request, given, ports);
  const reconciler = openReconciler(ports.kube, { cluster, deployment, given: given.kube }, held);
  const walk = { ...request, ports, given, held, reconciler };
  // Waiting for calls changes nothing, so others need not wait for it.
  const used = await writeToken(walk, record).finally(held.releaseQuietly);
  return retireWhenUsed(walk, used);
}

interface Walk extends RotationRequest {
  readonly ports: RegistrationPorts;
  /** The ports that continue when the command is stopped. */
  readonly given: RegistrationPorts;
  readonly held: HeldLease;
  readonly reconciler: Reconciler;
}

/** Brings a token into use that is not the old one, and returns its digest. */
async function writeToken(walk: Walk, record: ClusterRecord): Promise<string> {
  const { cluster, ports, reconciler, isRevocation = false } = walk;
  const { ask, change } = walk.held;
  await ask({ action: "put-cluster", ...change, record: contentOf(record), expect: recordDigest(record) });
  // Read under the lease: another rotation may just have written its token.
  await reconciler.takeOver();
  const installed = reconciler.installed();
  for (const { object } of installed) assertOwnManaged(ports.kube.name, object);
  const old = tokenInUse(installed, record);
  if (old === undefined) {
    const message = `No webhook in ${cluster} has a token that is live: repair that first with outrigger register --cluster ${cluster}`;
    throw new OutriggerError("cluster-invalid", message);
  }
  if (isRevocation) await reportEffects(walk, record);
  const digest = digestOfToken(old);
  // The later of two live tokens is in the webhooks already: an earlier rotation stopped at waiting.
  if (record.tokens.length === 2 && record.tokens[1]?.sha256 === digest) {
    ports.report("An earlier rotation has written the new token to the webhooks");
    await applyToken(walk, old);
    if (!isRevocation) return digest;
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
  await testAndApply(walk, token);
  return digestOfToken(token);
}

/** Tests a token, writes it to the webhooks once every container knows it, and takes it back as a whole where that fails. */
async function testAndApply(walk: Walk, token: string): Promise<void> {
  const { ports, given, held, reconciler } = walk;
  const sha256 = digestOfToken(token);
  try {
    const settings = reconciler.installed().find(({ settings }) => settings !== undefined)?.settings;
    if (walk.withSelfTest && settings !== undefined) {
      ports.report("Testing the webhook with it");
      await ports.selfTest(webhookUrl({ ...settings, token }), settings, ports.sleep);
    }
    ports.report(`Waiting ${SETTLE_MILLISECONDS / 1000} s: by then every container knows it, or looks it up`);
    await ports.sleep(SETTLE_MILLISECONDS);
    ports.report("Writing it to the webhooks");
    await applyToken(walk, token);
  } catch (error) {
    if ((await held.whyLost()) !== undefined && (await isLive(sha256, walk.cluster, given))) {
      given.report("The webhooks are left as they are: the new token is live");
      throw error;
    }
    const problems = await reconciler.undo();
    for (const problem of problems) given.report(`Not restored: ${problem}`);
    // While a webhook may have the new token, it has to stay live.
    if (problems.length > 0) given.report("Both tokens stay live: run outrigger token rotate again");
    else {
      const { change } = held;
      const retired = await learn(async () => {
        const expect = recordDigest(await given.readRecord(change.cluster));
        await given.ask({ action: "retire-token", ...change, sha256, expect });
      });
      given.report(retired.known ? "The old token stays; the new one is retired" : UNRETIRED);
    }
    throw error;
  }
}

const UNRETIRED = "The old token stays; the new one could not be retired: the next rotation retires it";

/** Writes a token to every webhook, and changes nothing else: a cluster that is switched off stays off. */
async function applyToken({ reconciler, ports, held, cluster, deployment }: Walk, token: string): Promise<void> {
  const installed = reconciler.installed();
  for (const { object } of installed) {
    await reconciler.patch(pathOfObject(object), (there) => {
      const webhooks = objectsOf(there["webhooks"]).map((webhook) => withToken(webhook, token));
      return jsonEqual(webhooks, there["webhooks"]) ? undefined : { webhooks };
    });
  }
  const written = await findInstalled(ports.kube, deployment);
  const isWritten = ({ name }: InstalledWebhook) => written.some((one) => one.name === name && one.token === token);
  if (!installed.filter((one) => one.token !== undefined).every(isWritten)) throw takenOver(cluster);
  // Another rotation that has begun in between has retired this token.
  await held.renew();
}

function withToken(webhook: JsonObject, token: string): JsonObject {
  const clientConfig = webhook["clientConfig"] as JsonObject;
  const parts = parseWebhookUrl(String(clientConfig["url"]));
  return parts ? { ...webhook, clientConfig: { ...clientConfig, url: webhookUrl({ ...parts, token }) } } : webhook;
}

/** Says what a revocation breaks, before anything is changed. */
async function reportEffects({ ports, ...request }: Walk, record: ClusterRecord): Promise<void> {
  for (const { sha256 } of record.tokens) {
    const { sentence } = await retirementEffect({ ...request, record, sha256, now: ports.now() });
    ports.report(sentence);
  }
  const { name } = ports.kube;
  ports.report(`The webhooks in ${name} get a new token first; whatever else has an old one has to be changed`);
}

async function retireWhenUsed(walk: Walk, used: string): Promise<Rotation> {
  const { ports, cause, cluster, isRevocation = false } = walk;
  const { record } = await readUsing(walk, used);
  const old = record.tokens.find(({ sha256 }) => sha256 !== used);
  if (old === undefined) return "retired";
  if (isRevocation) await probeNewToken(walk);
  const isDone = isRevocation || (await isUsed(walk, record, used));
  // Another command, or a person, may have written the old token to a webhook in the meantime, or taken the webhooks away.
  const { installed } = await readUsing(walk, used);
  const behind = installed.filter((webhook) => hasDigest(webhook, old.sha256));
  if (!isDone || (behind.length > 0 && !isRevocation)) return "still-live";
  for (const { name } of behind) ports.report(`${name} has the old token again: run this command once more`);
  await ports.ask({ action: "retire-token", cause, cluster, sha256: old.sha256, expect: recordDigest(record) });
  return "retired";
}

/** The record and the webhooks, while the token is live and one has it: nothing may be said of one that was taken away. */
async function readUsing({ cluster, deployment, ports }: Walk, sha256: string) {
  const installed = await findInstalled(ports.kube, deployment);
  const record = await ports.readRecord(cluster);
  const isThere = installed.some((webhook) => hasDigest(webhook, sha256));
  if (!isThere || record === undefined || !hasToken(record, sha256)) throw takenOver(cluster, record);
  return { record, installed };
}

function hasDigest({ token }: InstalledWebhook, sha256: string): boolean {
  return token !== undefined && digestOfToken(token) === sha256;
}

/** CloudWatch has a call a minute or two after it was made. */
const POLL = 30_000;

/** Waits until calls come with the new token, and for as long as they come with the old one. */
async function isUsed(walk: Walk, record: ClusterRecord, used: string): Promise<boolean> {
  const { ports, patience, countCalls } = walk;
  const slot = record.tokens[0]?.sha256 === used ? 1 : 2;
  const start = ports.now();
  if (patience === 0) return false;
  // A quiet cluster would be waited for in vain.
  await probeNewToken(walk);
  ports.report("Waiting until calls come with the new token");
  for (let since = start; ports.now() - start < patience; ) {
    await ports.sleep(POLL);
    const late = await countCalls(slot === 1 ? 2 : 1, since);
    if (late > 0) since = ports.now();
    else if (ports.now() - since >= SETTLED && (await countCalls(slot, start)) > 0) return true;
  }
  return false;
}

/** A dry run makes the API server call with what it has now. */
async function probeNewToken({ deployment, ports: { kube, sleep } }: Walk): Promise<void> {
  const [webhook] = await findInstalled(kube, deployment);
  if (webhook?.settings !== undefined) await probeInjection(kube, webhook.settings, sleep);
}

/** The time within which no call may have come with the old token: longer than CloudWatch is behind. */
const SETTLED = 180_000;
