// What Helm values of the chart istiod, an IstioOperator and the Sail operator's Istio say about injection.

import { defined, isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import type { ImportDocument } from "../documents/read-documents.ts";
import type { ImportFinding } from "../import-finding.ts";
import { configOf, mergeSettings, type Settings } from "./settings.ts";

type FilePosition = Pick<ImportDocument, "file" | "line">;

/** Top-level keys of the chart istiod that injection reads. */
const CHART_KEYS: readonly string[] = [
  "global",
  "meshConfig",
  "sidecarInjectorWebhook",
  "pilot",
  "cni",
  "istio_cni",
  "revision",
  "gateways",
  "defaults",
  "_internal_defaults_do_not_set",
  "profile",
  "platform",
  "compatibilityVersion",
  "env",
  "hub",
  "tag",
];
/** Profiles that change nothing of what injection reads. */
const PLAIN_PROFILES: readonly unknown[] = [undefined, "", "default", "minimal", "stable"];

/** Helm values of the chart istiod, or of a chart that has it as a dependency. */
export function settingsOfHelm(value: JsonObject, position: FilePosition, findings: ImportFinding[]): Settings {
  const given = chartValues(value, position, findings);
  const { meshConfig, defaults, _internal_defaults_do_not_set: internal, ...rest } = given;
  const under = isObject(internal) ? internal : objectOf(defaults);
  const { meshConfig: meshUnder, ...valuesUnder } = under;
  const values = mergeSettings(valuesUnder, rest);
  const meshes = [meshUnder, meshConfig].filter(isObject);
  const webhook = objectAt(values, "sidecarInjectorWebhook");
  const { templates, ...settings } = webhook;
  const global = objectAt(values, "global");
  warnOfProfiles(values, position, findings);
  const policy = objectAt(global, "proxy")["autoInject"];
  const { file } = position;
  const revision = values["revision"];
  return {
    file,
    config: configOf({ ...settings, ...(typeof policy === "string" && { policy }) }),
    values: Object.hasOwn(values, "sidecarInjectorWebhook") ? { ...values, sidecarInjectorWebhook: settings } : values,
    templates: Object.entries(objectOf(templates)).map(([name, text]) => ({
      name,
      text: typeof text === "string" ? text : undefined,
      file: `${file} (sidecarInjectorWebhook.templates.${name})`,
      lineBefore: undefined,
    })),
    isComplete: false,
    ...(meshes.length > 0 && { mesh: meshes.reduce(mergeSettings) }),
    ...(typeof revision === "string" && revision !== "" && { revision }),
  };
}

/** The values of a chart below its name in those of another chart, with that chart's global ones. */
function chartValues(value: JsonObject, { file, line }: FilePosition, findings: ImportFinding[]): JsonObject {
  const { istiod, global } = value;
  if (isObject(istiod)) {
    const left = Object.keys(value).filter((key) => key !== "istiod" && key !== "global");
    const others = left.length === 0 ? "" : `; left out ${left.join(", ")}`;
    findings.push({
      severity: "note",
      file,
      line,
      message: `Read the values of the chart istiod, below istiod${others}`,
    });
    return isObject(global) ? mergeSettings({ global }, istiod) : istiod;
  }
  if (!Object.keys(value).some((key) => CHART_KEYS.includes(key))) {
    const message =
      "None of the keys is one of the chart istiod: these are taken as values that templates of your own read";
    findings.push({ severity: "warning", file, line, message });
  }
  return value;
}

/** Values that come with a profile are files of the chart: the values given do not hold them. */
function warnOfProfiles(values: JsonObject, { file, line }: FilePosition, findings: ImportFinding[]): void {
  const global = objectAt(values, "global");
  const profile = values["profile"] ?? global["profile"];
  const named = PLAIN_PROFILES.includes(profile) ? [] : [`profile ${String(profile)}`];
  const platform = values["platform"] ?? global["platform"];
  if (platform !== undefined && platform !== "") named.push(`platform ${String(platform)}`);
  const compatibility = values["compatibilityVersion"];
  if (compatibility !== undefined && compatibility !== "") named.push(`compatibility version ${String(compatibility)}`);
  for (const name of named) {
    const message = `The values of the ${name} are not in this file: import the ConfigMap istio-sidecar-injector for the values that are in use`;
    findings.push({ severity: "warning", file, line, message });
  }
}

export function settingsOfOperator(document: ImportDocument, findings: ImportFinding[]): Settings {
  const spec = objectAt(document.value, "spec");
  const { values = {}, meshConfig, hub, tag, revision, profile, namespace: _, ...others } = spec;
  for (const key of Object.keys(others)) {
    const message = `Left out spec.${key} of the IstioOperator: it is about what runs in the cluster, not about injection; if it changes istiod's environment, set nativeSidecars and compliancePolicy by hand`;
    findings.push({ severity: "warning", file: document.file, line: document.line, message });
  }
  const own = objectOf(values);
  const images: JsonObject = defined({ hub, tag });
  const all: JsonObject = {
    ...own,
    ...(Object.keys(images).length > 0 && { global: { ...images, ...objectAt(own, "global") } }),
    ...(isObject(meshConfig) && { meshConfig: mergeSettings(objectAt(own, "meshConfig"), meshConfig) }),
    ...defined({ revision, profile }),
  };
  return settingsOfHelm(chartOf(all), document, findings);
}

/** `kind: Istio` of the Sail operator and of OpenShift Service Mesh 3. */
export function settingsOfSail(document: ImportDocument, findings: ImportFinding[]): Settings {
  const spec = objectAt(document.value, "spec");
  const { values, profile, version, namespace: _, updateStrategy: __, ...others } = spec;
  for (const key of Object.keys(others)) {
    const message = `Left out spec.${key} of the Istio: it is not known`;
    findings.push({ severity: "warning", file: document.file, line: document.line, message });
  }
  const own = objectOf(values);
  const settings = settingsOfHelm(chartOf({ ...own, ...defined({ profile }) }), document, findings);
  return { ...settings, ...(typeof version === "string" && { version }) };
}

/** Values that an operator holds are those of its charts, whether there are any or not. */
function chartOf(values: JsonObject): JsonObject {
  return { global: {}, ...values };
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found: JsonValue | undefined = value[key];
  return objectOf(found);
}
