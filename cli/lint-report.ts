// Owns how findings read: `templates/sidecar.hbs:12:5: error: …`, as compilers and editors have it.
import { OutriggerError } from "../lib/errors.ts";
import type { TreeFinding } from "../lib/release/tree-finding.ts";
import { sourceFile } from "./tree/source-files.ts";

/** A line each. A finding about the tree as a whole names no file. */
export function describeFindings(findings: readonly TreeFinding[]): string {
  return findings
    .map(({ severity, path, line, column, message }) => {
      const place = [path === "" ? "" : fileOf(path), line, column].filter((part) => part !== undefined && part !== "");
      return `${place.length === 0 ? "" : `${place.join(":")}: `}${severity}: ${message}\n`;
    })
    .join("");
}

/** Throws `tree-invalid` where there is an error among them. */
export function requireNoErrors(findings: readonly TreeFinding[], doing: string): void {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  if (errors === 0) return;
  const count = errors === 1 ? "1 error" : `${errors} errors`;
  throw new OutriggerError("tree-invalid", `Cannot ${doing}: the tree has ${count}; mend what is named above`);
}

/** A path of a tree, or a field of one of its entries: `config.policy`. */
function fileOf(path: string): string {
  const entry = path.includes("/") ? path : (/^[a-z]+/.exec(path)?.[0] ?? path);
  return entry === path ? sourceFile(path) : `${sourceFile(entry)} (${path})`;
}
