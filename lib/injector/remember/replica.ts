// What replicas of one workload differ in, as a webhook gets them: the name of the volume with the pod's token, which an
// API server generates for each pod. Everything else must be equal.
// Source: the ServiceAccount admission plugin of Kubernetes, which runs before webhooks.

import { isObject, type JsonValue } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";

/** A pod in memory, to compare others with. */
export interface Sample {
  readonly pod: JsonValue;
  /** The generated name in it, where exchanging it for another one is well-defined. */
  readonly generated: string | undefined;
  /** At least what the pod takes in memory. */
  readonly bytes: number;
}

/** The generated name of a sample, and that of its replica. Equal, or empty, where they do not differ. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

const PREFIX = "kube-api-access-";
const GENERATED = /^kube-api-access-[a-z0-9]{5}$/;

export function sampleOf(pod: Pod): Sample {
  const found = generatedName(pod);
  const measure: Measure = { generated: found, isClear: true, bytes: 0 };
  measureValue(pod as JsonValue, measure);
  return { pod: pod as JsonValue, generated: measure.isClear ? found : undefined, bytes: measure.bytes };
}

/**
 * How to make the pod out of the sample; undefined if they differ in more than the generated name. The order of fields counts:
 * a template can show it.
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

interface Measure {
  readonly generated: string | undefined;
  /** No such name occurs but as that whole text: an exchange hits nothing else, and no new name means anything yet. */
  isClear: boolean;
  bytes: number;
}

/**
 * What V8 takes at most, with what the checks of a pod note of each object. A field has a hidden class of its own where the
 * author chose the key, and an object with numbers for keys has a table or a list with gaps.
 */
const NODE = 64;
const FIELD = 64;
const INDEX = 256;
const SCALAR = 24;
const TEXT = 32;

/** What a text takes at most: V8 has two bytes for each of its characters if one of them is not of Latin-1. */
export function textBytes(text: string): number {
  return TEXT + (text.length < SHORT || IS_WIDE.test(text) ? 2 : 1) * text.length;
}

/** Texts that are not worth a look. */
const SHORT = 16;
const IS_WIDE = /[^\0-\u00ff]/;

function measureValue(value: JsonValue | undefined, measure: Measure): void {
  if (typeof value === "string") {
    measure.bytes += textBytes(value);
    if (value !== measure.generated && value.includes(PREFIX)) measure.isClear = false;
  } else if (typeof value === "object" && value !== null) {
    measure.bytes += NODE;
    if (Array.isArray(value)) for (const item of value) measureValue(item, measure);
    else for (const [field, child] of Object.entries(value)) measureField(field, child, measure);
  } else measure.bytes += SCALAR;
}

function measureField(field: string, child: JsonValue | undefined, measure: Measure): void {
  const first = field.charCodeAt(0);
  measure.bytes += FIELD + textBytes(field) + (first >= 0x30 && first <= 0x39 ? INDEX : 0);
  if (field.includes(PREFIX)) measure.isClear = false;
  measureValue(child, measure);
}

/** Whether a text that an injection read or wrote may mean one more generated name than that of the sample. */
export function mentionsAnother(text: string, { generated }: Sample): boolean {
  return (generated === undefined ? text : text.replaceAll(generated, "")).includes(PREFIX);
}
