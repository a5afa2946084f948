// The text of a Go template → a Handlebars template and its partials, whatever they are templates of.

import { ownError } from "@outrigger/base";
import type { ImportFinding } from "../documents/read-documents.ts";
import { parseGoTemplate } from "../go/parse-go-template.ts";
import { layOut } from "../translate/lay-out.ts";
import { NOT_TRANSLATED, type Report } from "../translate/scope.ts";
import { translateTemplate } from "../translate/translate-template.ts";

export interface ImportedTemplate {
  /** What has no translation is a call of `notTranslated` in it, with which no template can be compiled. */
  readonly text: string;
  /** The partials by their names, without `partials/`. */
  readonly partials: Readonly<Record<string, string>>;
  readonly findings: readonly ImportFinding[];
}

/**
 * Translates Go's language to Handlebars.
 *
 * @param file what findings name: the file, and the template in it
 */
export function translateGoTemplate(name: string, source: string, file: string): ImportedTemplate {
  const findings: ImportFinding[] = [];
  const known = new Set<string>();
  const report: Report = (severity, { line, column }, message) => {
    const key = `${line}:${column}:${message}`;
    if (known.has(key)) return;
    known.add(key);
    findings.push({ severity, file, line, column, message });
  };
  try {
    const { pieces, partials } = translateTemplate(parseGoTemplate(source.replaceAll("\r\n", "\n")), name, report);
    const texts = [...partials].map(([partial, body]) => [partial, layOut(body)] as const);
    return { text: layOut(pieces), partials: Object.fromEntries(texts), findings };
  } catch (error) {
    const { line = 1, column = 1, message } = ownError(error);
    findings.push({ severity: "error", file, line, column, message });
    return { text: `{{${NOT_TRANSLATED}}}\n`, partials: {}, findings };
  }
}
