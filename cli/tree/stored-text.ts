// The texts of a tree as Parameter Store takes them, and what it would not take.
import { MAX_VALUE } from "@outrigger/aws";
import { type ErrorCode, OutriggerError, ownError } from "@outrigger/base";
import { errorFinding, type SourceTree, sortFindings, type TreeFinding } from "@outrigger/injector";
import { toStored } from "@outrigger/publisher";
import { sourceFile } from "./source-files.ts";

/**
 * An entry's text as it is stored.
 *
 * @throws OutriggerError `tree-invalid` or `tag-unclosed` for braces that cannot be kept, `parameter-refused` for a text that is too long
 */
export function storedText(path: string, text: string): string {
  const stored = toStored(text, sourceFile(path));
  const bytes = Buffer.byteLength(stored);
  if (bytes <= MAX_VALUE.Advanced) return stored;
  const remedy = path.includes("/") ? "split it in two" : "shorten it";
  const message = `Cannot store ${sourceFile(path)}: it has ${bytes} bytes, and a parameter holds ${MAX_VALUE.Advanced}; ${remedy}`;
  throw new OutriggerError("parameter-refused", message, { path });
}

/** The text as it would be stored, whatever its length; the text itself where its braces cannot be kept, which is reported elsewhere. */
export function storedOrOwn(path: string, text: string): string {
  try {
    return toStored(text, sourceFile(path));
  } catch {
    return text;
  }
}

/**
 * Findings, and what Parameter Store would refuse of the tree. Where lint has something to say about the
 * same place already, that is enough.
 */
export function withStored(found: readonly TreeFinding[], tree: SourceTree): readonly TreeFinding[] {
  const refused = Object.entries(tree).flatMap(([path, text]) => {
    try {
      storedText(path, text);
      return [];
    } catch (cause) {
      const error = ownError(cause);
      const finding = { ...errorFinding(error), path };
      return found.some((other) => isSame(other, finding, error.code)) ? [] : [finding];
    }
  });
  return sortFindings([...found, ...refused]);
}

/** A tag that is not closed is reported where the parser gave up, too. */
function isSame(other: TreeFinding, refused: TreeFinding, code: ErrorCode): boolean {
  if (other.path !== refused.path) return false;
  const isSamePlace = other.line === refused.line && other.column === refused.column;
  return isSamePlace || (other.severity === "error" && code === "tag-unclosed");
}
