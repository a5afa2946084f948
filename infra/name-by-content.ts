// Logical IDs of snapshots: of a function's version and of a REST API's deployment. CloudFormation takes a new snapshot only under a new
// ID, and Lambda publishes a version only where code or configuration differ from the one before ("A version for this Lambda function
// exists", and the deploy is rolled back). So the ID is a digest of what is in the snapshot.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@outrigger/base";
import { renameIds, resourceOf, type Template, withProperties } from "./template.ts";

/**
 * Properties that Lambda keeps for a function and not for a version: each has a call of its own (PutFunctionConcurrency,
 * TagResource, PutFunctionRecursionConfig, PutFunctionCodeSigningConfig). `Code` says where the zip is, under the time of
 * the deploy: what is in it is the version's `CodeSha256`.
 */
const NOT_OF_A_VERSION = "Code CodeSigningConfigArn RecursiveLoop ReservedConcurrentExecutions Tags".split(" ");

/** The template with `InjectVersion` renamed after the function's code and those of its properties that a version has. */
export function nameVersion(template: Template): Template {
  const { Properties = {} } = resourceOf(template.Resources, "InjectLambdaFunction");
  const kept = Object.entries(Properties).filter(([name]) => !NOT_OF_A_VERSION.includes(name));
  const { CodeSha256 } = resourceOf(template.Resources, "InjectVersion").Properties ?? {};
  const name = `InjectVersion${digestOf(JSON.stringify([Object.fromEntries(kept), CodeSha256], sorted))}`;
  return renameIds(template, new Map([["InjectVersion", name]]));
}

/** Lambda's maps have no order: an environment in another one is the same. */
function sorted(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The template with `ApiDeployment` renamed after the API's paths, methods and policy; a template without it unchanged. */
export function nameDeployment(template: Template): Template {
  const { ApiDeployment, ...resources } = template.Resources;
  if (ApiDeployment === undefined) return template;
  const shown = Object.entries(resources).filter(([, { Type }]) => SHOWN.has(Type));
  const name = `ApiDeployment${digestOf(JSON.stringify(shown))}`;
  const ApiStage = withProperties(resourceOf(resources, "ApiStage"), { DeploymentId: { Ref: name } });
  return { ...template, Resources: { ...resources, [name]: ApiDeployment, ApiStage } };
}

const SHOWN = new Set(["RestApi", "Resource", "Method"].map((kind) => `AWS::ApiGateway::${kind}`));

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/**
 * The digests of `<name>.zip` in a folder: of the inject function's, as Lambda's `CodeSha256` has it, and of all together. The same code
 * gives the same zip, wherever it is built.
 */
export function codeDigests(directory: string, names: readonly string[]) {
  const sha256 = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(directory, `${name}.zip`)))
      .digest("base64");
  const lines = names.toSorted().map((name) => `${name} ${sha256(name)}\n`);
  const all = createHash("sha256").update(lines.join("")).digest("hex").slice(0, 32);
  return { inject: sha256("inject"), all };
}
