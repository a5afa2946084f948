// CloudFormation and Lambda where a stack has one version of a function: a version is published for each new logical ID, and
// Lambda refuses one of the same code and configuration as the last. What a version holds is what AWS's own model says.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type JsonObject, jsonEqual, objectOf } from "@outrigger/base";
import type { Template } from "../../../infra/template.ts";

const sdk = new URL("../dist-types/models/models_0.d.ts", import.meta.resolve("@aws-sdk/client-lambda"));
const [, configuration = ""] =
  /export interface FunctionConfiguration \{\n(.*?)\n\}/s.exec(readFileSync(fileURLToPath(sdk), "utf8")) ?? [];
/** Members of Lambda's FunctionConfiguration, in lower case: it writes `KMSKeyArn`, CloudFormation `KmsKeyArn`. */
const MEMBERS = new Set([...configuration.matchAll(/^ {4}(\w+)\?:/gm)].map(([, name = ""]) => name.toLowerCase()));

/**
 * Returns what Lambda keeps in a version of the inject function: its code, and what its configuration has a member for.
 */
export function versionContent({ Resources }: Template): JsonObject {
  const properties = Object.entries(Resources["InjectLambdaFunction"]?.Properties ?? {});
  const kept = properties.filter(([name]) => MEMBERS.has(name.toLowerCase()));
  const [, version] = versionOf({ Resources });
  return { ...Object.fromEntries(kept), CodeSha256: version["CodeSha256"] };
}

export function versionOf({ Resources }: Template): readonly [id: string, properties: JsonObject] {
  const [entry] = Object.entries(Resources).filter(([, { Type }]) => Type === "AWS::Lambda::Version");
  if (entry === undefined) throw new Error("The template has no version");
  return [entry[0], objectOf(entry[1].Properties)];
}

/** Deploys one template after another; fails as the stack would, and where calls would reach what was deployed before. */
export function versionedStack(): (template: Template) => void {
  let live: { readonly id: string; readonly content: JsonObject } | undefined;
  return (template) => {
    const [id] = versionOf(template);
    const content = versionContent(template);
    const isSame = live !== undefined && jsonEqual(live.content, content);
    if (live?.id === id && !isSame) throw new Error(`${id} is live with the code or configuration before`);
    if (live !== undefined && live.id !== id && isSame) throw new Error("A version for this Lambda function exists");
    live = { id, content };
  };
}
