// A template's text → the dense form, kept by name for the next release: most of its templates are those of the one
// before. Bounded in number and length, because names and texts are whatever stands in a tree.

import { type EncodedTemplate, encodeProgram } from "./encode-program.ts";
import { parseTemplate } from "./parse-template.ts";

const MAX_NAMES = 256;
/** What one parameter holds at most; the shipped templates are half of that and less. */
const MAX_LENGTH = 8192;

const latest = new Map<string, { readonly text: string; readonly encoded: EncodedTemplate }>();

/**
 * The program of a template and what is wrong with it. The same text under the same name gives the same objects.
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

function encode(text: string, source: string): EncodedTemplate {
  const parsed = parseTemplate(text, source);
  return "code" in parsed ? { program: [], findings: [parsed] } : encodeProgram(parsed, source);
}
