// What an injector ConfigMap says about injection.

import {
  isObject,
  type JsonObject,
  type JsonValue,
  metadataKeys,
  objectOf,
  textOf,
  withoutEntries,
} from "@outrigger/base";
import { ISTIO_CONFIG_KEYS } from "@outrigger/injector";
import { metadataOf } from "@outrigger/pod";
import { locateYaml } from "@outrigger/yaml";
import { type ImportDocument, type ImportFinding, parsedEntry } from "../documents/read-documents.ts";
import { configOf, type GivenTemplate, type Settings } from "./settings.ts";

/** Matches what istiod puts into the field that releases before 1.9 read. */
const MISMATCH = /Mismatched/;

export function settingsOfInjector(document: ImportDocument, findings: ImportFinding[]): Settings {
  const { file, line, value } = document;
  const data = objectOf(value["data"]);
  const config = parsedEntry(document, "config", String(data["config"]), findings);
  const values = parsedEntry(document, "values", textOf(data["values"]) ?? "{}", findings);
  const templates = objectOf(config["templates"]);
  const legacy = config["template"];
  const named =
    typeof legacy === "string" && legacy !== "" && !MISMATCH.test(legacy)
      ? { ...templates, sidecar: legacy }
      : templates;
  for (const key of Object.keys(config)) {
    if (ISTIO_CONFIG_KEYS.includes(key) || key === "template" || key === "templates") continue;
    const message = `Left out ${key} of the injector's config: it is not known`;
    findings.push({ severity: "warning", file, line, message });
  }
  const { namespace, labels } = metadataOf(value);
  const revision = labels[metadataKeys.revision] ?? values["revision"];
  return {
    file,
    config: configOf(config),
    values: withoutTemplates(values),
    templates: Object.entries(named).map(([name, text]) => given(name, text, document)),
    isComplete: true,
    ...(namespace !== "" && { namespace }),
    ...(typeof revision === "string" && { revision }),
  };
}

/** The chart's values hold the Go source of templates that its `config` holds too; no template reads it. */
function withoutTemplates(values: JsonObject): JsonObject {
  const webhook = values["sidecarInjectorWebhook"];
  if (!isObject(webhook) || !Object.hasOwn(webhook, "templates")) return values;
  return { ...values, sidecarInjectorWebhook: withoutEntries(webhook, ["templates"]) };
}

/** A template, with its place in the file where both texts around it are block scalars. */
function given(name: string, text: JsonValue | undefined, document: ImportDocument): GivenTemplate {
  const { file, line, isWhole, value } = document;
  const config = String(isObject(value["data"]) ? value["data"]["config"] : "");
  const outer = isWhole ? blockLine(document.text, ["data", "config"]) : undefined;
  const inner = blockLine(config, ["templates", name]);
  const lineBefore = outer === undefined || inner === undefined ? undefined : line - 1 + outer + inner;
  const place = lineBefore === undefined ? `${file} (template ${name})` : file;
  return { name, text: typeof text === "string" ? text : undefined, file: place, lineBefore };
}

/** The line of a block scalar's key. */
function blockLine(text: string, steps: readonly string[]): number | undefined {
  const place = locateYaml(text, steps, "key");
  if (place === undefined) return undefined;
  const line = text.split("\n")[place.line - 1] ?? "";
  return /[|>][-+0-9]*\s*$/.test(line) ? place.line : undefined;
}
