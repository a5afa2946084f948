// The revision that injected a running pod.
import { DEFAULT_REVISION, isObject } from "@outrigger/base";
import { annotationKeys } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";

/** As the record of the injection says, Istio's status annotation; `default` where it does not. */
export function injectedRevision({ metadata }: Pod): string {
  try {
    const status: unknown = JSON.parse(metadata?.annotations?.[annotationKeys.status] ?? "{}");
    const revision = isObject(status) ? status["revision"] : undefined;
    return typeof revision === "string" && revision !== "" ? revision : DEFAULT_REVISION;
  } catch {
    return DEFAULT_REVISION;
  }
}
