// The way to registries of images: through the proxy of the environment, and into private ones of Amazon ECR with the rights of
// whoever asks.
import { ecrAuthorization, ecrRegion, type RegistryPorts } from "@outrigger/cluster";
import type { Io } from "../terminal/io.ts";
import { deploymentClients } from "./connect-cluster.ts";
import type { Deployment } from "./deployment.ts";
import { proxyAgents } from "./proxy-agents.ts";

/** A Region is asked for a token once. */
export function registryPorts(deployment: Deployment, env: Io["env"]): RegistryPorts {
  const agentFor = proxyAgents(env);
  const endpoint = env["AWS_ENDPOINT_URL_ECR"] || env["AWS_ENDPOINT_URL"] || undefined;
  const tokens = new Map<string, Promise<string>>();
  return {
    agentFor,
    authorizationFor: async (image) => {
      const region = ecrRegion(image);
      if (region === undefined) return undefined;
      const { lambda } = await deploymentClients(deployment);
      const token = tokens.get(region) ?? ecrAuthorization(lambda, { region, endpoint, agentFor });
      tokens.set(region, token);
      return token;
    },
  };
}
