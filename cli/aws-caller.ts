// Owns the name of the caller, as a history shows it later.
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { type AwsTarget, awsClientConfig } from "./aws-options.ts";
import type { Io } from "./io.ts";

/** How pipelines name the person who started them. */
const PIPELINES: readonly string[] = [
  "GITHUB_ACTOR",
  "GITLAB_USER_LOGIN",
  "BUILD_REQUESTEDFOR",
  "BITBUCKET_STEP_TRIGGERER_UUID",
];

/** The ARN of the credentials; where AWS does not tell, the name that the pipeline or the machine knows. */
export async function awsCaller(target: AwsTarget, env: Io["env"]): Promise<string> {
  const local = [...PIPELINES, "USER", "LOGNAME", "USERNAME"].map((name) => env[name]).find((name) => name);
  try {
    const client = new STSClient({
      ...awsClientConfig(target),
      maxAttempts: 1,
      requestHandler: { requestTimeout: 3000, connectionTimeout: 2000 },
    });
    const { Arn } = await client.send(new GetCallerIdentityCommand({}));
    return Arn ?? local ?? "unknown";
  } catch {
    return local ?? "unknown";
  }
}
