// What the chart istiod makes of the values that it is given: which of them the injector gets, what is said elsewhere, and what
// istiod's environment says about injection.

import { defined, isObject, type JsonObject, objectOf, valueAt, withoutEntries } from "@outrigger/base";
import { ISTIO_CONFIG_KEYS } from "@outrigger/injector";
import type { ImportFinding } from "../documents/read-documents.ts";
import { mergeSettings, type Settings } from "./settings.ts";

/** Values below `pilot` count as those of the chart, over its own (templates/zzy_descope_legacy.yaml). */
export function withPilotValues(values: JsonObject): JsonObject {
  return mergeSettings(values, objectOf(values["pilot"]));
}

/**
 * The values that the chart writes into the injector's ConfigMap, of those that it is given, without those that a tree says in
 * `config.yaml` or that change no pod. What a template of one's own names stays.
 *
 * @param texts the templates that were imported
 * @returns also the paths of values of Istio's that no template reads: they change no pod
 */
export function injectorValues(
  values: JsonObject,
  texts: readonly string[],
): { values: JsonObject; leftOut: readonly string[] } {
  const { global, sidecarInjectorWebhook, revision, cni, env } = withPilotValues(values);
  const { securityContext, seccompProfile } = objectOf(values["gateways"]);
  const parts = { pilot: defined({ cni, env }), gateways: defined({ securityContext, seccompProfile }) };
  const present = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  const picked = defined({ global, sidecarInjectorWebhook, revision, ...Object.fromEntries(present) });
  const isRead = (key: string) => texts.some((text) => text.includes(key));
  const leftOut: string[] = [];
  let kept: JsonObject = picked;
  for (const [path, isUnread] of UNREAD) {
    const steps = path.split(".");
    const part = valueAt(picked, steps);
    if (!isObject(part)) continue;
    const keys = Object.keys(part).filter((key) => isUnread(key) && !isRead(key));
    leftOut.push(...keys.filter((key) => !isSaidInConfig(path, key)).map((key) => `${path}.${key}`));
    kept = withoutKeys(kept, steps, keys);
  }
  return { values: kept, leftOut };
}

export function isOfChart(values: JsonObject): boolean {
  return Object.keys(values).some((key) => CHART_KEYS.includes(key));
}

/** The paths at which the chart has values that injection's templates do not read, with the keys of those values. */
const UNREAD: readonly (readonly [path: string, isUnread: (key: string) => boolean])[] = [
  ["global.proxy", (key) => key === "autoInject" || key === "variant"],
  ["global", (key) => UNREAD_GLOBALS.includes(key)],
  ["sidecarInjectorWebhook", (key) => ISTIO_CONFIG_KEYS.includes(key) || UNREAD_OF_WEBHOOK.includes(key)],
  ["pilot.cni", (key) => key !== "enabled" && key !== "provider"],
  ["pilot.env", (key) => key !== "ENABLE_CLUSTER_TRUST_BUNDLE_API"],
];

/** `mesh.yaml` has what follows of `remotePilotAddress` and `tracer`. */
const UNREAD_GLOBALS = `certSigners configCluster configValidation defaultPodDisruptionBudget
  defaultResources externalIstiod istiod meshNetworks networkPolicy omitSidecarInjectorConfigMap
  operatorManageWebhooks platform priorityClassName remotePilotAddress resourceScope tracer waypoint`.split(/\s+/);

/** The values that say how the webhook is registered: `registrationOf()` reads one, and Outrigger has its own default for the other. */
const UNREAD_OF_WEBHOOK: readonly string[] = ["enableNamespacesByDefault", "reinvocationPolicy"];

const CHART_KEYS = `global meshConfig sidecarInjectorWebhook pilot cni istio_cni istiodRemote telemetry
  revision gateways defaults _internal_defaults_do_not_set profile platform compatibilityVersion env hub
  tag`.split(/\s+/);

function isSaidInConfig(path: string, key: string): boolean {
  if (path === "global") return key === "platform" || key === "tracer" || key === "remotePilotAddress";
  if (path === "sidecarInjectorWebhook") return ISTIO_CONFIG_KEYS.includes(key) || key === "enableNamespacesByDefault";
  return path === "global.proxy" || ISTIOD_VARIABLES.includes(key);
}

/** Returns the values without some keys of one mapping, and without the mapping if nothing is left of it. */
function withoutKeys(values: JsonObject, [first, ...steps]: readonly string[], keys: readonly string[]): JsonObject {
  if (first === undefined) return withoutEntries(values, keys);
  const part = values[first];
  if (!isObject(part) || keys.length === 0) return values;
  const left = withoutKeys(part, steps, keys);
  return Object.keys(left).length === 0 ? withoutEntries(values, [first]) : { ...values, [first]: left };
}

/** The variables of istiod that injection reads; istiod reads them, no template does. */
export const ISTIOD_VARIABLES: readonly string[] = ["ENABLE_NATIVE_SIDECARS", "COMPLIANCE_POLICY", "PLATFORM"];

/**
 * Entries of `config.yaml`. Istio's defaults: native sidecars since 1.27.
 *
 * @param all the values, as the chart has them
 */
export function istiodEnvironment(
  all: JsonObject,
  settings: readonly Settings[],
  minor: number | undefined,
  findings: ImportFinding[],
): JsonObject {
  const pilot = objectOf(all["pilot"]);
  const patched = settings.map((each) => objectOf(each.environment));
  const environment: JsonObject = Object.assign({}, objectOf(pilot["env"]), objectOf(all["env"]), ...patched);
  const native = environment["ENABLE_NATIVE_SIDECARS"];
  const policy = environment["COMPLIANCE_POLICY"];
  // The chart makes istiod's PLATFORM of it.
  const platform = environment["PLATFORM"] ?? (objectOf(all["global"])["platform"] || all["platform"]);
  const isOld = native === undefined && minor !== undefined && minor < 27;
  if (isOld) {
    const message = "nativeSidecars is false, as it is before Istio 1.27 unless istiod's environment says otherwise";
    findings.push({ severity: "note", file: "config.yaml", message });
  } else if (native === undefined && settings.some(({ isComplete }) => isComplete)) {
    const message =
      "nativeSidecars stays at its default, true: set it to false if istiod runs with ENABLE_NATIVE_SIDECARS=false";
    findings.push({ severity: "note", file: "config.yaml", message });
  }
  return {
    ...(native !== undefined && { nativeSidecars: ["true", "auto"].includes(String(native)) }),
    ...(isOld && { nativeSidecars: false }),
    ...(typeof policy === "string" && policy !== "" && { compliancePolicy: policy }),
    ...(platform === "openshift" && { platform }),
  };
}
