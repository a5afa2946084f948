// Where a service of AWS is called, as the SDK decides it: by the Region's partition, the settings for FIPS and
// dual-stack endpoints, and endpoints that the environment names. Pure.

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The endpoint of a service.
 *
 * | environment                                                        | endpoint                               |
 * |--------------------------------------------------------------------|----------------------------------------|
 * | `AWS_ENDPOINT_URL_<SERVICE>`, otherwise `AWS_ENDPOINT_URL`         | that one                               |
 * | the same, with `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true`          | the Region's own                       |
 * | `AWS_USE_FIPS_ENDPOINT=true`                                       | the Region's own that complies with FIPS |
 * | `AWS_USE_DUALSTACK_ENDPOINT=true`                                  | the Region's own with IPv4 and IPv6    |
 *
 * @throws Error for an endpoint from the environment together with FIPS or dual stack, and for a missing Region
 *
 * @example
 * ```ts
 * serviceEndpoint("ssm", { AWS_REGION: "eu-west-1" }).href // => "https://ssm.eu-west-1.amazonaws.com/"
 * serviceEndpoint("ssm", { AWS_REGION: "us-east-2", AWS_USE_FIPS_ENDPOINT: "true" }).host // => "ssm-fips.us-east-2.amazonaws.com"
 * ```
 */
export function serviceEndpoint(service: string, env: Environment): URL {
  const isFips = isTrue(env["AWS_USE_FIPS_ENDPOINT"]);
  const isDualStack = isTrue(env["AWS_USE_DUALSTACK_ENDPOINT"]);
  const named = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || env["AWS_ENDPOINT_URL"];
  if (named && !isTrue(env["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"])) {
    if (!isFips && !isDualStack) return new URL(named);
    const setting = isFips ? "AWS_USE_FIPS_ENDPOINT" : "AWS_USE_DUALSTACK_ENDPOINT";
    const remedy = "unset one of them, or set AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true";
    throw misconfigured(`the endpoint ${named} is configured and ${setting} is set: ${remedy}`);
  }
  const region = env["AWS_REGION"] ?? "";
  if (region === "") throw misconfigured("AWS_REGION is not set");
  const { id, domain: usual, dualStack } = partitionOf(region);
  const domain = isDualStack ? dualStack : usual;
  // Endpoints of the government's partition comply with FIPS under their usual names.
  const isPlain = !isFips || (id === "aws-us-gov" && !isDualStack);
  return new URL(`https://${service}${isPlain ? "" : "-fips"}.${region}.${domain}`);
}

/**
 * The URL of a bucket of the Region. An endpoint from the environment is given the bucket as the first part of the path.
 *
 * @throws Error as serviceEndpoint()
 *
 * @example
 * ```ts
 * bucketEndpoint("releases", { AWS_REGION: "eu-west-1" }).href // => "https://releases.s3.eu-west-1.amazonaws.com/"
 * bucketEndpoint("releases", { AWS_ENDPOINT_URL: "http://127.0.0.1:9" }).href // => "http://127.0.0.1:9/releases/"
 * ```
 */
export function bucketEndpoint(bucket: string, env: Environment): URL {
  const { origin, hostname, pathname } = serviceEndpoint("s3", env);
  const region = env["AWS_REGION"] ?? "";
  const isNamed = !hostname.startsWith("s3.") && !hostname.startsWith("s3-fips.");
  if (isNamed || region === "") return new URL(`${origin}${pathname.replace(/\/$/, "")}/${bucket}/`);
  // Of all services, S3 alone has its dual-stack endpoints below the usual domain.
  const fips = isTrue(env["AWS_USE_FIPS_ENDPOINT"]) ? "s3-fips" : "s3";
  const stack = isTrue(env["AWS_USE_DUALSTACK_ENDPOINT"]) ? ".dualstack" : "";
  return new URL(`https://${bucket}.${fips}${stack}.${region}.${partitionOf(region).domain}/`);
}

function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === "true";
}

/** Makes an error with a status, so that it counts as refused: a second try cannot help. */
function misconfigured(message: string): Error {
  return Object.assign(new Error(message), { name: "InvalidConfiguration", status: 400 });
}

/** The partitions, each with how its Regions begin. */
const PARTITIONS = [
  { id: "aws-cn", prefix: "cn-", domain: "amazonaws.com.cn", dualStack: "api.amazonwebservices.com.cn" },
  { id: "aws-us-gov", prefix: "us-gov-", domain: "amazonaws.com", dualStack: "api.aws" },
  { id: "aws-iso-b", prefix: "us-isob-", domain: "sc2s.sgov.gov", dualStack: "api.aws.scloud" },
  { id: "aws-iso-f", prefix: "us-isof-", domain: "csp.hci.ic.gov", dualStack: "api.aws.hci.ic.gov" },
  { id: "aws-iso", prefix: "us-iso-", domain: "c2s.ic.gov", dualStack: "api.aws.ic.gov" },
  { id: "aws-iso-e", prefix: "eu-isoe-", domain: "cloud.adc-e.uk", dualStack: "api.cloud-aws.adc-e.uk" },
  { id: "aws-eusc", prefix: "eusc-", domain: "amazonaws.eu", dualStack: "api.amazonwebservices.eu" },
];

/**
 * The partition of a Region: the second part of its ARNs, the domain of its services, and that of those with IPv4 and IPv6.
 *
 * @example
 * ```ts
 * partitionOf("us-gov-west-1").id // => "aws-us-gov"
 * partitionOf("cn-north-1").domain // => "amazonaws.com.cn"
 * ```
 */
export function partitionOf(region: string): typeof AWS {
  return PARTITIONS.find(({ prefix }) => region.startsWith(prefix)) ?? AWS;
}

const AWS = { id: "aws", domain: "amazonaws.com", dualStack: "api.aws" };
