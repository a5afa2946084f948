// Which values of Istio's chart are switches. A text is never false, so that a quoted "false" would turn on what it means
// to turn off; Istio's injector refuses such values too.
// Knows nothing of where the values come from.

import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";

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
 * Checks the switches among the values of one layer, `source`; null takes away what a layer below it set.
 *
 * @throws OutriggerError `values-invalid` for the first that is neither true, false nor null
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

function valueAt(values: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}
