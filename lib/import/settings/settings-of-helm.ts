// What Helm values of the chart istiod say about injection.

import { isObject, type JsonObject, objectOf, valueAt } from "@outrigger/base";
import type { ImportDocument } from "../documents/read-documents.ts";
import type { ImportFinding } from "../import-finding.ts";
import { isOfChart, withPilotValues } from "./chart-values.ts";
import { configOf, mergeSettings, type Settings } from "./settings.ts";

type FilePosition = Pick<ImportDocument, "file" | "line">;

/** Helm values of the chart istiod, or of a chart that has it as a dependency. */
export function settingsOfHelm(value: JsonObject, position: FilePosition, findings: ImportFinding[]): Settings {
  const given = chartValues(value, position, findings);
  const { defaults, _internal_defaults_do_not_set: internal, ...rest } = given;
  const values = mergeSettings(isObject(internal) ? internal : objectOf(defaults), rest);
  const { templates, ...settings } = objectOf(values["sidecarInjectorWebhook"]);
  const policy = valueAt(values, ["global", "proxy", "autoInject"]);
  const { file } = position;
  const { revision } = withPilotValues(values);
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
    ...(typeof revision === "string" && revision !== "" && { revision }),
  };
}

/** The values of a chart below its name in those of another chart, with that chart's global ones. */
function chartValues(value: JsonObject, { file, line }: FilePosition, findings: ImportFinding[]): JsonObject {
  const { istiod, global } = value;
  if (isObject(istiod)) {
    const left = Object.keys(value).filter((key) => key !== "istiod" && key !== "global");
    const others = left.length === 0 ? "" : `; left out ${left.join(", ")}`;
    const message = `Read the values of the chart istiod, below istiod${others}`;
    findings.push({ severity: "note", file, line, message });
    return isObject(global) ? mergeSettings({ global }, istiod) : istiod;
  }
  if (!isOfChart(value)) {
    const message =
      "None of the keys is one of the chart istiod: these are taken as values that templates of your own read";
    findings.push({ severity: "warning", file, line, message });
  }
  return value;
}

/** What an operator says in values of its chart, whether there are any or not. */
export function settingsOfChart(values: JsonObject, position: FilePosition, findings: ImportFinding[]): Settings {
  return settingsOfHelm({ global: {}, ...values }, position, findings);
}
