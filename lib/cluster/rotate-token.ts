// Owns the change of a cluster's token while it goes on calling: the new one is registered beside the old one, tested, put
// into the webhooks, seen in use, and only then is the old one retired. Run again, it goes on where it was.
import { OutriggerError } from "../errors.ts";
import type { ClusterRecord } from "../serve/cluster-record.ts";
import { findInstalled, type InstalledWebhook } from "./installed-webhooks.ts";
import { probeInjection } from "./probe-injection.ts";
import { applySettings, type RegistrationPorts, type Subject, urlOf } from "./registration.ts";
import { digestOfToken, newToken, tokenInUse } from "./tokens.ts";

export interface RotationRequest extends Subject {
  readonly withSelfTest: boolean;
  /** The longest time to wait for calls with the new token, in milliseconds; 0 leaves the old one live. */
  readonly patience: number;
  /** Calls of a slot since a time, as CloudWatch counts them. */
  readonly countCalls: (slot: 1 | 2, since: number) => Promise<number>;
}

/** What became of the old token. */
export type Rotation = "retired" | "still-live";

export async function rotateToken(request: RotationRequest, ports: RegistrationPorts): Promise<Rotation> {
  const { cluster, deployment } = request;
  const record = await ports.readRecord(cluster);
  if (record === undefined) throw notRegistered(cluster);
  const installed = await findInstalled(ports.kube, deployment);
  const old = tokenInUse(installed, record);
  if (old === undefined) {
    throw new OutriggerError(
      "cluster-invalid",
      `No webhook in ${cluster} has a token that is live: mend that first with outrigger register --cluster ${cluster}`,
    );
  }
  const begun = installed.filter(({ settings }) => settings !== undefined);
  const digest = digestOfToken(old);
  const others = record.tokens.filter(({ sha256 }) => sha256 !== digest);
  // The later of two live tokens is in the webhooks already: an earlier rotation stopped at waiting.
  const isLater = record.tokens.length === 2 && record.tokens[1]?.sha256 === digest;
  if (isLater) {
    ports.report("An earlier rotation has put the new token into the webhooks");
    await applyToken(begun, old, ports);
    return retireWhenUsed(request, ports, record, digest);
  }
  // A second token that no webhook has is known to nobody any more.
  for (const { sha256 } of others) await retire(request, ports, sha256);
  const token = newToken(ports.randomBytes);
  ports.report("Registering a second token");
  await ports.ask({ action: "add-token", cause: request.cause, cluster, sha256: digestOfToken(token) });
  await testAndApply(begun, token, old, request, ports);
  const after = (await ports.readRecord(cluster)) ?? record;
  return retireWhenUsed(request, ports, after, digestOfToken(token));
}

async function testAndApply(
  installed: readonly InstalledWebhook[],
  token: string,
  old: string,
  request: RotationRequest,
  ports: RegistrationPorts,
): Promise<void> {
  try {
    const [first] = installed;
    if (request.withSelfTest && first?.settings !== undefined) {
      ports.report("Testing the webhook with it");
      await ports.selfTest(urlOf({ ...first.settings, token }), first.settings);
    }
    ports.report("Putting it into the webhooks");
    await applyToken(installed, token, ports);
  } catch (error) {
    await applyToken(installed, old, ports);
    await retire(request, ports, digestOfToken(token));
    ports.report("The old token stays; the new one is retired");
    throw error;
  }
}

/** Each revision's settings hold its tags, so the revisions are enough. */
async function applyToken(
  installed: readonly InstalledWebhook[],
  token: string,
  { kube }: RegistrationPorts,
): Promise<void> {
  for (const { settings, tag } of installed) {
    if (settings !== undefined && tag === undefined) await applySettings(kube, { ...settings, token });
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
  await retire(request, ports, old.sha256);
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

async function retire({ cause, cluster }: RotationRequest, { ask }: RegistrationPorts, sha256: string): Promise<void> {
  await ask({ action: "retire-token", cause, cluster, sha256 });
}

function notRegistered(cluster: string): OutriggerError {
  return new OutriggerError(
    "cluster-unknown",
    `${cluster} is not registered: register it first with outrigger register --cluster ${cluster}`,
    { path: cluster },
  );
}
