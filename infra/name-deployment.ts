// The logical ID of a REST API's deployment. A deployment is a snapshot, and CloudFormation takes a new snapshot only
// under a new ID: the ID is a digest of what the snapshot contains. Pure.
import { createHash } from "node:crypto";
import { resourceOf, type Template, withProperties } from "./template.ts";

/** The template with `ApiDeployment` renamed after the API's paths, methods and policy; a template without it unchanged. */
export function nameDeployment(template: Template): Template {
  const { ApiDeployment, ...resources } = template.Resources;
  if (ApiDeployment === undefined) return template;
  const shown = Object.entries(resources).filter(([, { Type }]) => SHOWN.has(Type));
  const digest = createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 10);
  const name = `ApiDeployment${digest}`;
  const ApiStage = withProperties(resourceOf(resources, "ApiStage"), { DeploymentId: { Ref: name } });
  return { ...template, Resources: { ...resources, [name]: ApiDeployment, ApiStage } };
}

const SHOWN: ReadonlySet<string> = new Set([
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Resource",
  "AWS::ApiGateway::Method",
]);
