// The annotation in which an earlier injection kept what the author set in injected containers.

import {
  isObject,
  type JsonObject,
  metadataKeys,
  type OutriggerError,
  once,
  ownError,
  parseJson,
} from "@outrigger/base";
import type { Container, Pod, TypeSchema } from "@outrigger/pod";
import { annotationError } from "../decide/validate-annotations.ts";
import { decodeValue, typeAt } from "../decode-pod.ts";

/** Containers as their author wrote them, before an injection merged them with injected ones. */
export type Overrides = {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
};

/**
 * The overrides that an earlier injection recorded.
 *
 * @param key of the annotation
 * @throws OutriggerError `annotation-invalid` if no injection writes such an annotation
 * @example
 * ```ts
 * readOverrides({ metadata: { annotations: { "proxy.istio.io/overrides": '{"containers":[{"name":"istio-proxy"}]}' } } }) // => { containers: [{ name: "istio-proxy" }], initContainers: [] }
 * readOverrides({}) // => {}
 * ```
 */
export function readOverrides(pod: Pod, key: string = metadataKeys.overrides): Overrides {
  const text = pod.metadata?.annotations?.[key];
  if (text === undefined) return {};
  const value = parseJson(text);
  if (!isObject(value)) throw invalid(key, value === undefined ? "it is not JSON" : "it is not a JSON object");
  return {
    containers: containersOf(key, value["containers"], "containers"),
    initContainers: containersOf(key, value["initContainers"], "initContainers"),
  };
}

function containersOf(key: string, value: unknown, list: string): readonly Container[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(key, `${list} is not a list`);
  for (const item of value) {
    if (!isObject(item) || typeof item["name"] !== "string") throw invalid(key, `an item of ${list} has no name`);
  }
  return value.map((item: JsonObject, index) => decodeContainer(key, item, `${list}[${index}]`));
}

/**
 * Any author can write the annotation, so its types are checked as an API server checks a pod's. The container is kept as
 * it is written: without its nulls, the next injection would record other overrides.
 */
function decodeContainer(key: string, item: JsonObject, path: string): Container {
  try {
    decodeValue(item, containerType(), path, "encoded");
    return item as Container;
  } catch (cause) {
    throw invalid(key, ownError(cause).logged?.message ?? "a field has the wrong type", cause);
  }
}

export const containerType = once(() => typeAt(["spec", "containers", 0]) as TypeSchema);

function invalid(name: string, problem: string, cause?: unknown): OutriggerError {
  const message = `Cannot read annotation ${name}: ${problem}; remove it, injection writes it`;
  return annotationError(name, message, undefined, cause);
}
