// A pod in the form in which an API server of Kubernetes 1.36 sends it to a mutating webhook: after its own defaults and the admission
// plugins that run before webhooks. What is added later (`nodeName`, `status`) is not in it.
import { isObject, type JsonObject, objectOf } from "@outrigger/base";
import type { Pod } from "../generated/pod-types.ts";
import { omitEmpty } from "../schema/stored-form.ts";
import { ADMISSION_STEPS } from "./admission-steps.ts";
import { defaultedForm } from "./defaulted-form.ts";

/**
 * The pod as a webhook is sent it. What its author wrote stays as it is, but for empty lists and maps, null and quantities, which are
 * written as the API server writes them. Returns the same form for a pod that has it already.
 *
 * What only a cluster knows is not in it: limit ranges, and the pull secrets and token setting of service accounts. A priority class
 * that is not one of Kubernetes' own counts 0.
 *
 * @example
 * ```ts
 * admittedForm({ spec: { containers: [{ name: "web", image: "web:1" }] } }, { namespace: "shop" }).spec?.dnsPolicy // => "ClusterFirst"
 * ```
 */
export function admittedForm(pod: Pod, { namespace }: { readonly namespace: string }): Pod {
  const { metadata, ...rest } = defaultedForm(withoutNull(pod as JsonObject));
  const placed: JsonObject = { ...rest, metadata: { namespace, ...objectOf(metadata) } };
  const spec = placed["spec"];
  if (!isObject(spec)) return placed as Pod;
  return { ...placed, spec: ADMISSION_STEPS.reduce((admitted, step) => step(admitted, placed), spec) } as Pod;
}

function withoutNull(pod: JsonObject): JsonObject {
  return omitEmpty(without(pod) as Pod) as JsonObject;
}

function without(value: JsonObject[string]): JsonObject[string] {
  if (Array.isArray(value)) return value.map((item) => without(item) ?? null);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, without(inner)]));
}
