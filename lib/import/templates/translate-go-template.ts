// The text of a Go template → a Handlebars template and its partials, whatever they are templates of.

import { OutriggerError } from "@outrigger/base";
import { parseGoTemplate } from "../go/parse-go-template.ts";
import type { ImportFinding } from "../import-finding.ts";
import { layOut } from "../translate/lay-out.ts";
import type { Piece } from "../translate/piece.ts";
import { PORTS } from "../translate/pod-ports.ts";
import type { Report } from "../translate/scope.ts";
import { translateTemplate } from "../translate/translate-template.ts";

/** The texts that a Go template becomes, and what could not be translated. */
export interface ImportedTemplate {
  /** Undefined if the Go template cannot be read. */
  readonly text: string | undefined;
  /** By name, without `partials/`. */
  readonly partials: Readonly<Record<string, string>>;
  readonly findings: readonly ImportFinding[];
}

/**
 * Translates Go's language to Handlebars.
 *
 * @param file what findings name: the file, and the template in it
 * @example
 * ```ts
 * translateGoTemplate("t", "a: {{ toYaml .Values.a | indent 2 }}", "a.yaml").text // => "a: {{values.a}}\n"
 * ```
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
    const texts = [...partials].map(([partial, body]) => [partial, layOut(withPorts(body))] as const);
    return { text: layOut(withPorts(pieces)), partials: Object.fromEntries(texts), findings };
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const { line = 1, column = 1, message } = error;
    return {
      text: undefined,
      partials: {},
      findings: [...findings, { severity: "error", file, line, column, message }],
    };
  }
}

/** The list of ports takes the place of the bracket that the text before it ends with. */
function withPorts(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, index): Piece => {
    const next = pieces[index + 1];
    if (piece.kind === "text" && next?.kind === "tag" && next.text.startsWith(PORTS)) {
      return { ...piece, text: piece.text.replace(/\[\s*$/, "") };
    }
    if (piece.kind === "tag") return { ...piece, text: piece.text.replace(PORTS, "") };
    if (piece.kind === "partial") return { ...piece, body: withPorts(piece.body) };
    if (piece.kind !== "block") return piece;
    return { ...piece, branches: piece.branches.map(({ tag, body }) => ({ tag, body: withPorts(body) })) };
  });
}
