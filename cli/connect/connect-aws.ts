// The connection to AWS itself. Loaded only when a command needs it: the SDK is most of the tool.
import { GetFunctionConfigurationCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { awsFailure, namedBucket, type ParameterStore, publishedPrefixes, ssmParameterStore } from "@outrigger/aws";
import { decorate, isOwnError, OutriggerError, ownError } from "@outrigger/base";
import { publisherOf } from "@outrigger/cluster";
import { parseHold, parsePublisherRequest } from "@outrigger/publisher";
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
export async function connectAws(
  target: AwsTarget,
  { env, version }: Pick<Io, "env" | "version">,
  askCode?: AskCode,
): Promise<AwsConnection> {
  const credentials = awsCredentials(target, askCode);
  const ssm = waitTwice(new SSMClient(awsClientConfig("ssm", target, env, { maxAttempts: ATTEMPTS })));
  const patience = { requestTimeout: PATIENCE, connectionTimeout: 5000 };
  const lambda = new LambdaClient(awsClientConfig("lambda", target, env, { maxAttempts: 1, patience }));
  const region = await regionOfClient(ssm);
  const endpoint = env["AWS_ENDPOINT_URL_SSM"] || env["AWS_ENDPOINT_URL"] || "";
  let heard: string | undefined;
  const hear = (theirs: string) => {
    heard = theirs;
  };
  const ask = publisherOf(lambda, target.publisher, { region, version, hear });
  /** Of all that the function is asked, a look at what a repair would do changes nothing, and may be asked by anyone who may call it. */
  const look = { action: "repair", dryRun: true, prefix: target.layout.prefix, cause: { by: "", why: "" } } as const;
  const settings = async () => {
    const command = new GetFunctionConfigurationCommand({ FunctionName: target.publisher });
    const call = { doing: `read function "${target.publisher}"`, action: "lambda:GetFunctionConfiguration", region };
    const { Environment } = await lambda.send(command).catch(awsFailure(call));
    return Environment?.Variables ?? {};
  };
  /** What a setting says; undefined where the settings may not be read. */
  const ifRead = async <Value>(read: (settings: Readonly<Record<string, string>>) => Value) => {
    try {
      return read(await settings());
    } catch (error) {
      ownError(error);
      return undefined;
    }
  };
  return {
    store: withWaysOut(deploymentStore(ssm, target, { region, credentials, env }), region, endpoint),
    // What this version does not take either is a person's mistake, and is not sent.
    askPublisher: async (request) => ask(parsePublisherRequest(request)),
    guardrails: async () => (await settings())["OUTRIGGER_GUARDRAILS"] ?? "",
    hold: () => ifRead(({ OUTRIGGER_HOLD }) => parseHold(OUTRIGGER_HOLD)),
    environment: () => ifRead(({ OUTRIGGER_ENVIRONMENT = "" }) => OUTRIGGER_ENVIRONMENT),
    functionVersion: async () => {
      if (heard === undefined) await ask(look).catch((error: unknown) => void ownError(error));
      return heard;
    },
    deployments: () => publishedPrefixes(ssm),
    // Where AWS does not say who it is, the name that the pipeline or the machine knows.
    caller: async () =>
      (await identityOf(target, env)).Arn ?? PEOPLE.map((name) => env[name]).find(Boolean) ?? "unknown",
    place: async () => [(await identityOf(target, env)).Account ?? "", region, endpoint].join("/"),
  };
}

/** Parameter Store, and the bucket that the deployment's head names. */
function deploymentStore(
  ssm: SSMClient,
  { layout }: AwsTarget,
  { region, credentials, env }: { region: string; credentials: ReturnType<typeof awsCredentials>; env: Io["env"] },
): ParameterStore {
  const bucket = namedBucket({ getParameters: (names, options) => store.getParameters(names, options) }, layout);
  const store = ssmParameterStore(ssm, bucketStore(bucket, region, credentials, { env, timeout: 10_000 }));
  return store;
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

/**
 * The store, whose errors say what a person at a terminal can do about them.
 *
 * @param endpoint what the environment gives in place of AWS's own; empty for none
 */
export function withWaysOut(store: ParameterStore, region: string, endpoint: string): ParameterStore {
  const explained = (verb: string, action: string, error: unknown) => {
    const { path = "parameters", cause } = ownError(error);
    const doing = `${verb} ${path}`;
    const wrong = endpoint === "" ? undefined : endpointFault(cause, endpoint);
    if (wrong !== undefined) return new OutriggerError("aws-unavailable", `Cannot ${doing}: ${wrong}`, { cause });
    if (isOwnError(error, "store-denied", "store-unavailable")) return awsFailure({ doing, action, region })(cause);
    return error;
  };
  const around: Parameters<typeof decorate>[1] = async (method, args, call) => {
    try {
      return await call(...args);
    } catch (error) {
      const [verb, action] = CALLS[method] ?? [];
      throw verb === undefined || action === undefined ? error : explained(verb, action, error);
    }
  };
  return decorate({ ...store, objects: decorate(store.objects, around) }, around);
}

/** The verb for each call, and the action by which IAM allows it. */
const CALLS: Readonly<Record<string, readonly [verb: string, action: string]>> = {
  getObject: ["read", "s3:GetObject"],
  listObjects: ["list", "s3:ListBucket"],
  getParameters: ["read", "ssm:GetParameters"],
  getParametersByPath: ["read", "ssm:GetParametersByPath"],
  putParameter: ["write", "ssm:PutParameter"],
  deleteParameters: ["delete", "ssm:DeleteParameters"],
};

/** Returns what an error says of the endpoint: nothing listens there, or something that is not Parameter Store. */
function endpointFault(cause: unknown, endpoint: string): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  // The SDK names an error so that the answer does not name.
  if (cause.name === "Unknown" || cause.name === "UnknownError" || cause instanceof SyntaxError) {
    return `what answers at ${endpoint} is not Parameter Store`;
  }
  const code = "code" in cause ? cause.code : cause.name;
  return UNREACHABLE.includes(String(code)) ? `nothing answers at ${endpoint}` : undefined;
}

const UNREACHABLE = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "TimeoutError", "NoAnswer"];

/** The variables by which pipelines and machines name the person. */
const PEOPLE: readonly string[] = [
  ...["GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILD_REQUESTEDFOR", "BITBUCKET_STEP_TRIGGERER_UUID"],
  ...["USER", "LOGNAME", "USERNAME"],
];

/** The principal whose credentials a command uses, and its account: empty where AWS does not say. */
async function identityOf(
  target: AwsTarget,
  env: Io["env"],
): Promise<{ readonly Arn?: string | undefined; readonly Account?: string | undefined }> {
  const patience = { requestTimeout: 3000, connectionTimeout: 2000 };
  const client = new STSClient(awsClientConfig("sts", target, env, { maxAttempts: 1, patience }));
  return client.send(new GetCallerIdentityCommand({})).catch(() => ({}));
}
