// The end of a registration: the lease is released, and nothing is said of a cluster that another command has had since.
import { OutriggerError } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { offMarkOf } from "../objects/baseline.ts";
import { planObjects } from "../objects/own-objects.ts";
import { takenOver } from "./held-lease.ts";
import { builtObjects, type RegistrationPorts } from "./registration.ts";

/**
 * Releases the lease, and looks at the webhooks once more.
 *
 * @returns why the lease could not be released, as a warning
 * @throws OutriggerError `cluster-conflict` where another command has changed the registration or switched it off
 */
export async function haveLastWord(
  { kube }: Pick<RegistrationPorts, "kube">,
  settings: WebhookSettings,
  cluster: string,
  release: () => Promise<void>,
): Promise<readonly string[]> {
  const unreleased = await failureOf(release());
  if (unreleased?.code === "cluster-conflict") throw takenOver(cluster, undefined);
  const [configuration] = builtObjects(settings);
  const look = configuration === undefined ? [] : planObjects(kube, settings.deployment, [configuration]);
  // Where nobody may look any more, what was seen before counts.
  const planned = await Promise.resolve(look).catch(() => []);
  const isChanged = planned.some(
    ({ before, drift }) => drift.length > 0 || (before !== undefined && offMarkOf(before) !== undefined),
  );
  if (isChanged) throw takenOver(cluster, undefined);
  return unreleased === undefined
    ? []
    : [`Other commands may have to wait before they can change ${cluster}: ${unreleased.message}`];
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
