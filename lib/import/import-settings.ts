// What an injector ConfigMap, Helm values and an IstioOperator say about injection, in one form.

import { defined } from "../defined.ts";
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { parseYaml } from "../kube/yaml.ts";
import { locateYaml } from "../kube/yaml-tree.ts";
import type { ImportFinding } from "./import-finding.ts";
import { importTemplate } from "./import-template.ts";
import type { ImportDocument } from "./read-documents.ts";
import { GATEWAY_DEPLOYMENTS, type ShippedTemplate, shippedTemplate } from "./shipped-templates.ts";
import { moveLabels } from "./top-level-labels.ts";

export interface Settings {
  readonly file: string;
  readonly config: JsonObject;
  readonly values: JsonObject;
  readonly mesh?: JsonObject;
  readonly revision?: string;
  readonly templates: readonly GivenTemplate[];
  /** Whether the values are all that the templates read. */
  readonly isComplete: boolean;
}

interface GivenTemplate {
  readonly name: string;
  readonly text: string;
  readonly file: string;
  /** The line of the file before the template's first one. */
  readonly lineBefore: number | undefined;
}

const CONFIG_KEYS: readonly string[] = [
  "policy",
  "defaultTemplates",
  "aliases",
  "neverInjectSelector",
  "alwaysInjectSelector",
  "injectedAnnotations",
];
/** What istiod puts into the field that releases before 1.9 read. */
const MISMATCH = /Mismatched/;

export function settingsOfInjector(document: ImportDocument, findings: ImportFinding[]): Settings {
  const { file, line, value } = document;
  const data = isObject(value["data"]) ? value["data"] : {};
  const config = parsed(String(data["config"]), "config", document, findings);
  const values = parsed(typeof data["values"] === "string" ? data["values"] : "{}", "values", document, findings);
  const templates = isObject(config["templates"]) ? config["templates"] : {};
  const legacy = config["template"];
  const named =
    typeof legacy === "string" && legacy !== "" && !MISMATCH.test(legacy)
      ? { ...templates, sidecar: legacy }
      : templates;
  for (const key of Object.keys(config)) {
    if (CONFIG_KEYS.includes(key) || key === "template" || key === "templates") continue;
    findings.push({
      severity: "warning",
      file,
      line,
      message: `Left out ${key} of the injector's config: it is not known`,
    });
  }
  const labels =
    isObject(value["metadata"]) && isObject(value["metadata"]["labels"]) ? value["metadata"]["labels"] : {};
  const revision = labels["istio.io/rev"] ?? values["revision"];
  return {
    file,
    config: configOf(config),
    values,
    templates: Object.entries(named).map(([name, text]) => given(name, text, document)),
    isComplete: true,
    ...(typeof revision === "string" && { revision }),
  };
}

/** Helm values of the chart istiod. */
export function settingsOfHelm(given: JsonObject, { file }: Pick<ImportDocument, "file">): Settings {
  const { meshConfig, defaults, _internal_defaults_do_not_set: internal, ...rest } = given;
  const values: JsonObject = { ...(isObject(internal) ? internal : isObject(defaults) ? defaults : {}), ...rest };
  const webhook = isObject(values["sidecarInjectorWebhook"]) ? values["sidecarInjectorWebhook"] : {};
  const { templates, ...settings } = webhook;
  const global = isObject(values["global"]) ? values["global"] : {};
  const policy = isObject(global["proxy"]) ? global["proxy"]["autoInject"] : undefined;
  const revision = values["revision"];
  return {
    file,
    config: configOf({ ...settings, ...(typeof policy === "string" && { policy }) }),
    values: Object.hasOwn(values, "sidecarInjectorWebhook") ? { ...values, sidecarInjectorWebhook: settings } : values,
    templates: Object.entries(isObject(templates) ? templates : {}).map(([name, text]) => ({
      name,
      text: typeof text === "string" ? text : "",
      file: `${file} (sidecarInjectorWebhook.templates.${name})`,
      lineBefore: undefined,
    })),
    isComplete: false,
    ...(isObject(meshConfig) && { mesh: meshConfig }),
    ...(typeof revision === "string" && revision !== "" && { revision }),
  };
}

export function settingsOfOperator(document: ImportDocument, findings: ImportFinding[]): Settings {
  const { file, line, value } = document;
  const spec = isObject(value["spec"]) ? value["spec"] : {};
  const { values = {}, meshConfig, hub, tag, revision, profile, namespace: _, ...others } = spec;
  for (const key of Object.keys(others)) {
    const message = `Left out spec.${key} of the IstioOperator: it is about what runs in the cluster, not about injection; if it changes istiod's environment, set nativeSidecars and compliancePolicy by hand`;
    findings.push({ severity: "warning", file, line, message });
  }
  if (typeof profile === "string" && profile !== "default" && profile !== "minimal") {
    const message = `The values of the profile ${profile} are not in the IstioOperator: import the ConfigMap istio-sidecar-injector for the values that are in use`;
    findings.push({ severity: "warning", file, line, message });
  }
  const own = isObject(values) ? values : {};
  const global = isObject(own["global"]) ? own["global"] : {};
  const images: JsonObject = defined({ hub, tag });
  const all: JsonObject = {
    ...own,
    ...(Object.keys(images).length > 0 && { global: { ...images, ...global } }),
    ...defined({ meshConfig, revision }),
  };
  return settingsOfHelm(all, document);
}

function configOf(settings: JsonObject): JsonObject {
  const entries = CONFIG_KEYS.map((key) => [key, settings[key]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null && !isEmpty(value)));
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function parsed(text: string, key: string, { file, line }: ImportDocument, findings: ImportFinding[]): JsonObject {
  try {
    const value = parseYaml(text, `${file} (data.${key})`);
    return isObject(value) ? value : {};
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    findings.push({ severity: "error", file, line, message: error.message });
    return {};
  }
}

/** A template, with its place in the file where both texts around it are block scalars. */
function given(name: string, text: JsonValue | undefined, document: ImportDocument): GivenTemplate {
  const { file, line, isWhole, value } = document;
  const config = String(isObject(value["data"]) ? value["data"]["config"] : "");
  const outer = isWhole ? blockLine(document.text, ["data", "config"]) : undefined;
  const inner = blockLine(config, ["templates", name]);
  const lineBefore = outer === undefined || inner === undefined ? undefined : line - 1 + outer + inner;
  const place = lineBefore === undefined ? `${file} (template ${name})` : file;
  return { name, text: typeof text === "string" ? text : "", file: place, lineBefore };
}

/** The line of a block scalar's key. */
function blockLine(text: string, steps: readonly string[]): number | undefined {
  const place = locateYaml(text, steps, "key");
  if (place === undefined) return undefined;
  const line = text.split("\n")[place.line - 1] ?? "";
  return /[|>][-+0-9]*\s*$/.test(line) ? place.line : undefined;
}

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
  for (const { line, ...finding } of found) {
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
