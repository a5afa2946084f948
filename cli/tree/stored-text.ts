// The texts of a tree as Parameter Store takes them, and what it would not take.
import { capacityOf, compressedLength, MAX_VALUE } from "@outrigger/aws";
import { defined, type ErrorCode, OutriggerError, ownError } from "@outrigger/base";
import { errorFinding, type Release, type SourceTree, sortFindings, type TreeFinding } from "@outrigger/injector";
import { largestTexts, toStored } from "@outrigger/publisher";
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

// How much of what parameters hold a tree takes: its release, and its texts one by one. What clusters and other channels take on top
// is known to the deployment: `outrigger channel` prints it.
type TreeSize = ReturnType<typeof treeSize>;

/**
 * The characters that the release takes, compressed, and those that are left of what nine parameters of each tier hold, negative where it
 * does not fit; the texts, and the one that takes the most of its parameter, in bytes.
 */
export function treeSize(release: Release, tree: SourceTree) {
  const used = compressedLength(release);
  const texts = Object.entries(tree).map(([path, text]) => ({
    path,
    bytes: Buffer.byteLength(storedOrOwn(path, text)),
  }));
  const [largest] = texts.sort((a, b) => b.bytes - a.bytes);
  return {
    release: used,
    free: { Standard: capacityOf("Standard") - used, Advanced: capacityOf("Advanced") - used },
    source: { parameters: texts.length, ...defined({ largest }) },
  };
}

/** The size in two lines; past a limit also what can be done about it. */
export function describeSize({ release, free, source }: TreeSize, tree: SourceTree): string {
  const { parameters, largest } = source;
  const texts = `${parameters} ${parameters === 1 ? "parameter" : "parameters"}`;
  const most =
    largest === undefined
      ? ""
      : `; the largest, ${sourceFile(largest.path)}, takes ${largest.bytes} of ${MAX_VALUE.Standard} bytes (${MAX_VALUE.Advanced} with --advanced)`;
  return `Release: ${release} characters, ${describeFree(release)}\nSource: ${texts}${most}\n${wayOut(free, tree)}`;
}

/** What the tiers have left over what is used. */
export function describeFree(used: number): string {
  const tiers = (["Standard", "Advanced"] as const).map((tier) => {
    const left = capacityOf(tier) - used;
    return left < 0 ? `too much for the ${tier} tier` : `${left} free on the ${tier} tier`;
  });
  return tiers.join(", ");
}

function wayOut({ Standard, Advanced }: TreeSize["free"], tree: SourceTree): string {
  if (Standard >= 0) return "";
  const largest = largestTexts(tree);
  const settings = Advanced >= 0 ? "tier: Advanced or releaseBucket" : "releaseBucket";
  return `Warning: it needs ${settings} in outrigger.<stage>.yml, or smaller texts${largest === "" ? "" : `: the largest, compressed, are ${largest}`}\n`;
}
