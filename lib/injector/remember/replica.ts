// Pods that differ in their names alone: a sample for all of them, and how its result is renamed.

import { heapBytes, isObject, type JsonValue } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";

/** A pod in memory, to compare others with. */
export interface Sample {
  readonly pod: JsonValue;
  /** The generated name in it, where exchanging it for another one is well-defined. */
  readonly generated: string | undefined;
  /** The bytes of memory that the pod takes at least. */
  readonly bytes: number;
}

/** The generated name of a sample, and that of its replica. Equal, or empty, where they do not differ. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** The prefix of the name that the ServiceAccount admission plugin generates for the volume with a pod's token. */
export const PREFIX = "kube-api-access-";

const GENERATED = /^kube-api-access-[a-z0-9]{5}$/;

export function sampleOf(pod: Pod): Sample {
  const found = generatedName(pod);
  const isClear = found === undefined || isWhole(pod as JsonValue, found);
  return { pod: pod as JsonValue, generated: isClear ? found : undefined, bytes: heapBytes(pod) };
}

/**
 * Returns how to make the pod out of the sample, or undefined if they differ in more than the generated name. Replicas
 * differ in the name of the volume with the pod's token, which the ServiceAccount admission plugin generates before
 * webhooks run. The order of fields counts: a template can show it.
 */
export function renamingTo(pod: Pod, { pod: earlier, generated: from }: Sample): Renaming | undefined {
  const to = from === undefined ? undefined : generatedName(pod);
  const renaming = from === undefined || to === undefined || from === to ? SAME : { from, to };
  return isRenamed(earlier, pod as JsonValue, renaming) ? renaming : undefined;
}

const SAME: Renaming = Object.freeze({ from: "", to: "" });

function generatedName({ spec }: Pod): string | undefined {
  const volumes: unknown = isObject(spec) ? spec.volumes : undefined;
  if (!Array.isArray(volumes)) return undefined;
  for (const volume of volumes) {
    const name = isObject(volume) ? volume["name"] : undefined;
    if (typeof name === "string" && GENERATED.test(name)) return name;
  }
  return undefined;
}

function isRenamed(before: JsonValue | undefined, after: JsonValue | undefined, renaming: Renaming): boolean {
  if (typeof before !== "object" || before === null) {
    const { from, to } = renaming;
    return from !== to && (before === from || after === to) ? before === from && after === to : before === after;
  }
  if (typeof after !== "object" || after === null) return false;
  if (Array.isArray(before)) {
    if (!Array.isArray(after) || before.length !== after.length) return false;
    for (let at = 0; at < before.length; at++) if (!isRenamed(before[at], after[at], renaming)) return false;
    return true;
  }
  if (!isObject(before) || !isObject(after)) return false;
  const fields = Object.keys(before);
  const others = Object.keys(after);
  if (fields.length !== others.length) return false;
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as string;
    if (field !== others[at] || !isRenamed(before[field], after[field], renaming)) return false;
  }
  return true;
}

/** Whether no such name occurs but as that whole text: an exchange hits nothing else, and no new name means anything yet. */
function isWhole(value: JsonValue | undefined, generated: string): boolean {
  if (typeof value === "string") return value === generated || !value.includes(PREFIX);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isWhole(item, generated));
  return Object.entries(value).every(([field, child]) => !field.includes(PREFIX) && isWhole(child, generated));
}
