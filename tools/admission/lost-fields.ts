// Which parts of a pod an API server did not keep. It adds defaults and writes quantities in their canonical form, and may
// do nothing else to what a patch makes.
import { isObject, type JsonObject } from "@outrigger/base";
import { keepStoredForm } from "@outrigger/pod";

/** Paths of fields and items that `stored` does not have, or has with another value. */
export function lostFields(sent: JsonObject, stored: JsonObject): readonly string[] {
  return lost(sent, stored, "");
}

function lost(sent: unknown, stored: unknown, path: string): readonly string[] {
  if (isZero(sent) && stored === undefined) return [];
  if (Array.isArray(sent)) {
    if (!Array.isArray(stored) || stored.length !== sent.length) return [`${path} has other items`];
    return sent.flatMap((item, index) => lost(item, stored[index], `${path}[${index}]`));
  }
  if (isObject(sent)) {
    if (!isObject(stored)) return [`${path} is gone`];
    return Object.entries(sent).flatMap(([key, value]) => lost(value, stored[key], `${path}.${key}`));
  }
  return sent === stored || isSameQuantity(sent, stored) ? [] : [`${path} is ${JSON.stringify(stored)}`];
}

/** Whether an API server's encoding leaves a value out. */
function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function isSameQuantity(a: unknown, b: unknown): boolean {
  if (typeof b !== "string" || (typeof a !== "string" && typeof a !== "number")) return false;
  const withCpu = (cpu: string) => ({ spec: { overhead: { cpu } } });
  return keepStoredForm(withCpu(String(a)), withCpu(b)).spec.overhead.cpu === b;
}
