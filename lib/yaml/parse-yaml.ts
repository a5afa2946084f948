// Reads YAML as kubectl does. Every YAML text of the product is read here. Errors name the source, line and column, never
// the text itself.

import { type JsonValue, lineIndex, OutriggerError } from "@outrigger/base";
import type { TextPosition } from "./locate-yaml.ts";
import type { YamlNode } from "./parse/nodes.ts";
import { parseYamlNodes } from "./parse/parse-nodes.ts";
import { YamlSyntaxError } from "./parse/token.ts";
import { unclosedQuote } from "./parse/unclosed-quote.ts";
import { yamlValue } from "./values/yaml-value.ts";

/** One document of a stream: its value, and its range in the text of the stream. */
export interface YamlDocument {
  readonly value: JsonValue;
  /** Offset of the first character after the separator before it. */
  readonly start: number;
  /** Offset of the separator after it, or the length of the text. */
  readonly end: number;
  /** 1-based line on which the range starts. */
  readonly line: number;
  /** The warnings about texts that kubectl accepts although it loses something. */
  readonly warnings: readonly YamlWarning[];
}

/** A position in the whole text. */
export interface YamlWarning extends TextPosition {
  readonly message: string;
}

/**
 * Reads one YAML document as kubectl would; empty text is null.
 *
 * A second document, and aliases that contain themselves or make the document too large, are errors. So is a key that is
 * given twice, unless `onWarning` is given: then the last one wins, as in kubectl. Nodes with aliases are shared: treat the
 * result as immutable.
 *
 * @param source the name of the text (a file, a parameter) for the error's `path`
 * @throws OutriggerError `yaml-invalid`, with line and column
 * @example
 * ```ts
 * parseYaml("a: [yes, 0755]", "config") // => { a: [true, 493] }
 * ```
 */
export function parseYaml(text: string, source: string, onWarning?: (warning: YamlWarning) => void): JsonValue {
  return readDocument(text, { source, line: 1, column: 1 }, (node) => {
    if (onWarning === undefined) throw new YamlSyntaxError(GIVEN_TWICE, node.start);
    const { line, column } = lineIndex(text)(node.start);
    onWarning({ message: `${GIVEN_TWICE}: the last one counts`, line, column });
  });
}

/**
 * Reads a stream of YAML or JSON documents with their ranges in the text, so that a caller can copy a document unchanged.
 * Documents that contain only comments are null.
 *
 * @throws OutriggerError `yaml-invalid`, with line and column in the whole stream
 */
export function parseYamlDocuments(text: string, source: string): readonly YamlDocument[] {
  const documents: YamlDocument[] = [];
  const at = lineIndex(text);
  let start = 0;
  for (const end of [...[...text.matchAll(SEPARATOR)].map(({ index }) => index), text.length]) {
    const body = text.slice(start, end);
    // The text before the first separator is a document only if it is not blank.
    if (start > 0 || end === text.length || body.trim() !== "") documents.push(...readPart(body, start));
    start = end + 3;
    const lineEnd = text.indexOf("\n", start);
    if (lineEnd !== -1 && text.slice(start, lineEnd).trim() === "") start = lineEnd + 1;
  }
  return documents;

  /** Reads the text between two separators: one document, or several in JSON. */
  function readPart(body: string, start: number): readonly YamlDocument[] {
    const json = jsonObjects(body);
    if (json === undefined) return [readYamlPart(body, { source, ...at(start) }, start)];
    return json.map(({ value, end }, index) => {
      const from = start + (json[index - 1]?.end ?? 0);
      const isLast = index === json.length - 1;
      return { value, start: from, end: start + (isLast ? body.length : end), line: at(from).line, warnings: [] };
    });
  }
}

/** Matches a `---` that begins a line: it always separates documents, even inside a block scalar. */
const SEPARATOR = /(?<![^\n])---(?![^\n\r \t])/g;

/** The name of a text, and the 1-based position of a part of it. */
interface Origin extends TextPosition {
  readonly source: string;
}

function readYamlPart(body: string, origin: Origin, start: number): YamlDocument {
  const { line } = origin;
  // kubectl's reader of streams ends the last line.
  const ended = body === "" || body.endsWith("\n") ? body : `${body}\n`;
  const warnings: YamlWarning[] = [];
  const warn = (message: string, offset: number): void => {
    warnings.push({ message, ...shifted(lineIndex(ended)(offset), origin) });
  };
  const value = readDocument(
    ended,
    origin,
    (node) => warn(`${GIVEN_TWICE}: the last one counts`, node.start),
    (rest) => warn("what follows is not read: separate documents with ---", rest),
  );
  return { value, start, end: start + body.length, line, warnings };
}

const GIVEN_TWICE = "a key is given twice in its mapping";

/** @param onRest called with the offset of what follows the document; without it, that is an error */
function readDocument(
  text: string,
  origin: Origin,
  onDuplicate: (key: YamlNode) => void,
  onRest?: (offset: number) => void,
): JsonValue {
  try {
    const document = parseYamlNodes(text);
    if (document === undefined) return null;
    if (!isBlankYaml(text.slice(document.end))) {
      if (onRest === undefined) throw new YamlSyntaxError("more than one document where one is expected", document.end);
      onRest(document.end);
    }
    return yamlValue(document.root, { onDuplicate });
  } catch (cause) {
    if (!(cause instanceof YamlSyntaxError)) throw cause;
    throw yamlError(cause, text, origin);
  }
}

/** Whether a text has document markers and comments only. */
function isBlankYaml(text: string): boolean {
  return text.split(/[\r\n]/).every((line) => /^(?:---|\.\.\.)?[ \t]*(?:#.*)?$/.test(line));
}

function yamlError({ reason, position }: YamlSyntaxError, text: string, origin: Origin): OutriggerError {
  const quote = unclosedQuote(text, position, reason);
  const at = shifted(lineIndex(text)(quote ?? position), origin);
  const why = quote === undefined ? reason : "the quote that opens here is not closed";
  const { source } = origin;
  return new OutriggerError(
    "yaml-invalid",
    `Cannot read ${source} as YAML: ${why} (line ${at.line}, column ${at.column})`,
    { path: source, ...at },
  );
}

/** A position in a part of a text, as one in the text. */
function shifted({ line, column }: TextPosition, origin: Origin): TextPosition {
  return { line: origin.line + line - 1, column: line === 1 ? column + origin.column - 1 : column };
}

/** The JSON objects that a text consists of; undefined if it is anything else. */
function jsonObjects(text: string) {
  if (!/^\ufeff?\s*\{/.test(text)) return undefined;
  const parts: { readonly value: JsonValue; readonly end: number }[] = [];
  for (let at = text.indexOf("{"); at < text.length; ) {
    const end = jsonObjectEnd(text, at);
    if (end === undefined) return undefined;
    try {
      parts.push({ value: JSON.parse(text.slice(at, end)) as JsonValue, end });
    } catch {
      // A YAML flow mapping that is not JSON.
      return undefined;
    }
    at = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
  }
  return parts;
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}]/gy;
const JSON_OTHER = /[^"{}]*/gy;

function jsonObjectEnd(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  do {
    JSON_TOKEN.lastIndex = at;
    const token = JSON_TOKEN.exec(text)?.[0];
    if (token === undefined) return undefined;
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    at += token.length;
    if (depth === 0) return at;
    JSON_OTHER.lastIndex = at;
    at += JSON_OTHER.exec(text)?.[0].length ?? 0;
  } while (at < text.length);
  return undefined;
}
