// Text → Handlebars' syntax tree, with its else chains fixed. Runs when publishing, never for a pod. The only importer of
// Handlebars, and of its parser alone: Handlebars' entry brings its compiler and its runtime.
/// <reference path="./handlebars-parser.d.ts" />

import { lineIndex } from "@outrigger/base";
import { parse, parser } from "handlebars/dist/cjs/handlebars/compiler/base.js";
import type { Finding } from "../finding.ts";
import { fixElseChains } from "./fix-else-chains.ts";
import { openBlock, type Position, type ProgramNode } from "./handlebars-syntax.ts";

/** The syntax tree of a template, or a finding with the position at which it does not parse. */
export function parseTemplate(text: string, source: string): ProgramNode | Finding {
  let program: ProgramNode;
  try {
    // Safe to edit: Handlebars builds a new tree on each call.
    program = parse(text) as ProgramNode;
  } catch (error) {
    return syntaxFinding(error as Error, text, source);
  }
  fixElseChains(program, true);
  return program;
}

/** Handlebars' exceptions carry a position; where its parser gave up, the parser's lexer still says. */
function syntaxFinding(
  error: Error & Partial<Position & { lineNumber: number }>,
  text: string,
  source: string,
): Finding {
  const [first = "", , , expected = ""] = error.message.split("\n");
  const offset = text.length - parser.lexer._input.length - parser.lexer.match.length;
  const { column, lineNumber: line = 1 } = error;
  const at = column === undefined ? lineIndex(text)(offset) : { line, column: column + 1 };
  const mismatch = /^(\S+) doesn't match (\S+)/.exec(first);
  let message = first.replace(/ - \d+:\d+$/, "");
  if (expected !== "") message = readable(expected, text, offset);
  else if (column === undefined) {
    const isText = !text.includes("\0", offset);
    message = isText ? "a comment or raw block is not closed" : "a character with the code 0 is not text: remove it";
  } else if (mismatch !== null)
    message = `{{#${mismatch[1]}}}, opened here, is not closed: {{/${mismatch[2]}}} comes first`;
  return { code: "syntax", severity: "error", template: source, ...at, message };
}

const TOKENS: Readonly<Record<string, string>> = {
  CLOSE: "}}",
  OPEN_ENDBLOCK: "a closing tag",
  OPEN_INVERSE_CHAIN: "{{else …}}",
  INVERSE: "{{else}}",
  CLOSE_SEXPR: ")",
  ID: "a name",
  STRING: "a text in quotes",
  NUMBER: "a number (in a path write [0])",
  BOOLEAN: "true or false (as a name write [true])",
  NULL: "null (as a name write [null])",
  UNDEFINED: "undefined",
  OPEN_SEXPR: "(",
  SEP: "a path",
  EQUALS: "=",
  CLOSE_UNESCAPED: "}}} (put a space between the tag and a flow map's brace)",
  CLOSE_RAW_BLOCK: "}}}}",
  OPEN_BLOCK_PARAMS: "as |…|",
  INVALID: "this character",
};

/** Returns the part of "Expecting 'ID', 'STRING', got 'CLOSE'" that helps an author, the last one, in words. */
function readable(expected: string, text: string, offset: number): string {
  const got = /got '(\w+)'/.exec(expected)?.[1];
  if (got === undefined) return "the tag does not parse";
  if (got === "EOF") {
    const tag = text.indexOf("{{", Math.max(0, text.lastIndexOf("}}") - 1));
    if (tag !== -1) return `the tag that opens in line ${lineIndex(text)(tag).line} is not closed: }} is missing`;
    const block = openBlock(text);
    const opened = block === undefined ? "" : `: {{#${block.name}}} opened in line ${block.line}`;
    return `a block is not closed before the end of the template${opened}`;
  }
  if (got === "OPEN_ENDBLOCK") return `this closing tag has no block to close: ${unopened(text)}`;
  if (got === "INVALID" && /["']/.test(text.charAt(offset)))
    return "the quote that opens here is not closed in the tag";
  if (got === "INVALID" && text[offset] === "}") return "the tag ends with one }: a second is missing";
  if (got === "INVERSE") return "{{else}} is in no block: check the tags before it";
  return `${TOKENS[got] ?? got} is not expected here`;
}

/** A block that opens without its # is a call to Handlebars. */
function unopened(text: string): string {
  const match = /\{\{~?\s*(if|unless|each|with|let)\s/.exec(text);
  if (match === null) return "check its name and the tags before it";
  return `the {{${match[1]}}} in line ${lineIndex(text)(match.index).line} opens with #, write {{#${match[1]} …}}`;
}
