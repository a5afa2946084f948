// The MeshConfig that the chart istiod makes of its values (templates/configmap.yaml of the chart): some fields follow from other
// values, and `meshConfig` lies over them. Releases 1.28 to 1.31 and the development line derive the same.

import { isObject, type JsonObject, type JsonValue, objectOf, valueAt } from "@outrigger/base";
import { mergeSettings } from "./settings.ts";

/**
 * @param given the values over the chart's defaults
 * @param namespace the namespace of the Helm release; the values do not hold it
 * @returns `problems`: what the chart cannot make a mesh of, by which value, and how to fix it
 */
export function chartMesh(given: JsonObject, namespace: string) {
  const problems: string[] = [];
  const values = mergeSettings(DEFAULTS, given);
  const text = (path: string) => textAt(values, path, problems);
  const rootNamespace = text("meshConfig.rootNamespace") || text("global.istioNamespace");
  if (rootNamespace === "") problems.push("global.istioNamespace is empty: set it to istiod's namespace");
  const meshId = text("global.meshID");
  const imageType = text("global.proxy.variant") || text("global.variant");
  const tracing = tracingOf(values, problems);
  const derived: JsonObject = {
    trustDomain: "cluster.local",
    rootNamespace,
    ...defaultProviders(values),
    defaultConfig: {
      ...(meshId !== "" && { meshId }),
      ...(imageType !== "" && { image: { imageType } }),
      ...(tracing !== undefined && { tracing }),
      discoveryAddress: `${discoveryHost(values, problems)}.${namespace}.svc:15012`,
    },
  };
  return { mesh: mergeSettings(derived, objectOf(values["meshConfig"])), problems };
}

/** The namespace of istiod's Helm release, where nothing says another: the chart asks for the same one in both places. */
export function istioNamespaceOf(values: JsonObject): string {
  return textAt(mergeSettings(DEFAULTS, values), "global.istioNamespace", []);
}

/** The chart's own values, as far as the mesh depends on them. */
const DEFAULTS: JsonObject = {
  revision: "",
  global: { istioNamespace: "istio-system", proxy: { tracer: "none" } },
  meshConfig: { enablePrometheusMerge: true },
  telemetry: { enabled: true, v2: { enabled: true, prometheus: { enabled: true }, stackdriver: { enabled: false } } },
};

function discoveryHost(values: JsonObject, problems: string[]): string {
  const remote = objectOf(values["istiodRemote"]);
  if (textAt(values, "global.remotePilotAddress", problems) !== "") {
    return isTrue(remote["enabled"]) && isTrue(remote["enabledLocalInjectorIstiod"]) ? "istiod-remote" : "istiod";
  }
  const revision = values["revision"];
  if (typeof revision !== "string") problems.push("revision must be text: put it in quotes");
  return revision === "" ? "istiod" : `istiod-${String(revision)}`;
}

/** Prometheus by default, unless telemetry is off or `meshConfig` names providers. */
function defaultProviders(values: JsonObject): JsonObject {
  const isOn = (...path: readonly string[]) => valueAt(values, ["telemetry", ...path, "enabled"]);
  const own = valueAt(values, ["meshConfig", "defaultProviders"]);
  if (isTrue(own) || !isTrue(isOn()) || !isTrue(isOn("v2"))) return {};
  const hasPrometheus = String(isOn("v2", "prometheus")) === "true";
  const hasStackdriver = String(isOn("v2", "stackdriver")) === "true";
  if (!hasPrometheus && !hasStackdriver) return {};
  const metrics = [...(hasPrometheus ? ["prometheus"] : []), ...(hasStackdriver ? ["stackdriver"] : [])];
  return { defaultProviders: { metrics, ...(hasStackdriver && { accessLogging: ["stackdriver"] }) } };
}

/** `global.proxy.tracer`, with its settings below `global.tracer`. Other tracers are configured in `meshConfig`. */
function tracingOf(values: JsonObject, problems: string[]): JsonObject | undefined {
  const tracer = textAt(values, "global.proxy.tracer", problems);
  const text = (key: string) => textAt(values, `global.tracer.${tracer}.${key}`, problems);
  if (tracer === "zipkin") {
    return { zipkin: { address: text("address") || `zipkin.${istioNamespaceOf(values)}:9411` } };
  }
  if (tracer === "datadog") return { datadog: { address: text("address") || "$(HOST_IP):8126" } };
  if (tracer === "stackdriver") {
    const most = { maxNumberOfAttributes: 200, maxNumberOfAnnotations: 200, maxNumberOfMessageEvents: 200 };
    return { stackdriver: { debug: false, ...most } };
  }
  if (tracer !== "lightstep") return undefined;
  for (const key of ["address", "accessToken"]) {
    if (text(key) !== "") continue;
    problems.push(`global.tracer.lightstep.${key} is missing, and global.proxy.tracer is lightstep: set it`);
  }
  return { lightstep: { address: text("address"), accessToken: text("accessToken") } };
}

/** The text of a value, as a template prints it: empty for one that counts as not set. */
function textAt(values: JsonObject, path: string, problems: string[]): string {
  const value = valueAt(values, path.split("."));
  if (!isTrue(value)) return "";
  if (typeof value !== "object") return String(value);
  problems.push(`${path} must be text: it is ${isObject(value) ? "a mapping" : "a list"}`);
  return "";
}

/** Whether a Go template takes a value for true. */
function isTrue(value: JsonValue | undefined): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "" && value !== 0 && value !== false;
}
