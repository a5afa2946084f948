// Injection into manifests: what `istioctl kube-inject` does, by editing their text; and taking it off again.
// The injection of a pod is passed in.

import type { Injector, InjectRequest, InjectResult } from "../injection.ts";
import { type Owner, ownerOf } from "../owner.ts";
import { type EditedManifest, editManifest, type ManifestPod, type ManifestSource } from "./edit-manifest.ts";
import { uninjectPod } from "./uninject-pod.ts";

type ManifestOptions = Omit<ManifestSource, "verb">;

/**
 * Injects every pod in a stream. Everything that the injection does not change keeps its bytes.
 *
 * @throws OutriggerError naming the source, the document's number and the field
 */
export function injectManifest(
  text: string,
  options: ManifestOptions & { readonly inject: (request: InjectRequest) => InjectResult },
): EditedManifest {
  return editManifest(text, { ...options, verb: "inject" }, (found) => {
    const request = requestOf(found, options.isReference);
    const result = options.inject(request);
    // Without the warnings of a review: istioctl warns about skipped pods only.
    if (result.injected) return { pod: result.pod, warnings: [] };
    const why = options.isReference === true || result.message === "" ? "" : `: ${result.message}`;
    return { warnings: [skipped(result.reason, request.owner, found.pod.metadata?.name) + why] };
  });
}

/** Returns the request for a pod of a manifest. A document that is a pod has its owner in its own metadata. */
export function requestOf({ pod, workload, namespace }: ManifestPod, isReference = false) {
  const metadata = isReference ? (pod.metadata ?? {}) : { ...pod.metadata, namespace };
  const owner = workload.kind === "Pod" ? ownerOf(metadata) : workload;
  return { pod, namespace, parameters: {}, owner };
}

/** Says that a pod is skipped in istioctl's words, which scripts look for. */
function skipped(reason: string, owner: Owner, podName: string | undefined): string {
  const name = podName || owner.name;
  const fullName = JSON.stringify(owner.namespace === "" ? name : `${owner.namespace}/${name}`);
  const whys: Readonly<Record<string, string>> = {
    "host-network": "has host networking enabled",
    "no-template": "gets no template",
  };
  const why = whys[reason] ?? "has sidecar injection disabled";
  return `===> Skipping injection because ${owner.kind === "" ? "" : `${owner.kind} `}${fullName} ${why}`;
}

/**
 * Restores every pod in a stream that an injection recorded itself on. A pod that was not injected keeps its bytes.
 *
 * @throws OutriggerError naming the source, the document's number and the field, also where something of the mesh is left
 */
export function uninjectManifest(text: string, injector: Injector, options: ManifestOptions): EditedManifest {
  return editManifest(text, { ...options, verb: "uninject" }, (found) => {
    const { owner } = requestOf(found);
    const restored = uninjectPod(injector, found.pod, owner.name);
    if (restored !== undefined) return { pod: restored, warnings: [] };
    const name = JSON.stringify(found.pod.metadata?.name || found.workload.name);
    return { warnings: [`${options.source}: ${found.workload.kind} ${name} is not injected: left as it is`] };
  });
}
