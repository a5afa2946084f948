// Owns the logical id of a REST API's deployment: CloudFormation makes a new snapshot only under a new id, so the id says
// what is in the snapshot. Pure.
import { createHash } from "node:crypto";

/** The template with `ApiDeployment` renamed after the API's paths, methods and policy; one without it as it is. */
export function nameDeployment(template) {
  const { ApiDeployment, ...resources } = template.Resources;
  if (ApiDeployment === undefined) return template;
  const shown = Object.entries(resources).filter(([, { Type }]) => SHOWN.has(Type));
  const digest = createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 10);
  const name = `ApiDeployment${digest}`;
  const stage = resources.ApiStage;
  const ApiStage = { ...stage, Properties: { ...stage.Properties, DeploymentId: { Ref: name } } };
  return { ...template, Resources: { ...resources, [name]: ApiDeployment, ApiStage } };
}

const SHOWN = new Set(["AWS::ApiGateway::RestApi", "AWS::ApiGateway::Resource", "AWS::ApiGateway::Method"]);
