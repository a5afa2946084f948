// The proof of a registration, and what is said where it fails.
import { OutriggerError } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { probeInjection } from "./probe-injection.ts";
import type { RegistrationPorts } from "./registration.ts";

/** Why nothing could be proven; undefined where it was. */
export async function prove(
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
