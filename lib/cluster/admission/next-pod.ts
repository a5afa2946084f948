// The next pod of a workload, as its controller would send it: its template, the volumes of its claims, and the owner that its pods have.
// Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";

/**
 * Returns `{metadata, spec}` of the next pod of a workload.
 *
 * @param workload a Deployment, StatefulSet, DaemonSet or Rollout
 * @param pod one of its pods that runs: policies that let only controllers make pods ask for its owner
 */
export function nextPodOf(workload: JsonObject, pod?: JsonObject): JsonObject {
  const { template, volumeClaimTemplates } = objectOf(workload["spec"]);
  const { metadata, spec } = objectOf(template);
  const { name } = metadataOf(workload);
  // A StatefulSet's controller adds a volume for each claim, which takes the place of one of that name.
  const claims = objectsOf(volumeClaimTemplates).map((claim) => metadataOf(claim).name);
  const own = objectsOf(objectOf(spec)["volumes"]).filter((volume) => !claims.includes(String(volume["name"])));
  const claimed = claims.map((claim) => ({
    name: claim,
    persistentVolumeClaim: { claimName: `${claim}-${name}-0` },
  }));
  const volumes = claims.length === 0 ? {} : { volumes: [...own, ...claimed] };
  const owners = pod === undefined ? undefined : objectOf(pod["metadata"])["ownerReferences"];
  return {
    metadata: { ...objectOf(metadata), ...(owners !== undefined && { ownerReferences: owners }) },
    spec: { ...objectOf(spec), ...volumes },
  };
}
