// The templates of a configuration → source texts. Istio's own are recognised and left out, the others are translated.

import { defined } from "@outrigger/base";
import type { ImportFinding } from "../import-finding.ts";
import type { Settings } from "../settings/settings.ts";
import { importTemplate } from "./import-template.ts";
import { GATEWAY_DEPLOYMENTS, type ShippedTemplate, shippedTemplate } from "./shipped-templates.ts";

export interface ImportedTemplates {
  /** Source texts by path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Istio's own templates, which are left out. */
  readonly recognised: readonly ShippedTemplate[];
}

/** Istio's own templates are left out: the shipped ones serve. */
export function importTemplates(
  settings: readonly Settings[],
  digest: (text: string) => string,
  findings: ImportFinding[],
): ImportedTemplates {
  const texts: Record<string, string> = {};
  const recognised: ShippedTemplate[] = [];
  for (const { name, text, file, lineBefore } of settings.flatMap(({ templates }) => templates)) {
    const place = defined({ file, line: firstLine(lineBefore) });
    if (text === undefined) {
      const message = `The template ${name} is not text, so istiod does not read it: write it as a block, ${name}: |`;
      findings.push({ severity: "error", ...place, message });
      continue;
    }
    if (text.trim() === "") continue;
    const known = shippedTemplate(digest(text.trim()));
    if (known !== undefined) {
      const range = known.first === known.last ? known.first : `${known.first} to ${known.last}`;
      if (known.template === name && !GATEWAY_DEPLOYMENTS.has(name)) {
        recognised.push(known);
        const message = `The template ${name} is Istio's own (${range}): the shipped template ${name} serves`;
        findings.push({ severity: "note", ...place, message });
        continue;
      }
    }
    if (GATEWAY_DEPLOYMENTS.has(name)) {
      const severity = known === undefined ? "warning" : "note";
      const message = `Left out the template ${name}: istiod deploys gateways with it, no pod is injected with it`;
      findings.push({ severity, ...place, message });
      continue;
    }
    const { text: translated, partials, findings: found } = importTemplate(name, text, file);
    // Without a line, a finding is about the template as a whole.
    findings.push(
      ...found.map((finding) => {
        const line = finding.line === undefined ? firstLine(lineBefore) : finding.line + (lineBefore ?? 0);
        return { ...finding, ...defined({ line }) };
      }),
    );
    if (translated !== undefined) texts[`templates/${name}`] = translated;
    for (const [partial, body] of Object.entries(partials)) texts[`partials/${partial}`] = body;
  }
  return { texts, recognised };
}

/** The line at which a template starts in its file, where that is known. */
function firstLine(lineBefore: number | undefined): number | undefined {
  return lineBefore === undefined ? undefined : lineBefore + 1;
}
