// Settings that an account may demand of every stack: a permissions boundary, a key of its own, tracing. They hold for
// all resources of a type, so they are applied to the finished template. Pure.

import { objectOf, objectsOf } from "@outrigger/base";
import type { SettingValues } from "./settings/schema.ts";
import { type Change, type Resource, type Template, withEach, withProperties } from "./template.ts";

export function withAccountSettings(
  template: Template,
  { permissionsBoundary, kmsKey, tracing }: Pick<SettingValues, "permissionsBoundary" | "kmsKey" | "tracing">,
): Template {
  const changes: readonly Change[] = [
    ...(permissionsBoundary === "" ? [] : [bounded(permissionsBoundary)]),
    ...(kmsKey === "" ? [] : [encrypted(kmsKey)]),
    ...(tracing === "on" ? [traced] : []),
  ];
  return changes.reduce(withEach, template);
}

const FUNCTION_ROLE = /^(Inject|Publish|Register|Canary)Role$/;

function bounded(PermissionsBoundary: string): Change {
  return (resource) =>
    resource.Type === "AWS::IAM::Role" ? withProperties(resource, { PermissionsBoundary }) : resource;
}

/**
 * Log groups, dead letters, the alarms' topic and the canary's token. Nothing secret is in the functions' environment and
 * artifacts, which keep AWS's own keys: a key there would be asked at every cold start.
 */
function encrypted(key: string): Change {
  return (resource, id) => {
    if (resource.Type === "AWS::Logs::LogGroup") return withProperties(resource, { KmsKeyId: key });
    if (resource.Type === "AWS::SNS::Topic") return withProperties(resource, { KmsMasterKeyId: key });
    if (resource.Type === "AWS::SQS::Queue") {
      const { SqsManagedSseEnabled: _own, ...Properties } = resource.Properties ?? {};
      return { ...resource, Properties: { ...Properties, KmsMasterKeyId: key } };
    }
    if (id === "PublishLambdaFunction") {
      const variables = objectOf(objectOf(resource.Properties?.["Environment"])["Variables"]);
      return withProperties(resource, { Environment: { Variables: { ...variables, OUTRIGGER_KMS_KEY: key } } });
    }
    if (id === "PublishRole") {
      // For the dead letters, and for writing the canary's token.
      return withStatement(resource, ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"], key);
    }
    return resource;
  };
}

/**
 * X-Ray for the functions. A stage is never traced (infra/api/rest-stage.yml): its segment has the URL of the call, which
 * has the token.
 */
function traced(resource: Resource, id: string): Resource {
  if (resource.Type === "AWS::Lambda::Function") return withProperties(resource, { TracingConfig: { Mode: "Active" } });
  // X-Ray has no resources for these.
  if (FUNCTION_ROLE.test(id))
    return withStatement(resource, ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*");
  return resource;
}

/** A role with one more statement in its first policy. */
function withStatement(role: Resource, actions: readonly string[], Resource: string): Resource {
  const [first, ...others] = objectsOf(role.Properties?.["Policies"]);
  if (first === undefined) throw new TypeError("Cannot add a permission: the role has no policy in infra/roles.yml");
  const document = objectOf(first["PolicyDocument"]);
  const Statement = [...objectsOf(document["Statement"]), { Effect: "Allow", Action: [...actions], Resource }];
  return withProperties(role, { Policies: [{ ...first, PolicyDocument: { ...document, Statement } }, ...others] });
}
