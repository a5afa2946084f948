// Writing a new token to the webhooks of a cluster: tested first, known everywhere, and taken back as a whole where that fails.
import { type JsonObject, jsonEqual, OutriggerError } from "@outrigger/base";
import { recordDigest } from "@outrigger/serving";
import { parseWebhookUrl, webhookUrl } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { changeObject } from "../objects/change-object.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { pathOf } from "../objects/own-kinds.ts";
import { undoingWith } from "./fence.ts";
import { type HeldLease, takenOver } from "./held-lease.ts";
import { openJournal } from "./journal.ts";
import type { RegistrationPorts } from "./registration.ts";
import { digestOfToken, isLive, SETTLE_MILLISECONDS } from "./tokens.ts";

/**
 * Tests a token, writes it to the webhooks once every container knows it, and takes it back where that fails.
 *
 * @throws OutriggerError what failed
 */
export async function testAndApply(
  installed: readonly InstalledWebhook[],
  token: string,
  withSelfTest: boolean,
  held: HeldLease,
  ports: RegistrationPorts,
  given: RegistrationPorts,
): Promise<void> {
  const journal = openJournal(ports.kube, undoingWith(held, given));
  const sha256 = digestOfToken(token);
  try {
    const first = installed.find(({ settings }) => settings !== undefined);
    if (withSelfTest && first?.settings !== undefined) {
      ports.report("Testing the webhook with it");
      await ports.selfTest(webhookUrl({ ...first.settings, token }), first.settings, ports.sleep);
    }
    ports.report(`Waiting ${SETTLE_MILLISECONDS / 1000} s: by then every container knows it, or looks it up`);
    await ports.sleep(SETTLE_MILLISECONDS);
    ports.report("Writing it to the webhooks");
    await applyToken(installed, token, journal.kube, held);
  } catch (error) {
    if ((await held.whyLost(given)) !== undefined && (await isLive(sha256, held.change.cluster, given))) {
      given.report("The webhooks are left as they are: the new token is live");
      throw error;
    }
    const problems = await journal.undo();
    for (const problem of problems) given.report(`Not restored: ${problem}`);
    // While a webhook may have the new token, it has to stay live.
    if (problems.length > 0) given.report("Both tokens stay live: run outrigger token rotate again");
    else {
      const isRetired = await retireUnused(sha256, held, given);
      given.report(isRetired ? "The old token stays; the new one is retired" : UNRETIRED);
    }
    throw error;
  }
}

const UNRETIRED = "The old token stays; the new one could not be retired: the next rotation retires it";

async function retireUnused(sha256: string, { change }: HeldLease, ports: RegistrationPorts): Promise<boolean> {
  try {
    const expect = recordDigest(await ports.readRecord(change.cluster));
    await ports.ask({ action: "retire-token", ...change, sha256, expect });
    return true;
  } catch (error) {
    if (error instanceof OutriggerError) return false;
    throw error;
  }
}

/**
 * Writes a token to every webhook, and changes nothing else: a cluster that is switched off stays off.
 *
 * @throws OutriggerError `cluster-conflict` where another command has changed the cluster, or removed a webhook
 */
export async function applyToken(
  installed: readonly InstalledWebhook[],
  token: string,
  kube: KubeClient,
  held: HeldLease,
): Promise<void> {
  for (const { name } of installed) {
    await changeObject(kube, pathOf("MutatingWebhookConfiguration", name), (object) => {
      const webhooks = (object["webhooks"] as readonly JsonObject[]).map((webhook) => withToken(webhook, token));
      return jsonEqual(webhooks, object["webhooks"]) ? undefined : { webhooks };
    });
  }
  const written = await findInstalled(kube, installed[0]?.deployment);
  const isWritten = ({ name }: InstalledWebhook) => written.some((one) => one.name === name && one.token === token);
  if (!installed.filter((one) => one.token !== undefined).every(isWritten)) throw takenOver(held.change.cluster);
  // Another rotation that has begun in between has retired this token.
  await held.renew();
}

function withToken(webhook: JsonObject, token: string): JsonObject {
  const clientConfig = webhook["clientConfig"] as JsonObject;
  const parts = parseWebhookUrl(String(clientConfig["url"]));
  return parts === undefined
    ? webhook
    : { ...webhook, clientConfig: { ...clientConfig, url: webhookUrl({ ...parts, token }) } };
}
