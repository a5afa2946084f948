// What the Sail operator's Istio says about injection.

import { type JsonObject, objectOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import type { ImportDocument } from "../documents/read-documents.ts";
import type { ImportFinding } from "../import-finding.ts";
import { withOperatorProfile } from "./profiles.ts";
import { mergeSettings, type Settings } from "./settings.ts";
import { settingsOfChart } from "./settings-of-helm.ts";

/** `kind: Istio` of the Sail operator and of OpenShift Service Mesh 3. */
export function settingsOfSail(document: ImportDocument, findings: ImportFinding[]): Settings {
  const spec = objectOf(document.value["spec"]);
  const { values: _, profile: __, version, namespace = "istio-system", updateStrategy, ...others } = spec;
  for (const key of Object.keys(others)) {
    const message = `Left out spec.${key} of the Istio: it is not known`;
    findings.push({ severity: "warning", file: document.file, line: document.line, message });
  }
  // The operator sets both, whatever the values say.
  const revision = sailRevision(document.value, String(version), objectOf(updateStrategy));
  const place = { file: document.file, line: document.line };
  const profiled = withOperatorProfile(spec, (message) => void findings.push({ severity: "error", ...place, message }));
  const given = objectOf(profiled["values"]);
  if ((given["platform"] ?? objectOf(given["global"])["platform"]) === undefined) {
    const message =
      "On OpenShift, the operator adds global.platform: openshift, and the profile openshift where none is named: add both there";
    findings.push({ severity: "note", ...place, message });
  }
  const own = mergeSettings(given, { revision, global: { istioNamespace: namespace } });
  const settings = settingsOfChart(own, document, findings);
  return { ...settings, namespace: String(namespace), ...(typeof version === "string" && { version }) };
}

function sailRevision(istio: JsonObject, version: string, updateStrategy: JsonObject): string {
  const name = metadataOf(istio).name || "default";
  if (updateStrategy["type"] === "RevisionBased") return `${name}-${version.replaceAll(".", "-")}`;
  return name === "default" ? "" : name;
}
