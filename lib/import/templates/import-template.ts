// One Go injection template → a template and partials of a source tree, with a finding for all that needs a look.

import { misplacedKeys, moveLabels } from "./top-level-keys.ts";
import { type ImportedTemplate, translateGoTemplate } from "./translate-go-template.ts";

/**
 * Translates a template of Istio's injector. What injectors before Istio 1.9 read at its top level is moved below
 * `metadata` where it can be, and reported; positions are those in the template.
 *
 * @param name what the template is called: its partials and its findings begin with it
 * @param file what findings name: the file, and the template in it
 * @example
 * ```ts
 * importTemplate("log-agent", "spec: {{ toYaml .Values.a | indent 2 }}", "a.yaml").text // => "spec: {{values.a}}\n"
 * ```
 */
export function importTemplate(name: string, source: string, file: string): ImportedTemplate {
  const translated = translateGoTemplate(name, source, file);
  const { text, left } = moveLabels(translated.text);
  const findings = [...translated.findings, ...misplacedKeys(translated.text, source, file)];
  for (const key of left) {
    const message = `The template ${name} has ${key} at its top level, where a pod has none: move them into metadata.${key}`;
    findings.push({ severity: "error", file, message });
  }
  if (text !== translated.text) {
    const message = `Moved the labels at the top level of the template ${name} into metadata.labels: Istio ignores them there, and pods get them now; remove them if that is not meant`;
    findings.push({ severity: "warning", file, message });
  }
  return { text, partials: translated.partials, findings };
}
