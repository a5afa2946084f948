// The overrides that an earlier injection kept in an annotation, which any author can write.

import { isObject, type JsonObject, OutriggerError, once } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { decodeValue } from "../decode-pod.ts";
import { annotationKeys } from "../keys.ts";

/** Containers as their author wrote them, before an injection merged them with injected ones. */
export type Overrides = {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
};

/**
 * The overrides that an earlier injection recorded.
 *
 * @throws OutriggerError `annotation-invalid` if no injection writes such an annotation
 * @example
 * ```ts
 * readOverrides({ metadata: { annotations: { "proxy.istio.io/overrides": '{"containers":[{"name":"istio-proxy"}]}' } } }) // => { containers: [{ name: "istio-proxy" }], initContainers: [] }
 * readOverrides({}) // => {}
 * ```
 */
export function readOverrides(pod: Pod): Overrides {
  const text = pod.metadata?.annotations?.[annotationKeys.overrides];
  if (text === undefined) return {};
  const value = parse(text);
  if (!isObject(value)) throw invalid("it is not a JSON object");
  return {
    containers: containersOf(value["containers"], "containers"),
    initContainers: containersOf(value["initContainers"], "initContainers"),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid("it is not JSON", cause);
  }
}

function containersOf(value: unknown, list: string): readonly Container[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${list} is not a list`);
  for (const item of value) {
    if (!isObject(item) || typeof item["name"] !== "string") throw invalid(`an item of ${list} has no name`);
  }
  return value.map((item: JsonObject, index) => decodeContainer(item, `${list}[${index}]`));
}

/**
 * Any author can write the annotation, so its types are checked as an API server checks a pod's. The container is kept as
 * it is written: without its nulls, the next injection would record other overrides.
 */
function decodeContainer(item: JsonObject, path: string): Container {
  try {
    decodeValue(item, containerType(), path, "encoded");
    return item as Container;
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    throw invalid(cause.logged?.message ?? "a field has the wrong type", cause);
  }
}

/** The type of one container. */
export const containerType = once(
  () => POD_TYPE.fields.get("spec")?.type.fields.get("containers")?.type.element as TypeSchema,
);

function invalid(problem: string, cause?: unknown): OutriggerError {
  return new OutriggerError(
    "annotation-invalid",
    `Cannot read annotation ${annotationKeys.overrides}: ${problem}; remove it, injection writes it`,
    { path: `metadata.annotations["${annotationKeys.overrides}"]`, cause },
  );
}
