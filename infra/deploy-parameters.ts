// Owns which of `serverless.yml`'s parameters go together. Pure.

export interface DeployParameters {
  readonly api: string;
  readonly clusters: string;
  readonly domain: string;
  readonly certificate: string;
  readonly vpcEndpoints: string;
  readonly subnets: string;
  readonly securityGroups: string;
}

/** What is wrong with the parameters and how to fix it, in one sentence, or undefined. */
export function checkParameters(parameters: DeployParameters): string | undefined {
  const { api, clusters, domain, certificate, vpcEndpoints, subnets, securityGroups } = parameters;
  if (!["http", "rest", "private"].includes(api)) {
    return `Cannot deploy the API ${JSON.stringify(api)}: use --param api=http, rest or private`;
  }
  if ((domain === "") !== (certificate === "")) {
    return "A domain and its certificate go together: give --param domain=NAME and --param certificate=ARN";
  }
  if (api === "private" && domain !== "") {
    return "Cannot give a private API a domain: leave --param domain out, clusters call its VPC endpoint's own name";
  }
  if (api === "private" && [vpcEndpoints, subnets, securityGroups].includes("")) {
    return "A private API needs --param vpcEndpoints=…, and --param subnets=… and securityGroups=… for the canary that calls it";
  }
  const wrong = clusters.split(",").find((name) => name !== "" && !CLUSTER_ID.test(name));
  if (wrong !== undefined) {
    return `Cannot give ${JSON.stringify(wrong)} a throttle: --param clusters takes cluster IDs as in webhook URLs, separated by commas`;
  }
  return undefined;
}

/** What needs no escape in a path. */
const CLUSTER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
