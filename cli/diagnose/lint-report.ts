// Writes findings for people: `templates/sidecar.hbs:12:5: error: …`, as compilers and editors do.
import { OutriggerError } from "@outrigger/base";
import type { TreeFinding } from "@outrigger/injector";
import { sourceFile } from "../tree/source-files.ts";

/** One line each. A finding about the tree as a whole names no file. */
export function describeFindings(findings: readonly TreeFinding[]): string {
  return findings.map((finding) => `${placeOf(finding)}${finding.severity}: ${finding.message}\n`).join("");
}

/** @throws OutriggerError `tree-invalid` if there is an error among them */
export function requireNoErrors(findings: readonly TreeFinding[], doing: string): void {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  if (errors === 0) return;
  const count = errors === 1 ? "1 error" : `${errors} errors`;
  throw new OutriggerError(
    "tree-invalid",
    `Cannot ${doing}: the tree has ${count}; fix the ${errors === 1 ? "error" : "errors"} above`,
  );
}

/** The file of a finding's path, which may name a field of an entry: `config.policy`. */
export function findingFile(path: string): string {
  return sourceFile(entryOf(path));
}

function entryOf(path: string): string {
  return path.includes("/") ? path : (/^[a-z]+/.exec(path)?.[0] ?? path);
}

/** `templates/sidecar.hbs:12:5: `. A finding with a position needs no field path. */
function placeOf({ path, line, column }: TreeFinding): string {
  if (path === "") return "";
  const field = entryOf(path) === path || line !== undefined ? "" : ` (${path})`;
  return `${[`${findingFile(path)}${field}`, line, column].filter((part) => part !== undefined).join(":")}: `;
}
