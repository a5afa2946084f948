// What `outrigger register` says: who else injects the pods that are sent, and which phase comes next. Pure.
import { DEFAULT_REVISION, plural } from "@outrigger/base";
import type { otherInjectors } from "@outrigger/cluster";
import { rolloutPhases } from "@outrigger/webhook";
import type { ClusterOptions } from "../../options/cluster-options.ts";

type OtherInjectors = Pick<Awaited<ReturnType<typeof otherInjectors>>, "found" | "phase">;

/**
 * Says what changes for pods that other injectors serve, a line for each of them.
 *
 * @param addsProxy whether the release adds `istio-proxy`; undefined where it is not known
 */
export function sharedPods({ found, phase }: OtherInjectors, addsProxy: boolean | undefined): readonly string[] {
  const when = phase === "audit" ? ", in dry runs alone for now" : "";
  return found.map(({ name, namespaces, isIstios, isMesh, isBeside }) => {
    const effect = isBeside
      ? isMesh && addsProxy === true
        ? "a pod that asks both gets two proxies"
        : "pods keep what each adds"
      : isIstios
        ? `Outrigger ${addsProxy === false ? "takes out" : "replaces"} what it adds`
        : "pods may get two sidecars";
    return `${name} also injects pods of ${namespaces.length} ${plural(namespaces.length, "namespace")} (${some(namespaces)}): ${effect}${when}`;
  });
}

function some(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

const MOST_NAMES = 3;

/** The command for the phase after this one; empty after the last. */
export function nextStep(
  { cluster, as }: Pick<ClusterOptions, "cluster" | "as">,
  revision: string,
  phase: (typeof rolloutPhases)[number],
): string {
  const next = rolloutPhases[rolloutPhases.indexOf(phase) + 1];
  if (next === undefined) return "";
  const name = as === undefined ? "" : ` --as ${as}`;
  const flags = revision === DEFAULT_REVISION ? "" : ` --revision ${revision}`;
  const more = next === "namespace" ? " --namespace …" : "";
  return `Next: outrigger register --cluster ${cluster}${name}${flags} --phase ${next}${more}\n`;
}
