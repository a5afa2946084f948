// The switches among the values of Istio's chart.

import { valueAt } from "@outrigger/base";
import { fieldError, type SourceText } from "./source-text.ts";

const switches: readonly string[] = (
  "global.logAsJson global.mountMtlsCerts global.nativeNftables global.proxy.holdApplicationUntilProxyStarts " +
  "global.proxy.privileged global.proxy.startupProbe.enabled pilot.cni.enabled sidecarInjectorWebhook.rewriteAppHTTPProbe"
).split(" ");

/**
 * Checks the switches of Istio's chart in the values of one layer: text is always true in templates, so a quoted "false" would turn
 * one on. Istio's injector rejects such values too. Null removes the setting of a lower layer.
 *
 * @throws OutriggerError `values-invalid` for the first value that is neither true, false nor null
 */
export function checkSwitches(source: SourceText): void {
  for (const name of switches) {
    const value = valueAt(source.value, name.split("."));
    if (value === undefined || value === null || typeof value === "boolean") continue;
    const message = `Cannot use ${source.path}: ${name} must be true or false, without quotes`;
    throw fieldError("values-invalid", source, name.split("."), message);
  }
}
