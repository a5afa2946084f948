// One template's text → its program and findings. Most templates are unchanged from the release before, so what was read of them is
// kept, bounded in number and length.

import { memoizeJson } from "@outrigger/base";
import { type EncodedTemplate, encodeProgram } from "./encode-program.ts";
import { foreignSyntaxFindings } from "./foreign-syntax.ts";
import { goSyntaxFindings } from "./go-syntax.ts";
import { parseTemplate } from "./parse-template.ts";

/** The most that one parameter holds; the shipped templates are at most half as long. */
const MAX_LENGTH = 8192;

/**
 * Returns the program of a template and its findings. The same text under the same name returns the same objects.
 *
 * @param source name of the template, or `partials/<name>`, for findings
 */
export function readTemplate(text: string, source: string): EncodedTemplate {
  return text.length > MAX_LENGTH ? encode(text, source) : read([text, source]);
}

const read = memoizeJson(([text, source]: readonly [string, string]) => encode(text, source), { longest: Infinity });

function encode(stored: string, source: string): EncodedTemplate {
  // A byte order mark says how a file is encoded, and is no part of what it writes: a partial may be in the middle of a line.
  const text = stored.replace(/^\uFEFF/, "");
  const findings = goSyntaxFindings(text, source);
  if (findings.length > 0) return { program: [], findings };
  const foreign = foreignSyntaxFindings(text, source);
  const errors = foreign.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { program: [], findings: errors };
  const parsed = parseTemplate(text, source);
  if ("code" in parsed) return { program: [], findings: [parsed] };
  const encoded = encodeProgram(parsed, source);
  return foreign.length === 0 ? encoded : { ...encoded, findings: [...encoded.findings, ...foreign] };
}
