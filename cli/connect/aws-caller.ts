// Whose credentials a command uses: what history says of a change later on, and in which account it was made.
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { defined } from "@outrigger/base";
import { awsClientConfig } from "../options/aws-options.ts";
import type { Io } from "../terminal/io.ts";
import type { AwsTarget } from "./aws-connection.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { awsRequestHandler } from "./aws-request-handler.ts";

/** How pipelines name the person who started them. */
const PIPELINES: readonly string[] = [
  "GITHUB_ACTOR",
  "GITLAB_USER_LOGIN",
  "BUILD_REQUESTEDFOR",
  "BITBUCKET_STEP_TRIGGERER_UUID",
];

/** The ARN of the credentials; where AWS does not say, the name that the pipeline or the machine knows. */
export async function awsCaller(target: AwsTarget, env: Io["env"]): Promise<string> {
  const local = [...PIPELINES, "USER", "LOGNAME", "USERNAME"].map((name) => env[name]).find((name) => name);
  const { Arn } = await identityOf(target, env);
  return Arn ?? local ?? "unknown";
}

/** The account of the credentials; empty where AWS does not say. */
export async function awsAccount(target: AwsTarget, env: Io["env"]): Promise<string> {
  return (await identityOf(target, env)).Account ?? "";
}

async function identityOf(
  target: AwsTarget,
  env: Io["env"],
): Promise<{ readonly Arn?: string; readonly Account?: string }> {
  const client = new STSClient({
    ...awsClientConfig(target),
    credentials: awsCredentials(target),
    maxAttempts: 1,
    requestHandler: awsRequestHandler("sts", target, env, { requestTimeout: 3000, connectionTimeout: 2000 }),
  });
  try {
    const { Arn, Account } = await client.send(new GetCallerIdentityCommand({}));
    return defined({ Arn, Account });
  } catch {
    return {};
  }
}
