// Where a deployment's webhook answers: an output of its stack.
import { OutriggerError } from "@outrigger/base";
import { readStack, type StackClients } from "./read-stack.ts";

/**
 * The webhook's base URL, from the outputs of the deployment's stack: `https://….execute-api.eu-west-1.amazonaws.com`.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError `aws-unavailable` where there is no stack with that output, or `aws-denied`
 */
export async function findWebhookUrl(clients: StackClients, deployment: string): Promise<string> {
  const url = (await readStack(clients, deployment))?.url;
  if (url !== undefined) return url;
  const stack = `outrigger-${deployment}`;
  throw new OutriggerError(
    "aws-unavailable",
    `There is no stack "${stack}" with the webhook's URL in ${clients.region}: deploy first (outrigger deploy --stage ${deployment}), or give the URL with --url`,
    { path: stack },
  );
}
