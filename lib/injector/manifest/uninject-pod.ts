// Taking an injection off a pod, by the pod's own record. Pure.
import { isObject, jsonEqual } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { Injector } from "../injection.ts";
import { wantsNativeSidecar } from "../merge/merge-overlays.ts";
import { withSpec } from "../pod-edit.ts";
import { undoInjection } from "../steps/injection-steps.ts";
import { mountedVolumes } from "../steps/volumes.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { keptVolume } from "../undo/injection-notes.ts";

/**
 * The pod as its author wrote it; undefined for one that carries no record of an injection.
 *
 * @param injector the release that made the pod, or the nearest that is known: a record that is damaged, or another injector's, is read by its templates
 */
export function uninjectPod(injector: Injector, pod: Pod): Pod | undefined {
  const { pod: restored, earlier } = undoInjection(pod, {
    meshStatusPort: injector.meshConfig.defaultConfig.statusPort,
    nativeSidecars: wantsNativeSidecar(pod, injector.config.nativeSidecars),
    isInjectable: injector.isInjectable,
  });
  if (earlier === neverInjected) return jsonEqual(restored, pod) ? undefined : withoutEmptyMetadata(restored);
  const injected = new Set(earlier.volumes.filter((name) => !earlier.notes.includes(keptVolume(name))));
  return withoutEmptyMetadata(withoutVolumes(restored, injected));
}

function withoutVolumes(pod: Pod, injected: ReadonlySet<string>): Pod {
  const mounted = mountedVolumes(pod);
  const volumes = pod.spec?.volumes?.filter(({ name }) => !injected.has(name) || mounted.has(name));
  if (volumes === undefined || volumes.length === pod.spec?.volumes?.length) return pod;
  return withSpec(pod, { volumes: volumes.length === 0 ? undefined : volumes });
}

/** Removes maps that have nothing left, because they came with the injection, and metadata that have none. */
function withoutEmptyMetadata(pod: Pod): Pod {
  const { metadata = {}, spec, ...rest } = pod;
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
  const kept = Object.entries(metadata).filter(([, value]) => value !== undefined && !isEmpty(value));
  return { ...rest, ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }), ...(spec && { spec }) };
}
