// Owns the connection to AWS itself. Loaded only when a command needs it: the SDK is most of the tool.
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SSMClient } from "@aws-sdk/client-ssm";
import { awsError } from "../lib/aws/aws-errors.ts";
import { publisherOf } from "../lib/cluster/ask-publisher.ts";
import { OutriggerError } from "../lib/errors.ts";
import type { ParameterStore } from "../lib/parameter-store/parameter-store.ts";
import { ssmParameterStore } from "../lib/parameter-store/ssm-parameter-store.ts";
import { awsAccount, awsCaller } from "./aws-caller.ts";
import type { AwsConnection } from "./aws-connection.ts";
import { type AskCode, awsCredentials } from "./aws-credentials.ts";
import { type AwsTarget, awsClientConfig } from "./aws-options.ts";
import { awsRequestHandler } from "./aws-request-handler.ts";
import type { Io } from "./io.ts";

/** Parameter Store throttles writers early. The publish function is asked once: its requests are not for a client to repeat. */
const ATTEMPTS = 8;

/** Longer than the publish function may take. */
const PATIENCE = 150_000;

/**
 * Connects with the credentials that the SDK finds.
 *
 * @throws OutriggerError `aws-denied` where no Region is given
 */
export async function connectAws(target: AwsTarget, env: Io["env"], askCode?: AskCode): Promise<AwsConnection> {
  const credentials = awsCredentials(target, askCode);
  const config = { ...awsClientConfig(target), credentials, maxAttempts: ATTEMPTS };
  const ssm = new SSMClient({ ...config, requestHandler: awsRequestHandler("ssm", target, env) });
  const lambda = new LambdaClient({
    ...config,
    maxAttempts: 1,
    requestHandler: awsRequestHandler("lambda", target, env, { requestTimeout: PATIENCE, connectionTimeout: 5000 }),
  });
  const region = await ssm.config.region().catch((cause: unknown) => {
    const isOdd = cause instanceof Error && /^Region not accepted: region="[^"]/.test(cause.message);
    const why = isOdd ? "the Region that is set cannot be one" : "no Region is given";
    throw new OutriggerError("aws-denied", `Cannot reach AWS: ${why}; use --region, or set AWS_REGION`, { cause });
  });
  return {
    store: withWaysOut(ssmParameterStore(ssm), region),
    askPublisher: publisherOf(lambda, target.publisher, region),
    caller: () => awsCaller(target, env),
    place: async () => {
      const endpoint = env["AWS_ENDPOINT_URL_SSM"] || env["AWS_ENDPOINT_URL"] || "";
      return [await awsAccount(target, env), region, endpoint].join("/");
    },
  };
}

/** The store, whose errors say what a person at a terminal can do about them. */
function withWaysOut(store: ParameterStore, region: string): ParameterStore {
  const explained = (verb: string, action: string) => (error: unknown) => {
    const isAws = error instanceof OutriggerError && /^store-(denied|unavailable)$/.test(error.code);
    throw isAws ? awsError(error.cause, { doing: `${verb} ${error.path ?? "parameters"}`, action, region }) : error;
  };
  return {
    getParameters: (...call) => store.getParameters(...call).catch(explained("read", "ssm:GetParameters")),
    getParametersByPath: (...call) =>
      store.getParametersByPath(...call).catch(explained("read", "ssm:GetParametersByPath")),
    putParameter: (...call) => store.putParameter(...call).catch(explained("write", "ssm:PutParameter")),
    deleteParameters: (...call) => store.deleteParameters(...call).catch(explained("delete", "ssm:DeleteParameters")),
  };
}
