// The logical ID of the inject function's version. CloudFormation publishes a version under a new ID only, and Lambda
// publishes one only where code or configuration differ from the version before: "A version for this Lambda function
// exists" otherwise, and the deploy is rolled back. So the ID is a digest of what a version is a snapshot of. Pure.
import { createHash } from "node:crypto";
import { isObject } from "@outrigger/base";
import { renameIds } from "./rename-ids.ts";
import { resourceOf, type Template } from "./template.ts";

/**
 * Properties that Lambda keeps for a function and not for a version: each has a call of its own (PutFunctionConcurrency,
 * TagResource, PutFunctionRecursionConfig, PutFunctionCodeSigningConfig). `Code` says where the zip is, under the time of
 * the deploy: what is in it is the version's `CodeSha256`.
 */
const NOT_OF_A_VERSION: readonly string[] = [
  "Code",
  "CodeSigningConfigArn",
  "RecursiveLoop",
  "ReservedConcurrentExecutions",
  "Tags",
];

/** The template with `InjectVersion` renamed after the function's code and those of its properties that a version has. */
export function nameVersion(template: Template): Template {
  const { Properties = {} } = resourceOf(template.Resources, "InjectLambdaFunction");
  const kept = Object.entries(Properties).filter(([name]) => !NOT_OF_A_VERSION.includes(name));
  const { CodeSha256 } = resourceOf(template.Resources, "InjectVersion").Properties ?? {};
  const shown = JSON.stringify([Object.fromEntries(kept), CodeSha256], sorted);
  const name = `InjectVersion${createHash("sha256").update(shown).digest("hex").slice(0, 10)}`;
  return renameIds(template, new Map([["InjectVersion", name]]));
}

/** Lambda's maps have no order: an environment in another one is the same. */
function sorted(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
