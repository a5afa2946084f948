// The connection to AWS itself. Loaded only when a command needs it: the SDK is most of the tool.

import { GetFunctionConfigurationCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { awsFailure, type ParameterStore, publishedPrefixes, ssmParameterStore } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { publisherOf } from "@outrigger/cluster";
import type { Io } from "../terminal/io.ts";
import type { AwsConnection, AwsTarget } from "./aws-connection.ts";
import { type AskCode, awsCredentials } from "./aws-credentials.ts";
import { awsClientConfig, regionOfClient } from "./aws-request-handler.ts";
import { bucketStore } from "./bucket-store.ts";

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
  const ssm = waitTwice(new SSMClient(awsClientConfig("ssm", target, env, { maxAttempts: ATTEMPTS })));
  const patience = { requestTimeout: PATIENCE, connectionTimeout: 5000 };
  const lambda = new LambdaClient(awsClientConfig("lambda", target, env, { maxAttempts: 1, patience }));
  const region = await regionOfClient(ssm);
  const endpoint = env["AWS_ENDPOINT_URL_SSM"] || env["AWS_ENDPOINT_URL"] || "";
  return {
    store: withWaysOut(
      ssmParameterStore(ssm, bucketStore(region, credentials, { env, timeout: 10_000 })),
      region,
      endpoint,
    ),
    askPublisher: publisherOf(lambda, target.publisher, region),
    guardrails: () => deployedGuardrails(lambda, target.publisher, region),
    deployments: () => publishedPrefixes(ssm),
    caller: () => awsCaller(target, env),
    place: async () => [await awsAccount(target, env), region, endpoint].join("/"),
  };
}

/**
 * Ends a call after two requests without an answer. The SDK repeats them as often as throttled ones: eight times ten seconds,
 * for a service that does not answer at all.
 */
export function waitTwice(client: SSMClient): SSMClient {
  client.middlewareStack.add(
    (next) => {
      let silences = 0;
      return async (sent) => {
        try {
          return await next(sent);
        } catch (error) {
          if (!(error instanceof Error) || error.name !== "TimeoutError" || ++silences < 2) throw error;
          // Without the cause, by which the SDK would know it.
          throw Object.assign(new Error(error.message), { name: "NoAnswer" });
        }
      };
    },
    { step: "deserialize", priority: "low", name: "waitTwice" },
  );
  return client;
}

async function deployedGuardrails(client: LambdaClient, publisher: string, region: string): Promise<string> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: publisher });
  const call = { doing: `read function "${publisher}"`, action: "lambda:GetFunctionConfiguration", region };
  const { Environment } = await client.send(command).catch(awsFailure(call));
  return Environment?.Variables?.["OUTRIGGER_GUARDRAILS"] ?? "";
}

/**
 * The store, whose errors say what a person at a terminal can do about them.
 *
 * @param endpoint what the environment gives in place of AWS's own; empty for none
 */
export function withWaysOut(store: ParameterStore, region: string, endpoint: string): ParameterStore {
  const explained = (verb: string, action: string) => (error: unknown) => {
    if (!(error instanceof OutriggerError)) throw error;
    const doing = `${verb} ${error.path ?? "parameters"}`;
    const wrong = endpoint === "" ? undefined : endpointFault(error.cause, endpoint);
    if (wrong !== undefined) {
      throw new OutriggerError("aws-unavailable", `Cannot ${doing}: ${wrong}`, { cause: error.cause });
    }
    const isAws = /^store-(denied|unavailable)$/.test(error.code);
    if (isAws) awsFailure({ doing, action, region })(error.cause);
    throw error;
  };
  const { objects } = store;
  return {
    ...(objects === undefined
      ? {}
      : {
          objects: {
            ...objects,
            getObject: (...call) => objects.getObject(...call).catch(explained("read", "s3:GetObject")),
          },
        }),
    getParameters: (...call) => store.getParameters(...call).catch(explained("read", "ssm:GetParameters")),
    getParametersByPath: (...call) =>
      store.getParametersByPath(...call).catch(explained("read", "ssm:GetParametersByPath")),
    putParameter: (...call) => store.putParameter(...call).catch(explained("write", "ssm:PutParameter")),
    deleteParameters: (...call) => store.deleteParameters(...call).catch(explained("delete", "ssm:DeleteParameters")),
  };
}

/** What an error says of the endpoint: nothing listens there, or something that is not Parameter Store. */
function endpointFault(cause: unknown, endpoint: string): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  // The SDK names an error so that the answer does not name.
  if (cause.name === "Unknown" || cause.name === "UnknownError" || cause instanceof SyntaxError) {
    return `what answers at ${endpoint} is not Parameter Store`;
  }
  const code = "code" in cause ? cause.code : cause.name;
  return UNREACHABLE.includes(String(code)) ? `nothing answers at ${endpoint}` : undefined;
}

const UNREACHABLE: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "TimeoutError",
  "NoAnswer",
];

// Whose credentials a command uses: what history says of a change later on, and in which account it was made.
/** How pipelines name the person who started them. */
const PIPELINES: readonly string[] = [
  "GITHUB_ACTOR",
  "GITLAB_USER_LOGIN",
  "BUILD_REQUESTEDFOR",
  "BITBUCKET_STEP_TRIGGERER_UUID",
];

/** The ARN of the credentials; where AWS does not say, the name that the pipeline or the machine knows. */
async function awsCaller(target: AwsTarget, env: Io["env"]): Promise<string> {
  const local = [...PIPELINES, "USER", "LOGNAME", "USERNAME"].map((name) => env[name]).find((name) => name);
  const { Arn } = await identityOf(target, env);
  return Arn ?? local ?? "unknown";
}

/** The account of the credentials; empty where AWS does not say. */
async function awsAccount(target: AwsTarget, env: Io["env"]): Promise<string> {
  return (await identityOf(target, env)).Account ?? "";
}

async function identityOf(
  target: AwsTarget,
  env: Io["env"],
): Promise<{ readonly Arn?: string; readonly Account?: string }> {
  const patience = { requestTimeout: 3000, connectionTimeout: 2000 };
  const client = new STSClient(awsClientConfig("sts", target, env, { maxAttempts: 1, patience }));
  try {
    const { Arn, Account } = await client.send(new GetCallerIdentityCommand({}));
    return defined({ Arn, Account });
  } catch {
    return {};
  }
}
