// Owns the texts of a tree as Parameter Store takes them, and what it would not take.
import { defined } from "../../lib/defined.ts";
import { OutriggerError } from "../../lib/errors.ts";
import { MAX_VALUE } from "../../lib/parameter-store/parts.ts";
import type { SourceTree } from "../../lib/release/source-tree.ts";
import { sortFindings, type TreeFinding } from "../../lib/release/tree-finding.ts";
import { toStored } from "../../lib/source/tag-translation.ts";
import { sourceFile } from "./source-files.ts";

/**
 * An entry's text as it is stored.
 *
 * @throws OutriggerError `tree-invalid` for braces that cannot be kept, `parameter-refused` for a text that is too long
 */
export function storedText(path: string, text: string): string {
  const stored = toStored(text, sourceFile(path));
  const bytes = new TextEncoder().encode(stored).length;
  if (bytes <= MAX_VALUE.Advanced) return stored;
  const wayOut = path.includes("/") ? "split it in two" : "shorten it";
  throw new OutriggerError(
    "parameter-refused",
    `Cannot store ${sourceFile(path)}: it has ${bytes} bytes, and a parameter holds ${MAX_VALUE.Advanced}; ${wayOut}`,
    { path },
  );
}

/**
 * Findings, and what Parameter Store would refuse of the tree. Where lint has something to say about the
 * same place already, that is enough.
 */
export function withStored(found: readonly TreeFinding[], tree: SourceTree): readonly TreeFinding[] {
  const refused = Object.entries(tree).flatMap(([path, text]) => {
    const finding = refusal(path, text);
    return finding === undefined || found.some((other) => isSamePlace(other, finding)) ? [] : [finding];
  });
  return sortFindings([...found, ...refused]);
}

function refusal(path: string, text: string): TreeFinding | undefined {
  try {
    storedText(path, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const { message, line, column } = error;
    const place = defined({ line, column });
    return { severity: "error", path, message, ...place };
  }
}

function isSamePlace(a: TreeFinding, b: TreeFinding): boolean {
  return a.path === b.path && a.line === b.line && a.column === b.column;
}
