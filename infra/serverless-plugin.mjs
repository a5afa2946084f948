// Owns what a template in YAML cannot say for itself: that functions are built and zipped before they are deployed, which
// code is deployed, the routes of single clusters, and what there is under which parameters.
import { join } from "node:path";
import { buildArtifacts } from "../scripts/package-functions.mjs";
import { addClusterRoutes } from "./cluster-routes.mjs";
import { checkParameters } from "./deploy-parameters.mjs";
import { leaveUnreserved } from "./leave-unreserved.mjs";
import { nameDeployment } from "./name-deployment.mjs";
import { settleConditions } from "./settle-conditions.mjs";

/**
 * A plugin of the Serverless framework.
 *
 * @param {any} serverless The framework's own object; it comes without types.
 */
export default function OutriggerPlugin({ service, serviceDir, classes }) {
  return {
    hooks: {
      "before:package:initialize": async () => {
        const problem = checkParameters(service.custom);
        if (problem !== undefined) throw new classes.Error(problem);
        const { digest } = await buildArtifacts(Object.keys(service.functions), join(serviceDir, ".serverless"));
        service.resources.Resources.Publication.Properties.Code = digest;
      },
      "after:aws:package:finalize:mergeCustomProviderResources": () => {
        const { provider, custom } = service;
        const template = settleConditions(provider.compiledCloudFormationTemplate);
        provider.compiledCloudFormationTemplate = nameDeployment(addClusterRoutes(leaveUnreserved(template), custom));
      },
    },
  };
}
