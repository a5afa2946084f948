// The logical ID of the inject function's version. A version is a snapshot of code and configuration, and
// CloudFormation publishes another one only under another ID: the ID is a digest of what the snapshot contains. Pure.
import { createHash } from "node:crypto";
import { renameIds } from "./rename-ids.ts";
import { resourceOf, type Template } from "./template.ts";

/** The template with `InjectVersion` renamed after the function's properties and the digest of the code. */
export function nameVersion(template: Template): Template {
  const { Code, ...properties } = resourceOf(template.Resources, "InjectLambdaFunction").Properties ?? {};
  const { Code: digest } = resourceOf(template.Resources, "CheckRelease").Properties ?? {};
  const shown = JSON.stringify([properties, digest]);
  const name = `InjectVersion${createHash("sha256").update(shown).digest("hex").slice(0, 10)}`;
  return renameIds(template, new Map([["InjectVersion", name]]));
}
