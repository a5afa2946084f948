// The templates of a configuration → source texts. Istio's own are recognised and left out, the shipped ones serve; the others are
// translated.

import { defined } from "@outrigger/base";
import type { ImportFinding } from "../documents/read-documents.ts";
import type { Settings } from "../settings/settings.ts";
import { importTemplate } from "./import-template.ts";
import { type ShippedTemplate, shippedTemplate } from "./shipped-template.ts";

/** Templates by which istiod deploys gateways: no pod is injected with them. */
const GATEWAY_DEPLOYMENTS: ReadonlySet<string> = new Set(
  "waypoint kube-gateway agentgateway agentgateway-waypoint".split(" "),
);

/** @returns source texts by path, and Istio's own templates, which are left out */
export function importTemplates(
  settings: readonly Settings[],
  digest: (text: string) => string,
  findings: ImportFinding[],
): { readonly texts: Readonly<Record<string, string>>; readonly recognised: readonly ShippedTemplate[] } {
  const texts: Record<string, string> = {};
  const recognised: ShippedTemplate[] = [];
  for (const { name, text, file, lineBefore } of settings.flatMap(({ templates }) => templates)) {
    const first = lineBefore === undefined ? undefined : lineBefore + 1;
    const place = defined({ file, line: first });
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
      ...found.map((finding) => ({
        ...finding,
        ...defined({ line: finding.line === undefined ? first : finding.line + (lineBefore ?? 0) }),
      })),
    );
    texts[`templates/${name}`] = translated;
    for (const [partial, body] of Object.entries(partials)) texts[`partials/${partial}`] = body;
  }
  return { texts, recognised };
}
