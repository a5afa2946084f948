// Volumes and mounts that a pod's author adds to the proxy in annotations, read as the reference reads them: a JSON object
// of name to volume, a JSON list or null, field names in any case, unknown fields dropped.

import {
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  memoize,
  metadataKeys,
  type OutriggerError,
  ownError,
  parseJson,
} from "@outrigger/base";
import type { TypeSchema } from "@outrigger/pod";
import { annotationError } from "../decide/validate-annotations.ts";
import { decodeValue, typeAt } from "../decode-pod.ts";

const VOLUME = metadataKeys.userVolume;
const MOUNT = metadataKeys.userVolumeMount;
const EXAMPLES = {
  [VOLUME]: '[{"name":"data","emptyDir":{}}]',
  [MOUNT]: '[{"name":"data","mountPath":"/data"}]',
} as const;
type VolumeAnnotation = keyof typeof EXAMPLES;

/**
 * The volumes of the annotation `sidecar.istio.io/userVolume`. A volume without a name has its key or index as name.
 *
 * @throws OutriggerError `annotation-invalid`
 * @example
 * ```ts
 * readUserVolumes('{"data":{"emptydir":{}}}') // => [{ name: "data", emptyDir: {} }]
 * readUserVolumes('[{"name":"data","emptyDir":{}}]') // => [{ name: "data", emptyDir: {} }]
 * ```
 */
export const readUserVolumes: (text: string) => readonly JsonObject[] = memoize((text) =>
  readItems(text, VOLUME, ["spec", "volumes", 0]),
);

/**
 * The mounts of the annotation `sidecar.istio.io/userVolumeMount`. A mount without a name has its key or index as name.
 *
 * @throws OutriggerError `annotation-invalid`
 */
export const readUserVolumeMounts: (text: string) => readonly JsonObject[] = memoize((text) => {
  const mounts = readItems(text, MOUNT, ["spec", "containers", 0, "volumeMounts", 0]);
  const at = mounts.findIndex((mount) => !mount["mountPath"]);
  if (at !== -1) throw invalid(MOUNT, `item ${at + 1} has no mountPath`);
  return mounts;
});

/** @param place of such an item in a pod */
function readItems(text: string, annotation: VolumeAnnotation, place: FieldPath): readonly JsonObject[] {
  const value = parseJson(text) as JsonValue | undefined;
  if (value === undefined) throw invalid(annotation, "it is not JSON", jsonFault(text));
  if (value === null) return [];
  if (!isObject(value) && !Array.isArray(value)) {
    throw invalid(annotation, "it is not a JSON object of name to value, and not a JSON list");
  }
  const type = typeAt(place) as TypeSchema;
  // Go goes through a map in the order of its keys.
  const keys = Array.isArray(value) ? Object.keys(value) : Object.keys(value).sort();
  return keys.map((key) => readItem(key, value[key as never], annotation, type));
}

function readItem(key: string, item: JsonValue | undefined, annotation: VolumeAnnotation, type: TypeSchema) {
  if (item !== null && !isObject(item)) throw invalid(annotation, "an item is not a JSON object", `: ${key}`);
  try {
    return decodeValue({ name: key, ...item }, type, "", "embedded") as JsonObject;
  } catch (cause) {
    const error = ownError(cause);
    throw invalid(annotation, `in item ${key}, ${error.message}`, "", error);
  }
}

/**
 * Returns as much of a fault as JSON.parse() knows: `: unexpected token 'n'`, or ` at character 12: expected ',' or ']'
 * after array element`
 */
function jsonFault(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    const [reason = "", rest] = String((error as Error).message).split(" in JSON at position ");
    const at = rest === undefined ? undefined : Number.parseInt(rest, 10) + 1;
    // What follows quotes the text.
    const [fault = ""] = reason.split(/, (?:"|\.\.\.)/);
    return `${at === undefined ? "" : ` at character ${at}`}: ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`;
  }
}

/** @param shown the end of the problem that quotes the annotation */
function invalid(annotation: VolumeAnnotation, problem: string, shown = "", cause?: OutriggerError): OutriggerError {
  const failed = `Cannot read annotation ${annotation}`;
  const message = `${failed}: ${problem}${shown}; write it as ${EXAMPLES[annotation]}`;
  return annotationError(annotation, message, `${failed}: ${cause?.logged?.message ?? problem}`, cause);
}
