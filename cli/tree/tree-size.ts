// How much a tree takes of what an object and parameters hold: its release, and its texts one by one. What clusters and other channels take
// on top is known to the deployment: `outrigger channel` prints it.
import { compressedLength, MAX_OBJECT, MAX_VALUE } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import { type Release, type SourceTree, storedOrOwn } from "@outrigger/injector";
import { largestTexts } from "@outrigger/publisher";
import { sourceFile } from "./source-files.ts";

type TreeSize = ReturnType<typeof treeSize>;

/**
 * The characters that the release takes, compressed, and those that are left of what an object holds, negative where it does not fit; the
 * texts, and the one that takes the most of its parameter, in bytes.
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
    free: MAX_OBJECT - used,
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

/** Describes the characters that are left of an object when so many are used. */
export function describeFree(used: number): string {
  return used > MAX_OBJECT ? `more than the ${MAX_OBJECT} of an object` : `${MAX_OBJECT - used} free`;
}

function wayOut(free: number, tree: SourceTree): string {
  if (free >= 0) return "";
  const largest = largestTexts(tree);
  return `Warning: it needs smaller texts${largest === "" ? "" : `: the largest, compressed, are ${largest}`}\n`;
}
