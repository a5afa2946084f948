// What one running pod carries next to what would be injected now, or why it carries nothing. Pure.
import type { JsonObject } from "@outrigger/base";
import { annotationKeys, decide } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { reasonOf, type Uninjected } from "./find-uninjected.ts";
import { injectedRevision } from "./injected-revision.ts";
import { type Injection, type SidecarAge, sidecarAge } from "./sidecar-age.ts";

/** How a running pod compares with the release that serves its revision. */
export type PodComparison =
  /** The sidecar's age is left out where no release is known, or it would not inject the pod. */
  | { readonly isInjected: true; readonly sidecar?: SidecarAge }
  /** Why it has none is left out where it was to have none. */
  | { readonly isInjected: false; readonly uninjected?: Uninjected };

export interface PodSurroundings {
  /** Namespace → its labels. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly installed: readonly InstalledWebhook[];
  /** With what pods of a revision are injected; undefined where that is not known. */
  readonly injectionFor: (revision: string) => Injection | undefined;
}

/**
 * Compares a running pod with what would be injected now.
 *
 * @param object the pod, as the API server returns it
 */
export function comparePod(
  object: JsonObject,
  { namespaces, installed, injectionFor }: PodSurroundings,
): PodComparison {
  const pod = object as Pod;
  if (pod.metadata?.annotations?.[annotationKeys.status] !== undefined) {
    const injection = injectionFor(injectedRevision(pod));
    const sidecar = injection === undefined ? undefined : sidecarAge(object, injection);
    return { isInjected: true, ...(sidecar === undefined ? {} : { sidecar }) };
  }
  const uninjected = reasonOf(object, namespaces, installed, (revision, one, namespace) => {
    const config = injectionFor(revision)?.injector.config;
    return config === undefined ? undefined : decide(config, one, namespace);
  });
  return { isInjected: false, ...(uninjected === undefined ? {} : { uninjected }) };
}
