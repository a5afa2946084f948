// Owns what a template in YAML cannot express: functions are built and zipped before they are deployed, the digest of the
// deployed code, routes of single clusters, and conditions that are settled when the template is made.
import { join } from "node:path";
import type { JsonObject } from "../lib/json.ts";
import { addClusterRoutes } from "./cluster-routes.ts";
import { checkParameters } from "./deploy-parameters.ts";
import { leaveUnreserved } from "./leave-unreserved.ts";
import { nameDeployment } from "./name-deployment.ts";
import { decodeFramework } from "./serverless-framework.ts";
import { settleConditions } from "./settle-conditions.ts";

/** What the framework expects of a plugin. */
export interface DeployPlugin {
  readonly hooks: Readonly<Record<string, () => void | Promise<void>>>;
}

export interface DeployPorts {
  /** Builds and zips the functions into a folder; the digest is that of all code. */
  readonly buildArtifacts: (names: readonly string[], directory: string) => Promise<{ readonly digest: string }>;
}

/** The plugin for the framework's object. */
export function deployPlugin(serverless: unknown, { buildArtifacts }: DeployPorts): DeployPlugin {
  const framework = decodeFramework(serverless);
  return {
    hooks: {
      "before:package:initialize": async () => {
        const problem = checkParameters(parametersIn(framework.custom));
        if (problem !== undefined) throw framework.failure(problem);
        const { digest } = await buildArtifacts(framework.functionNames, join(framework.directory, ".serverless"));
        framework.setResourceProperties("Publication", { Code: digest });
      },
      "after:aws:package:finalize:mergeCustomProviderResources": () => {
        const parameters = parametersIn(framework.custom);
        framework.changeTemplate((template) =>
          nameDeployment(addClusterRoutes(leaveUnreserved(settleConditions(template)), parameters)),
        );
      },
    },
  };
}

function parametersIn(custom: JsonObject) {
  const text = (name: string) => String(custom[name] ?? "");
  return {
    api: text("api"),
    clusters: text("clusters"),
    clusterRate: text("clusterRate"),
    clusterBurst: text("clusterBurst"),
    domain: text("domain"),
    certificate: text("certificate"),
    vpcEndpoints: text("vpcEndpoints"),
    subnets: text("subnets"),
    securityGroups: text("securityGroups"),
  };
}
