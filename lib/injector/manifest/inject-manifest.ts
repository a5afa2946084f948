// Injection into manifests: what `istioctl kube-inject` does, by editing their text. The injection of a pod is passed in.

import type { InjectRequest, InjectResult } from "../inject-request.ts";
import { type Owner, ownerOf } from "../owner.ts";
import { type EditedManifest, editManifest, type ManifestPod, type ManifestSource } from "./edit-manifest.ts";

export interface ManifestOptions extends Omit<ManifestSource, "verb"> {
  readonly inject: (request: InjectRequest) => InjectResult;
}

/**
 * Injects every pod in a stream. Everything that the injection does not change keeps its bytes.
 *
 * @throws OutriggerError naming the source, the document's number and the field
 */
export function injectManifest(text: string, options: ManifestOptions): EditedManifest {
  return editManifest(text, { ...options, verb: "inject" }, ({ pod, workload, namespace }) => {
    const owner = ownerOfPod({ pod, workload, namespace }, options);
    const result = options.inject({ pod, namespace, parameters: {}, owner });
    // Without the warnings of a review: istioctl warns about skipped pods only.
    if (result.injected) return { pod: result.pod, warnings: [] };
    const why = options.isReference === true || result.message === "" ? "" : `: ${result.message}`;
    return { warnings: [skipped(result.reason, owner, pod.metadata?.name) + why] };
  });
}

/** A document that is a pod has its owner in its own metadata. */
function ownerOfPod({ pod, workload, namespace }: ManifestPod, { isReference }: ManifestOptions): Owner {
  if (workload.kind !== "Pod") return workload;
  return ownerOf(isReference === true ? (pod.metadata ?? {}) : { ...pod.metadata, namespace });
}

/** istioctl's words, which scripts look for. */
function skipped(reason: string, owner: Owner, podName: string | undefined): string {
  const name = podName || owner.name;
  const fullName = JSON.stringify(owner.namespace === "" ? name : `${owner.namespace}/${name}`);
  const why = reason === "host-network" ? "has host networking enabled" : "has sidecar injection disabled";
  return `===> Skipping injection because ${owner.kind === "" ? "" : `${owner.kind} `}${fullName} ${why}`;
}
