// One Go injection template → a template and partials of a source tree, with a finding for all that needs a look.

import { defined, entryOf, ownError } from "@outrigger/base";
import { POD_TYPE } from "@outrigger/pod";
import type { ImportFinding } from "../documents/read-documents.ts";
import { SHIPPED_DIGESTS } from "../generated/shipped-digests.ts";
import { parseGoTemplate } from "../go/parse-go-template.ts";
import type { Settings } from "../settings/settings.ts";
import { layOut } from "../translate/lay-out.ts";
import type { Report } from "../translate/scope.ts";
import { translateTemplate } from "../translate/translate-template.ts";

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
  if (translated.text === undefined) return translated;
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

// Keys at the top of a template that a pod does not have there: what injectors before Istio 1.9 read.
/** `labels` and `annotations` are moved, with a finding of their own; the others are what an object is. */
const HANDLED: ReadonlySet<string> = new Set(["labels", "annotations", "apiVersion", "kind"]);
const SPEC = POD_TYPE.fields.get("spec")?.type;

/**
 * @param text the translated template, without the partials
 * @param source the template as it was given, for the line
 */
function misplacedKeys(text: string, source: string, file: string): readonly ImportFinding[] {
  const keys = new Set([...text.matchAll(/^([A-Za-z]\w*):(?=\s|$)/gm)].map(([, key = ""]) => key));
  const lines = source.split("\n");
  return [...keys].flatMap((key): readonly ImportFinding[] => {
    if (POD_TYPE.fields.has(key) || HANDLED.has(key)) return [];
    const remediation =
      SPEC?.fields.has(key) === true ? "indent it below spec" : "injectors before Istio 1.9 read it; leave it out";
    const line = lines.findIndex((one) => one.startsWith(`${key}:`)) + 1;
    const message = `Cannot inject ${key} at the top level of a template: a pod has none there; ${remediation}`;
    return [{ severity: "error", file, ...(line > 0 && { line, column: 1 }), message }];
  });
}

/**
 * `labels:` and `annotations:` at the top of a pod template → `metadata`, where the pod has them; and the keys that could not be
 * moved. `labels:\n  a: b\nspec: {}\n` → `metadata:\n  labels:\n    a: b\nspec: {}\n`
 */
function moveLabels(text: string): { readonly text: string; readonly left: readonly string[] } {
  let lines: readonly string[] = text.split("\n");
  const left: string[] = [];
  for (const key of ["labels", "annotations"]) {
    const start = lines.findIndex((line) => line.startsWith(`${key}:`));
    if (start === -1) continue;
    const length = lines.slice(start + 1).findIndex((line) => /^[^\s{#]/.test(line));
    const end = length === -1 ? lines.length : start + 1 + length;
    const region = withoutTail(lines.slice(start, end));
    const rest = [...lines.slice(0, start), ...lines.slice(start + region.length)];
    const metadata = rest.findIndex((line) => /^metadata:\s*$/.test(line));
    const hasOwn = rest.some((line) => line.startsWith(`  ${key}:`));
    if (
      !isBalanced(region) ||
      (metadata !== -1 && hasOwn) ||
      (metadata === -1 && rest.some((line) => line.startsWith("metadata:")))
    ) {
      left.push(key);
      continue;
    }
    const moved = region.map((line) => (line === "" || /^\{\{[#/]|^\{\{else/.test(line) ? line : `  ${line}`));
    lines =
      metadata === -1
        ? [...rest.slice(0, start), "metadata:", ...moved, ...rest.slice(start)]
        : [...rest.slice(0, metadata + 1), ...moved, ...rest.slice(metadata + 1)];
  }
  return { text: lines.join("\n"), left };
}

/** Without the tags at its end that close what was opened before it. */
function withoutTail(region: readonly string[]): readonly string[] {
  let end = region.length;
  while (end > 1 && !isBalanced(region.slice(0, end)) && /^(\{\{|\s*$)/.test(region[end - 1] ?? "")) end -= 1;
  return region.slice(0, end);
}

function isBalanced(lines: readonly string[]): boolean {
  let depth = 0;
  for (const line of lines) {
    for (const [, mark] of line.matchAll(/\{\{([#/])/g)) depth += mark === "#" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

// The text of a Go template → a Handlebars template and its partials, whatever they are templates of.
interface ImportedTemplate {
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
    return { text: undefined, partials: {}, findings };
  }
}

// The templates of a configuration → source texts. Istio's own are recognised and left out, the shipped ones serve; the others are
// translated.

export interface ShippedTemplate {
  readonly template: string;
  /** The first and last release with this text, `1.28.0`; `development` is after all releases. */
  readonly first: string;
  readonly last: string;
}

/** @param digest SHA-256 in hexadecimal of the template without white space at both ends */
export function shippedTemplate(digest: string): ShippedTemplate | undefined {
  const [template, first = "", last = first] = entryOf(SHIPPED_DIGESTS, digest.slice(0, 16))?.split(" ") ?? [];
  return template === undefined ? undefined : { template, first, last };
}

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
    if (translated !== undefined) texts[`templates/${name}`] = translated;
    for (const [partial, body] of Object.entries(partials)) texts[`partials/${partial}`] = body;
  }
  return { texts, recognised };
}
