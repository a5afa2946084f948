// The values of Istio's chart that are switches. Text is always true in templates, so a quoted "false" would turn a switch
// on. Istio's injector rejects such values too.

import { type JsonObject, OutriggerError, valueAt } from "@outrigger/base";

const switches: readonly string[] = [
  "global.logAsJson",
  "global.mountMtlsCerts",
  "global.nativeNftables",
  "global.proxy.holdApplicationUntilProxyStarts",
  "global.proxy.privileged",
  "global.proxy.startupProbe.enabled",
  "pilot.cni.enabled",
  "sidecarInjectorWebhook.rewriteAppHTTPProbe",
];

/**
 * Checks the switches among the values of one layer, `source`. Null removes the setting of a lower layer.
 *
 * @throws OutriggerError `values-invalid` for the first value that is neither true, false nor null
 */
export function checkSwitches(values: JsonObject, source: string): void {
  for (const name of switches) {
    const value = valueAt(values, name.split("."));
    if (value === undefined || value === null || typeof value === "boolean") continue;
    throw new OutriggerError("values-invalid", `Cannot use ${source}: ${name} must be true or false, without quotes`, {
      path: source,
    });
  }
}
