// The templates of a configuration → source texts. Istio's own are recognised and left out, the others are translated.

import { defined } from "@outrigger/base";
import type { ImportFinding } from "../import-finding.ts";
import type { GivenTemplate, Settings } from "../settings/settings.ts";
import { importTemplate } from "./import-template.ts";
import { misplacedKeys } from "./misplaced-keys.ts";
import { GATEWAY_DEPLOYMENTS, type ShippedTemplate, shippedTemplate } from "./shipped-templates.ts";
import { moveLabels } from "./top-level-labels.ts";

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
    convert(name, text, { file, lineBefore }, texts, findings);
  }
  return { texts, recognised };
}

function convert(
  name: string,
  source: string,
  { file, lineBefore }: Pick<GivenTemplate, "file" | "lineBefore">,
  texts: Record<string, string>,
  findings: ImportFinding[],
): void {
  const { text, partials, findings: found } = importTemplate(name, source, file);
  const misplaced = text === undefined ? [] : misplacedKeys(text, source, file);
  for (const { line, ...finding } of [...found, ...misplaced]) {
    findings.push({ ...finding, ...(line !== undefined && { line: line + (lineBefore ?? 0) }) });
  }
  if (text === undefined) return;
  const { text: moved, left } = moveLabels(text);
  for (const key of left) {
    const message = `The template ${name} has ${key} at its top level, where a pod has none: move them into metadata.${key}`;
    findings.push({ severity: "error", file, ...defined({ line: firstLine(lineBefore) }), message });
  }
  if (moved !== text) {
    const message = `Moved the labels at the top level of the template ${name} into metadata.labels: Istio ignores them there, and pods get them now; remove them if that is not meant`;
    findings.push({ severity: "warning", file, ...defined({ line: firstLine(lineBefore) }), message });
  }
  texts[`templates/${name}`] = moved;
  for (const [partial, body] of Object.entries(partials)) texts[`partials/${partial}`] = body;
}

/** The line at which a template starts in its file, where that is known. */
function firstLine(lineBefore: number | undefined): number | undefined {
  return lineBefore === undefined ? undefined : lineBefore + 1;
}
