// Which workload a pod is counted, served and restarted with: the one answer to that question. Pure.
import type { Pod } from "@outrigger/pod";
import { type Owner, ownerOf } from "./owner.ts";

/**
 * The workload of a pod: its controller's, whether the pod's name is generated or not, so that the executors of a Spark driver are of the
 * driver. Telemetry follows Istio, which takes the controller of generated names only: see `ownerOf()`.
 *
 * | the pod has                                              | its workload                                             |
 * |----------------------------------------------------------|----------------------------------------------------------|
 * | a controller                                             | as `ownerOf()` has it, for a generated name               |
 * | a StatefulSet, say, of another API group than `apps`     | that, by kubectl's name: `StatefulSet.apps.kruise.io`     |
 * | no controller, and a generated name                      | a Pod with the prefix: its own name differs each time     |
 * | no controller otherwise                                  | itself                                                   |
 *
 * @param namespace of the request, for a pod that names none
 * @example
 * ```ts
 * workloadOf({ metadata: { generateName: "run-", name: "run-x2b9z", namespace: "ci" } }) // => { name: "run-", namespace: "ci", kind: "Pod", apiVersion: "v1" }
 * ```
 */
export function workloadOf({ metadata = {} }: Pod, namespace = metadata.namespace ?? ""): Owner {
  const { kind, name, apiVersion } = ownerOf({ ...metadata, generateName: metadata.generateName || "named" });
  const isAlone = kind === "Pod" && !metadata.ownerReferences?.some(({ controller }) => controller === true);
  const [group, version] = `${apiVersion}`.split("/");
  const isOther = version !== undefined && group !== "apps" && BUILT_IN.has(kind);
  return {
    name: isAlone && metadata.generateName ? metadata.generateName : name,
    namespace,
    kind: isOther ? `${kind}.${group}` : kind,
    apiVersion,
  };
}

/** Kinds of the group `apps` that other groups have too, as OpenKruise does. */
const BUILT_IN: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"]);
