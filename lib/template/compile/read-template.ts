// Template text → the compiled form, cached by name: most templates of a release are unchanged from the release before.
// The cache is bounded in number and length, because the names and texts of a tree are arbitrary.

import { type EncodedTemplate, encodeProgram } from "./encode-program.ts";
import { foreignSyntaxFindings } from "./foreign-syntax.ts";
import { goSyntaxFindings } from "./go-syntax.ts";
import { parseTemplate } from "./parse-template.ts";

const MAX_NAMES = 256;
/** The most that one parameter holds; the shipped templates are at most half as long. */
const MAX_LENGTH = 8192;

const latest = new Map<string, { readonly text: string; readonly encoded: EncodedTemplate }>();

/**
 * The program of a template and its findings. The same text under the same name returns the same objects.
 *
 * @param source name of the template, or `partials/<name>`, for findings
 */
export function readTemplate(text: string, source: string): EncodedTemplate {
  const known = latest.get(source);
  if (known?.text === text) return known.encoded;
  const encoded = encode(text, source);
  if (text.length > MAX_LENGTH) return encoded;
  if (known === undefined && latest.size >= MAX_NAMES) latest.delete(latest.keys().next().value as string);
  latest.set(source, { text, encoded });
  return encoded;
}

function encode(stored: string, source: string): EncodedTemplate {
  // It says how a file is encoded, and is no part of what it writes: a partial may be in the middle of a line.
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
