// The way to registries of images: through a proxy where there is one, and into private ones of Amazon ECR with the rights of
// the caller.
import type { LambdaClient } from "@aws-sdk/client-lambda";
import { ecrAuthorization } from "../aws/ecr-token.ts";
import type { AgentFor } from "../kube/http-exchange.ts";
import { ecrRegion } from "./image-reference.ts";
import type { RegistryPorts } from "./resolve-image.ts";

export interface RegistryAccess {
  /** Whose credentials ECR is asked with: a client of AWS, made when one is needed. */
  readonly client: () => Promise<Pick<LambdaClient, "config">>;
  /** In place of ECR's own API. */
  readonly ecrEndpoint?: string | undefined;
  readonly agentFor?: AgentFor | undefined;
}

/** A Region of ECR is asked for a token once. */
export function registryPorts({ client, ecrEndpoint: endpoint, agentFor }: RegistryAccess): RegistryPorts {
  const tokens = new Map<string, Promise<string>>();
  const askFor = async (region: string) => ecrAuthorization(await client(), { region, endpoint, agentFor });
  return {
    agentFor,
    authorizationFor: async (image) => {
      const region = ecrRegion(image);
      if (region === undefined) return undefined;
      const token = tokens.get(region) ?? askFor(region);
      tokens.set(region, token);
      return token;
    },
  };
}
