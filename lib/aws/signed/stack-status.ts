// The state of a stack of CloudFormation, without the SDK: the function that asks has no other use for its client.
import { textIn } from "../bucket/signed-object-store.ts";
import { exchangeOnce } from "./exchange-once.ts";
import { type Environment, serviceEndpoint } from "./service-endpoint.ts";
import { credentialsOf, signRequest } from "./sign-request.ts";

/**
 * CloudFormation's own word for the state of a stack: `UPDATE_ROLLBACK_IN_PROGRESS`. Asks once, until the signal aborts.
 *
 * @param stack name or ARN
 * @throws Error where the state could not be read
 */
export async function signedStackStatus(stack: string, env: Environment, signal?: AbortSignal): Promise<string> {
  const service = "cloudformation";
  const url = serviceEndpoint(service, env);
  const body = String(new URLSearchParams({ Action: "DescribeStacks", Version: "2010-05-15", StackName: stack }));
  const unsigned = { "content-type": "application/x-www-form-urlencoded", host: url.host };
  const signing = { service, region: env["AWS_REGION"] ?? "", credentials: credentialsOf(env), date: new Date() };
  const answer = await exchangeOnce(url, { headers: signRequest(unsigned, body, signing), body, signal });
  const state = textIn(answer.body, "StackStatus");
  if (answer.status === 200 && state !== "") return state;
  const why = textIn(answer.body, "Message") || `status ${answer.status}`;
  throw new Error(`Cannot read the state of the stack: ${why}`);
}
