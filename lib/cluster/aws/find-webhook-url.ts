// Where a deployment's webhook answers: an output of its stack.
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { OutriggerError } from "@outrigger/base";
import { readStack } from "./read-stack.ts";

/**
 * The webhook's base URL, from the outputs of the deployment's stack: `https://….execute-api.eu-west-1.amazonaws.com`.
 *
 * @param stack `outrigger-prod`
 * @throws OutriggerError `aws-unavailable` where there is no stack with that output, or `aws-denied`
 */
export async function findWebhookUrl(client: CloudFormationClient, stack: string, region: string): Promise<string> {
  const url = (await readStack(client, stack, region))?.url;
  if (url !== undefined) return url;
  throw new OutriggerError(
    "aws-unavailable",
    `There is no stack "${stack}" with the webhook's URL in ${region}: deploy first (outrigger deploy --stage ${stack.replace(/^outrigger-/, "")}), or give the URL with --url`,
    { path: stack },
  );
}
