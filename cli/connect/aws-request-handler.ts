// How the SDK's requests reach AWS: with what patience, and through which proxy. The AWS CLI follows HTTPS_PROXY and
// NO_PROXY; the SDK follows neither.
import { partitionOf, regionOf } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import type { Io } from "../terminal/io.ts";
import type { AwsTarget } from "./aws-connection.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { proxyAgents } from "./choose-proxy.ts";
import { readIfThere } from "./read-if-there.ts";

/** Name in the service's endpoint → its name in AWS_ENDPOINT_URL_<SERVICE>. */
const SERVICES = {
  ssm: "SSM",
  lambda: "LAMBDA",
  sts: "STS",
  eks: "EKS",
  monitoring: "CLOUDWATCH",
  logs: "CLOUDWATCH_LOGS",
  cloudformation: "CLOUDFORMATION",
} as const;

export type AwsService = keyof typeof SERVICES;

export interface Patience {
  /** Milliseconds. */
  readonly requestTimeout: number;
  readonly connectionTimeout: number;
}

const PATIENCE: Patience = { requestTimeout: 10_000, connectionTimeout: 5000 };

/**
 * The options of a client's `requestHandler`.
 *
 * @throws OutriggerError `usage` for a proxy that is not supported
 */
export function awsRequestHandler(
  service: AwsService,
  target: Pick<AwsTarget, "region" | "profile">,
  env: Io["env"],
  patience: Patience = PATIENCE,
) {
  const region =
    regionOf({ option: target.region, profile: target.profile, env, readText: readIfThere }) ?? "us-east-1";
  const endpoint =
    env[`AWS_ENDPOINT_URL_${SERVICES[service]}`] ||
    env["AWS_ENDPOINT_URL"] ||
    `https://${service}.${region}.${partitionOf(region).domain}`;
  const httpsAgent = proxyAgents(env)(endpoint);
  // Without throwOnRequestTimeout, the SDK only writes a warning when the time is over, and continues waiting.
  return { ...patience, throwOnRequestTimeout: true, ...defined({ httpsAgent }) } as const;
}

/** Returns the configuration of a client of the SDK. */
export function awsClientConfig(
  service: AwsService,
  target: Pick<AwsTarget, "region" | "defaultRegion" | "profile" | "fake">,
  env: Io["env"],
  { maxAttempts = 4, patience = PATIENCE }: { readonly maxAttempts?: number; readonly patience?: Patience } = {},
) {
  const { region, defaultRegion, profile, fake } = target;
  return {
    ...defined({ region: region ?? defaultRegion, profile, endpoint: fake }),
    credentials: fake === undefined ? awsCredentials(target) : { accessKeyId: "fake", secretAccessKey: "fake" },
    maxAttempts,
    requestHandler: awsRequestHandler(service, target, env, patience),
  };
}

/** @throws OutriggerError `aws-denied` where no Region is given */
export function regionOfClient({ config }: { readonly config: { region(): Promise<string> } }): Promise<string> {
  return config.region().catch((cause: unknown) => {
    const isOdd = cause instanceof Error && /^Region not accepted: region="[^"]/.test(cause.message);
    const why = isOdd ? "the Region that is set cannot be one" : "no Region is given";
    throw new OutriggerError("aws-denied", `Cannot reach AWS: ${why}; use --region, or set AWS_REGION`, { cause });
  });
}
