// What the chart istiod makes of the values that it is given: which of them the injector gets, and what is said elsewhere.

import { defined, type JsonObject, objectOf } from "@outrigger/base";
import { mergeSettings } from "./settings.ts";

/** Values below `pilot` count as those of the chart, over its own (templates/zzy_descope_legacy.yaml). */
export function withPilotValues(values: JsonObject): JsonObject {
  return mergeSettings(values, objectOf(values["pilot"]));
}

/** The values that the chart writes into the injector's ConfigMap, of those that it is given. */
export function injectorValues(values: JsonObject): JsonObject {
  const { global, sidecarInjectorWebhook, revision, cni, env } = withPilotValues(values);
  const { securityContext, seccompProfile } = objectOf(values["gateways"]);
  const parts = { pilot: defined({ cni, env }), gateways: defined({ securityContext, seccompProfile }) };
  const present = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  return defined({ global, sidecarInjectorWebhook, revision, ...Object.fromEntries(present) });
}

/** Whether any of the values is one that the chart has. */
export function isOfChart(values: JsonObject): boolean {
  return Object.keys(values).some((key) => CHART_KEYS.includes(key));
}

const CHART_KEYS: readonly string[] = [
  "global",
  "meshConfig",
  "sidecarInjectorWebhook",
  "pilot",
  "cni",
  "istio_cni",
  "istiodRemote",
  "telemetry",
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
