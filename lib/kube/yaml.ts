// Reads YAML as kubectl does. Every YAML text of the product is parsed here. Errors name the source, line and column, never
// the text itself.

import { constructFromEvents, YAMLException } from "js-yaml";
import { OutriggerError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { assertExpansion } from "./alias-expansion.ts";
import { unclosedQuote } from "./unclosed-quote.ts";
import { parseYamlEvents } from "./yaml-events.ts";
import { kubernetesSchema } from "./yaml-schema.ts";

export { kubernetesSchema, parseYamlEvents };

/** One document of a stream: its value, and its range in the text of the stream. */
export interface YamlDocument {
  readonly value: JsonValue;
  /** Offset of the first character after the separator before it. */
  readonly start: number;
  /** Offset of the separator after it, or the length of the text. */
  readonly end: number;
  /** 1-based line on which the range starts. */
  readonly line: number;
}

const MAX_DEPTH = 256;
const MAX_ALIASES = 10_000;
/** Characters that aliases may add to a text of an operator. */
const MAX_EXPANSION = 1_000_000;

/**
 * Reads one YAML document as kubectl would; empty text is null.
 *
 * Duplicate keys, a second document, and aliases that contain themselves or make the document too large are errors. Nodes
 * with aliases are shared: treat the result as immutable.
 *
 * @param source the name of the text (a file, a parameter) for the error's `path`
 * @throws OutriggerError `yaml-invalid`, with line and column
 * @example
 * ```ts
 * parseYaml("a: [yes, 0755]", "config") // => { a: [true, 493] }
 * ```
 */
export function parseYaml(text: string, source: string): JsonValue {
  return parseRange(text, source, 1, 1);
}

/**
 * Reads a stream of YAML documents with their ranges in the text, so that a caller can copy a document unchanged.
 * Documents that contain only comments are null.
 *
 * @throws OutriggerError `yaml-invalid`, with line and column in the whole stream
 */
export function parseYamlDocuments(text: string, source: string): readonly YamlDocument[] {
  const documents: YamlDocument[] = [];
  let start = 0;
  let line = 1;
  let column = 1;
  let searched = 0;
  for (;;) {
    const separator = nextSeparator(text, searched);
    const end = separator === -1 ? text.length : separator;
    const body = text.slice(start, end);
    // The text before the first separator is a document only if it is not blank.
    if (start > 0 || separator === -1 || body.trim() !== "") {
      // kubectl's reader of streams ends the last line.
      const ended = body === "" || body.endsWith("\n") ? body : `${body}\n`;
      documents.push({ value: parseRange(ended, source, line, column), start, end, line });
    }
    if (separator === -1) return documents;
    line += countLines(body);
    start = separator + 3;
    column = 4;
    searched = start;
    const lineEnd = text.indexOf("\n", start);
    if (lineEnd !== -1 && text.slice(start, lineEnd).trim() === "") {
      start = lineEnd + 1;
      line += 1;
      column = 1;
    }
  }
}

function parseRange(text: string, source: string, line: number, column: number): JsonValue {
  try {
    const events = parseYamlEvents(text, { maxDepth: MAX_DEPTH });
    assertExpansion(events, text, MAX_EXPANSION);
    const documents = constructFromEvents(events, { source: text, schema: kubernetesSchema, maxAliases: MAX_ALIASES });
    if (documents.length > 1) throw new YAMLException("more than one document where one is expected");
    const value = (documents[0] ?? null) as JsonValue;
    if (typeof value === "number" && !Number.isFinite(value))
      throw new YAMLException("infinity and NaN have no JSON form");
    return value;
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    throw yamlError(cause, text, source, line, column);
  }
}

function yamlError(cause: YAMLException, text: string, source: string, line: number, column: number): OutriggerError {
  const quote = unclosedQuote(text, cause.mark?.position ?? 0, cause.reason);
  const before = quote === undefined ? undefined : text.slice(0, quote).split("\n");
  const mark =
    before === undefined ? cause.mark : { line: before.length - 1, column: (before.at(-1) as string).length };
  const reason = quote === undefined ? cause.reason : "the quote that opens here is not closed";
  const at = { line: line + (mark?.line ?? 0), column: (mark?.column ?? 0) + (mark?.line ? 1 : column) };
  return new OutriggerError(
    "yaml-invalid",
    `Cannot read ${source} as YAML: ${reason} (line ${at.line}, column ${at.column})`,
    { path: source, ...at },
  );
}

/** Offset of the next line that begins with `---`, which always separates documents, even inside a block scalar. */
function nextSeparator(text: string, from: number): number {
  let at = from === 0 && text.startsWith("---") ? 0 : text.indexOf("\n---", from) + 1;
  while (at > 0 || (at === 0 && from === 0 && text.startsWith("---"))) {
    const after = text[at + 3];
    if (after === undefined || after === "\n" || after === "\r" || after === " " || after === "\t") return at;
    at = text.indexOf("\n---", at + 3) + 1;
  }
  return -1;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
