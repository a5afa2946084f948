// The profiles of Istio's chart istiod, of its operator and of the Sail operator: of their values, those on which injected pods
// depend. They are the same in releases 1.28 to 1.31 and in the development line.

import { entryOf, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { mergeSettings } from "./settings.ts";

const CHART_PROFILES: Readonly<Record<string, JsonObject>> = {
  ambient: {
    global: { variant: "distroless" },
    meshConfig: { defaultConfig: { proxyMetadata: { ISTIO_META_ENABLE_HBONE: "true" } } },
  },
  demo: { global: { proxy: { resources: { requests: { cpu: "10m", memory: "40Mi" } } } } },
  preview: { meshConfig: { defaultConfig: { proxyMetadata: { ISTIO_META_DNS_CAPTURE: "true" } } } },
  remote: { configMap: false, istiodRemote: { enabled: true }, telemetry: { enabled: false } },
  stable: {},
  // The chart has no files of these names; its operators have.
  default: {},
  minimal: {},
};

const PLATFORMS: Readonly<Record<string, JsonObject>> = {
  gke: {},
  k3d: {},
  k3s: {},
  microk8s: {},
  minikube: {},
  openshift: { pilot: { cni: { enabled: true, provider: "multus" } } },
};

const WITHOUT_NATIVE_SIDECARS: JsonObject = { pilot: { env: { ENABLE_NATIVE_SIDECARS: "false" } } };
const COMPATIBILITY_VERSIONS: Readonly<Record<string, JsonObject>> = {
  "1.25": WITHOUT_NATIVE_SIDECARS,
  "1.26": WITHOUT_NATIVE_SIDECARS,
  "1.27": {},
  "1.28": {},
  "1.29": {},
  "1.30": {},
};

const CNI: JsonObject = { components: { cni: { enabled: true } } };

/** The settings of an operator's profiles below `spec`. The Sail operator reads the values alone. */
const OPERATOR_PROFILES: Readonly<Record<string, JsonObject>> = {
  ambient: { ...CNI, values: { profile: "ambient" } },
  default: {},
  demo: { values: { profile: "demo" } },
  empty: { components: { pilot: { enabled: false } } },
  minimal: {},
  openshift: { ...CNI, values: { global: { platform: "openshift" } } },
  "openshift-ambient": { ...CNI, values: { profile: "ambient", global: { platform: "openshift" } } },
  preview: { values: { profile: "preview" } },
  remote: { values: { profile: "remote" } },
  stable: { values: { profile: "stable" } },
};

/** A spec over the profile that it names. A profile that is not known changes nothing: `report` is called. */
export function withOperatorProfile(spec: JsonObject, report: (problem: string) => void): JsonObject {
  return mergeSettings(lookUp(OPERATOR_PROFILES, "spec.profile", spec["profile"], report), spec);
}

/** Values over those of the profile, the compatibility version and the platform that they name, as the chart merges them. */
export function withProfiles(values: JsonObject, report: (problem: string) => void): JsonObject {
  const global = objectOf(values["global"]);
  const { profile, platform, compatibilityVersion } = values;
  return [
    lookUp(CHART_PROFILES, "profile", profile || global["profile"], report),
    lookUp(COMPATIBILITY_VERSIONS, "compatibilityVersion", compatibilityVersion, report),
    lookUp(PLATFORMS, "platform", platform || global["platform"], report),
    values,
  ].reduce(mergeSettings);
}

function lookUp(
  table: Readonly<Record<string, JsonObject>>,
  key: string,
  name: JsonValue | undefined,
  report: (problem: string) => void,
): JsonObject {
  if (name === undefined || name === null || name === "") return {};
  const found = entryOf(table, String(name));
  if (found !== undefined) return found;
  const known = `Istio 1.28 to 1.31 has ${Object.keys(table).join(", ")}`;
  const fix = "import the ConfigMaps istio-sidecar-injector and istio, which have the values in use";
  report(`Cannot read the values of ${key} ${String(name)}: ${known}; ${fix}`);
  return {};
}
