// The texts of a tree as Parameter Store takes them, and what it would not take.
import { type ErrorCode, OutriggerError, ownError } from "@outrigger/base";
import type { SourceTree } from "../source-tree.ts";
import { errorFinding, type TreeFinding } from "../tree-finding.ts";
import { toStored } from "./tag-translation.ts";

/** The bytes that a parameter of the Advanced tier holds: MAX_VALUE of `@outrigger/aws`, which knows the tiers. */
const LONGEST_STORED = 8192;

/**
 * An entry's text as it is stored.
 *
 * @throws OutriggerError `tree-invalid` or `tag-unclosed` for braces that cannot be kept, `parameter-refused` for a text that is too long
 */
export function storedText(path: string, text: string): string {
  const stored = toStored(text, path);
  const bytes = new TextEncoder().encode(stored).length;
  if (bytes <= LONGEST_STORED) return stored;
  const remedy = path.includes("/") ? "split it in two" : "shorten it";
  const message = `Cannot store ${path}: it has ${bytes} bytes, and a parameter holds ${LONGEST_STORED}; ${remedy}`;
  throw new OutriggerError("parameter-refused", message, { path });
}

/** The text as it would be stored, whatever its length; the text itself where its braces cannot be kept, which is reported elsewhere. */
export function storedOrOwn(path: string, text: string): string {
  try {
    return toStored(text, path);
  } catch {
    return text;
  }
}

/**
 * What Parameter Store would refuse of a tree. Where something is found at the same place already, that is enough.
 *
 * @param found what else was found in the tree
 */
export function storeFindings(tree: SourceTree, found: readonly TreeFinding[]): readonly TreeFinding[] {
  return Object.entries(tree).flatMap(([path, text]) => {
    try {
      storedText(path, text);
      return [];
    } catch (cause) {
      const error = ownError(cause);
      const finding = { ...errorFinding(error), path };
      return found.some((other) => isSame(other, finding, error.code)) ? [] : [finding];
    }
  });
}

/** A tag that is not closed is reported where the parser gave up, too. */
function isSame(other: TreeFinding, refused: TreeFinding, code: ErrorCode): boolean {
  if (other.path !== refused.path) return false;
  const isSamePlace = other.line === refused.line && other.column === refused.column;
  return isSamePlace || (other.severity === "error" && code === "tag-unclosed");
}
