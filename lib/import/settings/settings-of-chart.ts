// What the chart istiod is given, by Helm values, an IstioOperator or the Istio of the Sail operator. Each key of an
// IstioOperator is classified by what it changes in the two ConfigMaps that the operator renders, and in istiod's environment; the
// order in which values win is the operator's own.

import { defined, isObject, type JsonObject, type JsonValue, objectOf, objectsOf, valueAt } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import type { ImportDocument, ImportFinding } from "../documents/read-documents.ts";
import { istioNamespaceOf } from "./chart-mesh.ts";
import { ISTIOD_VARIABLES, isOfChart, withPilotValues } from "./chart-values.ts";
import { withOperatorProfile } from "./profiles.ts";
import { configOf, isUnset, mergeSettings, type Settings } from "./settings.ts";

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

/** Returns the settings of an operator in values of its chart, whether there are any or not. */
function settingsOfChart(values: JsonObject, position: FilePosition, findings: ImportFinding[]): Settings {
  return settingsOfHelm({ global: {}, ...values }, position, findings);
}

/** The keys of an IstioOperator, below `spec` and `spec.components`, on which an injected pod depends. */
const READ = `profile hub tag revision meshConfig values unvalidatedValues compatibilityVersion components.cni
  components.pilot`.split(/\s+/);
/** The fields of an IstioOperator that change no injected pod. */
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
  return value === "" || isUnset(value);
}

/** `kind: Istio` of the Sail operator and of OpenShift Service Mesh 3. */
export function settingsOfSail(document: ImportDocument, findings: ImportFinding[]): Settings {
  const spec = objectOf(document.value["spec"]);
  const { values: _, profile: __, version, namespace = "istio-system", updateStrategy, ...others } = spec;
  const place = { file: document.file, line: document.line };
  for (const key of Object.keys(others)) {
    findings.push({ severity: "warning", ...place, message: `Left out spec.${key} of the Istio: it is not known` });
  }
  // The operator sets both, whatever the values say.
  const revision = sailRevision(document.value, String(version), objectOf(updateStrategy));
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
