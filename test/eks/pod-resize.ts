// What an API server lets the subresource `resize` change of a pod, as Kubernetes 1.33 has it. Pure. Source: KEP-1287, "Validation".
import { type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import { quantityThousandths } from "@outrigger/pod";

const LISTS = ["containers", "initContainers"] as const;

/** The message of a refusal; undefined where the resize is taken. */
export function whyNotResized(before: JsonObject, after: JsonObject): string | undefined {
  const [was, will] = [before, after].map(({ spec }) => objectOf(spec)) as [JsonObject, JsonObject];
  if (!jsonEqual(withoutResources(was), withoutResources(will)))
    return "spec: Forbidden: only cpu and memory resources are mutable";
  for (const list of LISTS) {
    for (const [index, container] of objectsOf(will[list]).entries()) {
      const old = objectsOf(was[list])[index] ?? {};
      const why = whyOf(objectOf(old["resources"]), objectOf(container["resources"]), container, list);
      if (why !== undefined) return `spec.${list}[${index}].${why}`;
    }
  }
  return qosOf(was) === qosOf(will)
    ? undefined
    : `spec: Invalid value: "${qosOf(will)}": Pod QOS Class may not change as a result of resizing`;
}

function whyOf(old: JsonObject, next: JsonObject, container: JsonObject, list: string): string | undefined {
  if (jsonEqual(old, next)) return undefined;
  if (list === "initContainers" && container["restartPolicy"] !== "Always")
    return "resources: Forbidden: resources for non-sidecar init containers are immutable";
  for (const kind of ["requests", "limits"] as const) {
    const [was, will] = [objectOf(old[kind]), objectOf(next[kind])];
    for (const name of new Set([...Object.keys(was), ...Object.keys(will)])) {
      if (was[name] === will[name]) continue;
      if (name !== "cpu" && name !== "memory") return "resources: Forbidden: only cpu and memory resources are mutable";
      if (will[name] === undefined) return `resources.${kind}: Forbidden: resource ${kind} cannot be removed`;
      const isLess = kind === "limits" && name === "memory" && amount(will[name]) < amount(was[name] ?? "0");
      const isRestarted = objectsOf(container["resizePolicy"]).some(
        ({ resourceName, restartPolicy }) => resourceName === "memory" && restartPolicy === "RestartContainer",
      );
      if (isLess && !isRestarted)
        return "resources.limits: Forbidden: memory limits cannot be decreased unless resizePolicy is RestartContainer";
    }
  }
  const { requests, limits } = next;
  const above = Object.entries(objectOf(requests)).find(
    ([name, request]) => amount(objectOf(limits)[name] ?? request) < amount(request),
  );
  return above && `resources.requests: Invalid value: must be less than or equal to ${above[0]} limit`;
}

function amount(value: unknown): bigint {
  return quantityThousandths(String(value));
}

function withoutResources(spec: JsonObject): JsonObject {
  const lists = LISTS.map((list) => [list, objectsOf(spec[list]).map(({ resources: _, ...rest }) => rest)]);
  return { ...spec, ...(Object.fromEntries(lists) as JsonObject) };
}

/** Source: Kubernetes' "Pod Quality of Service Classes". */
function qosOf(spec: JsonObject): string {
  const all = LISTS.flatMap((list) => objectsOf(spec[list])).map(({ resources }) => {
    const { requests, limits } = objectOf(resources);
    return ["cpu", "memory"].map((name) => ({ request: objectOf(requests)[name], limit: objectOf(limits)[name] }));
  });
  const amounts = all.flat();
  if (amounts.every(({ request, limit }) => request === undefined && limit === undefined)) return "BestEffort";
  const isGuaranteed = amounts.every(
    ({ request, limit }) => limit !== undefined && amount(request ?? limit) === amount(limit),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}
