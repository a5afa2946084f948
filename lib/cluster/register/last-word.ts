// The end of a registration: the lease is released, and nothing is said of a cluster that another command has had since.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { offMarkOf } from "../objects/baseline.ts";
import { pathOf } from "../objects/own-kinds.ts";
import { findObjects, planObjects } from "../objects/own-objects.ts";
import { takenOver } from "./held-lease.ts";
import { builtObjects, type RegistrationPorts } from "./registration.ts";

/**
 * Releases the lease, and looks at everything once more.
 *
 * @returns why the lease could not be released, as a warning
 * @throws OutriggerError `cluster-conflict` where another command has changed the registration or switched it off
 */
export async function haveLastWord(
  { kube }: Pick<RegistrationPorts, "kube">,
  settings: WebhookSettings,
  cluster: string,
  release: () => Promise<void>,
  isOwn: (object: JsonObject) => boolean,
): Promise<readonly string[]> {
  const unreleased = await failureOf(release());
  if (unreleased?.code === "cluster-conflict") throw takenOver(cluster);
  // Where nobody may look any more, what was seen before counts.
  const isChanged = !(await isAsWritten(kube, settings, isOwn).catch(() => true));
  if (isChanged) throw takenOver(cluster);
  return unreleased === undefined
    ? []
    : [`Other commands may have to wait before they can change ${cluster}: ${unreleased.message}`];
}

/**
 * Whether everything is as this command has written it. Other commands change, or sign, the first object of the list before any
 * other: as long as that one is as it was, so is what was looked at before it.
 */
async function isAsWritten(
  kube: KubeClient,
  settings: WebhookSettings,
  isOwn: (object: JsonObject) => boolean,
): Promise<boolean> {
  const first = (await findObjects(kube, settings.deployment)).find(({ object }) => isOwn(object));
  if (first === undefined) return false;
  const isOff = (object: JsonObject | undefined) => object !== undefined && offMarkOf(object) !== undefined;
  const planned = await planObjects(kube, settings.deployment, builtObjects(settings));
  if (planned.some(({ before, drift }) => drift.length > 0 || isOff(before))) return false;
  const last = await kube.get(pathOf(first.kind, first.name));
  return last !== undefined && isOwn(last) && !isOff(last);
}

function failureOf(step: Promise<void>): Promise<OutriggerError | undefined> {
  return step.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof OutriggerError) return error;
      throw error;
    },
  );
}
