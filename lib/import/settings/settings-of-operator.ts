// What an IstioOperator says about injection. Each key is classified by what it changes in the two ConfigMaps that the operator
// renders, and in istiod's environment; the order in which values win is the operator's own.

import { defined, isObject, type JsonObject, type JsonValue, objectOf, objectsOf, valueAt } from "@outrigger/base";
import type { ImportDocument } from "../documents/read-documents.ts";
import type { ImportFinding } from "../import-finding.ts";
import { istioNamespaceOf } from "./chart-mesh.ts";
import { ISTIOD_VARIABLES } from "./istiod-environment.ts";
import { withOperatorProfile } from "./profiles.ts";
import { mergeSettings, type Settings } from "./settings.ts";
import { settingsOfChart } from "./settings-of-helm.ts";

/** The keys of an IstioOperator, below `spec` and `spec.components`, on which an injected pod depends. */
const READ = `profile hub tag revision meshConfig values unvalidatedValues compatibilityVersion components.cni
  components.pilot`.split(/\s+/);
/** Those that change no injected pod. */
const WITHOUT_EFFECT = `namespace components.base components.ztunnel components.istiodRemote components.ingressGateways
  components.egressGateways`.split(/\s+/);

export function settingsOfOperator(document: ImportDocument, findings: ImportFinding[]): Settings {
  const given = objectOf(document.value["spec"]);
  const note = (severity: ImportFinding["severity"], message: string) =>
    void findings.push({ severity, file: document.file, line: document.line, message });
  reportKeys(given, note);
  const spec = withOperatorProfile(given, (problem) => note("error", problem));
  const components = objectOf(spec["components"]);
  const pilot = objectOf(components["pilot"]);
  const environment = istiodVariables(pilot, note);
  reportPatches(pilot, note);
  const values = operatorValues(spec, components);
  const namespace = pilot["namespace"] ?? istioNamespaceOf(values);
  return { ...settingsOfChart(values, document, findings), namespace: String(namespace), environment };
}

/**
 * The values that the operator gives its chart: `values` win over `revision`, `hub` and `tag`, and `meshConfig` and
 * `components.cni.enabled` win over `values`; `unvalidatedValues` win over all.
 */
function operatorValues(spec: JsonObject, components: JsonObject): JsonObject {
  const { hub, tag, revision, compatibilityVersion, meshConfig } = spec;
  const own = objectOf(spec["values"]);
  const images = defined({ hub, tag });
  const under: JsonObject = {
    ...defined({ revision, compatibilityVersion }),
    ...(Object.keys(images).length > 0 && { global: images }),
  };
  const hasCni = valueAt(components, ["cni", "enabled"]) === true;
  const isOpenShift = [own["platform"], valueAt(own, ["global", "platform"])].includes("openshift");
  const isSaid = hasCni || isOpenShift || valueAt(own, ["pilot", "cni", "enabled"]) !== undefined;
  const over: JsonObject = {
    ...(isObject(meshConfig) && { meshConfig }),
    ...(isSaid && { pilot: { cni: { enabled: hasCni } } }),
  };
  return [own, over, objectOf(spec["unvalidatedValues"])].reduce(mergeSettings, under);
}

type Note = (severity: ImportFinding["severity"], message: string) => void;

function reportKeys(spec: JsonObject, note: Note): void {
  const { components, installPackagePath, ...others } = spec;
  const parts = Object.entries(objectOf(components)).map(([key, value]) => [`components.${key}`, value] as const);
  const given = [...Object.entries(others), ...parts].filter(([, value]) => !isEmpty(value)).map(([key]) => key);
  const without = given.filter((key) => WITHOUT_EFFECT.includes(key));
  if (without.length > 0) {
    note("note", `Left out spec.${without.join(", spec.")} of the IstioOperator: it changes no injected pod`);
  }
  for (const key of given.filter((one) => !READ.includes(one) && !WITHOUT_EFFECT.includes(one))) {
    note("warning", `Left out spec.${key} of the IstioOperator: it is not known; set by hand what it changes in pods`);
  }
  if (isEmpty(installPackagePath)) return;
  const message = `Left out the charts and profiles of spec.installPackagePath, ${String(installPackagePath)}: import the ConfigMaps instead`;
  note("warning", message);
}

/** Variables that the operator patches into istiod's container. */
function istiodVariables(pilot: JsonObject, note: Note): JsonObject {
  const named = objectsOf(valueAt(pilot, ["k8s", "env"])).filter(({ name }) => ISTIOD_VARIABLES.includes(String(name)));
  const entries = named.map(({ name, value }): readonly [string, string | undefined] => {
    if (typeof value === "string") return [String(name), value];
    note("error", `Cannot read ${String(name)} of spec.components.pilot.k8s.env: it is no text; set it in config.yaml`);
    return [String(name), undefined];
  });
  return Object.fromEntries(entries);
}

function reportPatches(pilot: JsonObject, note: Note): void {
  if (pilot["enabled"] === false) {
    note("warning", "spec.components.pilot.enabled is false: this IstioOperator installs no injector; import another");
  }
  for (const { kind, name } of objectsOf(valueAt(pilot, ["k8s", "overlays"]))) {
    if (kind !== "ConfigMap" && kind !== "Deployment") continue;
    const message = `Cannot apply the patches of ${kind} ${String(name)} in spec.components.pilot.k8s.overlays: import the ConfigMaps istio-sidecar-injector and istio, which have them`;
    note(kind === "ConfigMap" ? "error" : "warning", message);
  }
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
