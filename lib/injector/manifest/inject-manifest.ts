// Injection into manifests: what `istioctl kube-inject` does, by editing their text; and taking it off again.
// The injection of a pod is passed in.

import { isObject, jsonEqual } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { Injector, InjectRequest, InjectResult } from "../injection.ts";
import { type Owner, ownerOf } from "../owner.ts";
import { undoInjection } from "../steps/injection-steps.ts";
import { withoutEarlierVolumes } from "../steps/volumes.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { readStatus } from "../undo/injection-status.ts";
import { renderedProxy, withoutIstio } from "../undo/without-istio.ts";
import { type EditedManifest, editManifest, type ManifestPod, type ManifestSource } from "./edit-manifest.ts";

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
  const why = reason === "host-network" ? "has host networking enabled" : "has sidecar injection disabled";
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

/**
 * Returns the pod as its author wrote it; undefined for one that was not injected.
 *
 * @param workload the name of the workload that owns the pod
 */
export function uninjectPod(injector: Injector, pod: Pod, workload: string): Pod | undefined {
  // The record of another injector is all that says what it injected: templates of this tree need not have its names.
  const isListed = readStatus(pod)?.trust === "listed";
  const { pod: undone, earlier } = undoInjection(pod, {
    meshStatusPort: injector.meshConfig.defaultConfig.statusPort,
    nativeSidecars: false,
    isInjectable: isListed ? () => true : injector.isInjectable,
  });
  if (earlier.trust === "whole") return withoutEmptyMetadata(withoutEarlierVolumes({ pod: undone, earlier }));
  if (earlier === neverInjected && renderedProxy(pod) === undefined) {
    return jsonEqual(undone, pod) ? undefined : withoutEmptyMetadata(undone);
  }
  return withoutEmptyMetadata(withoutIstio(pod, withoutEarlierVolumes({ pod: undone, earlier }), injector, workload));
}

/** Removes maps that have nothing left, because they came with the injection, and metadata that have none. */
function withoutEmptyMetadata(pod: Pod): Pod {
  const { metadata = {}, spec, ...rest } = pod;
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
  const kept = Object.entries(metadata).filter(([, value]) => value !== undefined && !isEmpty(value));
  return { ...rest, ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }), ...(spec && { spec }) };
}
