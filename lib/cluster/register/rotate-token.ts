// Replacing a cluster's token while it goes on calling: the new one is registered next to the old one, tested, written to
// the webhooks, seen in use, and only then is the old one retired. Run again, it continues where it stopped.
import { type JsonObject, jsonEqual, OutriggerError } from "@outrigger/base";
import type { LeaseRequest } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import { parseWebhookUrl, webhookUrl } from "@outrigger/webhook";
import { retryingConflicts } from "../kube/retrying-conflicts.ts";
import { findInstalled, type InstalledWebhook, pathOf } from "../objects/installed-webhooks.ts";
import { assertOwnManaged } from "../objects/object-owner.ts";
import { openJournal } from "./journal.ts";
import { probeInjection } from "./probe-injection.ts";
import { contentOf, expectationOf, newLease, type RegistrationPorts, released, type Subject } from "./registration.ts";
import { stoppable } from "./stoppable.ts";
import { digestOfToken, newToken, tokenInUse } from "./tokens.ts";

export interface RotationRequest extends Subject {
  readonly withSelfTest: boolean;
  /** The longest time to wait for calls with the new token, in milliseconds; 0 leaves the old one live. */
  readonly patience: number;
  /** Calls of a slot since a time, as CloudWatch counts them. */
  readonly countCalls: (slot: 1 | 2, since: number) => Promise<number>;
}

/** A container looks a token up that it does not know once its snapshot is older than the TTL: 10 s, and 2 s of jitter. */
export const SETTLE_MILLISECONDS = 15_000;

const CONFIGURATION = "MutatingWebhookConfiguration";

/** What became of the old token. */
export type Rotation = "retired" | "still-live";

/**
 * Replaces a cluster's token without losing a call: registers a second one, tests it, writes it to the webhooks, waits until
 * calls arrive with it and none with the old one, and retires the old one. Run again, it continues where it stopped.
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
  const lease = newLease(ports);
  const steps = async (): Promise<string> => {
    const { cause } = request;
    const change = { cause, cluster, lease };
    await ports.ask({ action: "put-cluster", ...change, record: contentOf(record), expect: expectationOf(record) });
    // Read under the lease: another rotation may just have written its token.
    const installed = await findInstalled(ports.kube, deployment);
    for (const { object } of installed) assertOwnManaged(ports.kube.name, { ...object, kind: CONFIGURATION });
    const old = tokenInUse(installed, record);
    if (old === undefined) throw noLiveToken(cluster);
    const digest = digestOfToken(old);
    // The later of two live tokens is in the webhooks already: an earlier rotation stopped at waiting.
    if (record.tokens.length === 2 && record.tokens[1]?.sha256 === digest) {
      ports.report("An earlier rotation has written the new token to the webhooks");
      await applyToken(installed, old, ports);
      return digest;
    }
    // A second token that no webhook has is lost.
    const others = record.tokens.filter(({ sha256 }) => sha256 !== digest);
    for (const { sha256 } of others) await ports.ask({ action: "retire-token", ...change, sha256 });
    const token = newToken(ports.randomBytes);
    ports.report("Registering a second token");
    await ports.ask({ action: "add-token", ...change, sha256: digestOfToken(token) });
    await testAndApply(installed, token, request, lease, ports, given);
    return digestOfToken(token);
  };
  const used = await steps().catch(async (error: unknown) => {
    await release(request, given, lease);
    throw error;
  });
  // Waiting changes nothing, so others need not wait for it.
  await release(request, ports, lease);
  const after = (await ports.readRecord(cluster)) ?? record;
  return retireWhenUsed(request, ports, after, used);
}

async function testAndApply(
  installed: readonly InstalledWebhook[],
  token: string,
  request: RotationRequest,
  lease: LeaseRequest,
  ports: RegistrationPorts,
  given: RegistrationPorts,
): Promise<void> {
  const journal = openJournal(ports.kube, given.kube);
  try {
    const first = installed.find(({ settings }) => settings !== undefined);
    if (request.withSelfTest && first?.settings !== undefined) {
      ports.report("Testing the webhook with it");
      await ports.selfTest(webhookUrl({ ...first.settings, token }), first.settings, ports.sleep);
    }
    ports.report(`Waiting ${SETTLE_MILLISECONDS / 1000} s: by then every container knows it, or looks it up`);
    await ports.sleep(SETTLE_MILLISECONDS);
    ports.report("Writing it to the webhooks");
    await applyToken(installed, token, { kube: journal.kube });
  } catch (error) {
    const problems = await journal.undo();
    for (const problem of problems) given.report(`Not restored: ${problem}`);
    // While a webhook may have the new token, it has to stay live.
    if (problems.length > 0) given.report("Both tokens stay live: run outrigger token rotate again");
    else {
      const { cause, cluster } = request;
      const sha256 = digestOfToken(token);
      const retired = await given.ask({ action: "retire-token", cause, cluster, sha256, lease }).catch(() => undefined);
      given.report(retired === undefined ? UNRETIRED : "The old token stays; the new one is retired");
    }
    throw error;
  }
}

const UNRETIRED = "The old token stays; the new one could not be retired: the next rotation retires it";

/** Writes a token to every webhook, and changes nothing else: a cluster that is switched off stays off. */
async function applyToken(
  installed: readonly InstalledWebhook[],
  token: string,
  { kube }: Pick<RegistrationPorts, "kube">,
): Promise<void> {
  for (const { name } of installed) {
    const path = pathOf("MutatingWebhookConfiguration", name);
    await retryingConflicts(async () => {
      const object = await kube.get(path);
      if (object === undefined) return;
      const webhooks = (object["webhooks"] as readonly JsonObject[]).map((webhook) => withToken(webhook, token));
      if (jsonEqual(webhooks, object["webhooks"])) return;
      const { resourceVersion } = object["metadata"] as JsonObject;
      await kube.mergePatch(path, { metadata: { resourceVersion: resourceVersion ?? "" }, webhooks });
    });
  }
}

function withToken(webhook: JsonObject, token: string): JsonObject {
  const clientConfig = webhook["clientConfig"] as JsonObject;
  const parts = parseWebhookUrl(String(clientConfig["url"]));
  return parts === undefined
    ? webhook
    : { ...webhook, clientConfig: { ...clientConfig, url: webhookUrl({ ...parts, token }) } };
}

/** A lease that cannot be released ends by itself. */
async function release(
  { cause, cluster }: RotationRequest,
  { ask, readRecord }: RegistrationPorts,
  lease: LeaseRequest,
): Promise<void> {
  try {
    const record = await readRecord(cluster);
    if (record?.lease?.id !== lease.id) return;
    await ask({ action: "put-cluster", cause, cluster, record: contentOf(record), lease: released(lease) });
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
  }
}

/** CloudWatch has a call a minute or two after it was made. */
const POLL = 30_000;

async function retireWhenUsed(
  request: RotationRequest,
  ports: RegistrationPorts,
  record: ClusterRecord,
  used: string,
): Promise<Rotation> {
  const old = record.tokens.find(({ sha256 }) => sha256 !== used);
  if (old === undefined) return "retired";
  if (!(await isUsed(request, ports, record, used))) return "still-live";
  // Another command, or a person, may have written the old token to a webhook in the meantime.
  const installed = await findInstalled(ports.kube, request.deployment);
  if (installed.some(({ token }) => token !== undefined && digestOfToken(token) === old.sha256)) return "still-live";
  const { cause, cluster } = request;
  await ports.ask({ action: "retire-token", cause, cluster, sha256: old.sha256, expect: expectationOf(record) });
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
  // A quiet cluster would be waited for in vain: a dry run makes its API server call.
  const [webhook] = await findInstalled(ports.kube, request.deployment);
  if (webhook?.settings !== undefined) await probeInjection(ports.kube, webhook.settings, ports.sleep);
  ports.report("Waiting until calls come with the new token");
  for (let since = start; ports.now() - start < request.patience; ) {
    await ports.sleep(POLL);
    const late = await request.countCalls(slot === 1 ? 2 : 1, since);
    if (late > 0) since = ports.now();
    else if (ports.now() - since >= SETTLED && (await request.countCalls(slot, start)) > 0) return true;
  }
  return false;
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
