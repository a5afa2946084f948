// The pods of the vendored cases, for an API server that has nothing but a namespace.
import { type JsonObject, objectOf } from "@outrigger/base";

/** The pod in a namespace, without what an API server sets; nulls are nothing, as a manifest is read. */
export function inNamespace(namespace: string, pod: JsonObject, name = "case"): JsonObject {
  const text = JSON.stringify(pod, (_, value) => (value === null ? undefined : value));
  const { metadata, spec } = JSON.parse(text) as Readonly<Record<"metadata" | "spec", JsonObject>>;
  const { uid, creationTimestamp, managedFields, resourceVersion, ...own } = metadata ?? {};
  return { apiVersion: "v1", kind: "Pod", metadata: { ...own, name, namespace }, spec };
}

/** The pod without the names of other objects, which the cluster does not have. */
export function withoutReferences({ spec, ...pod }: JsonObject): JsonObject {
  const { serviceAccountName, serviceAccount, priorityClassName, runtimeClassName, ...own } = objectOf(spec);
  return { ...pod, spec: own };
}
