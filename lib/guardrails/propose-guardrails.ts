// The setting that admits what a tree uses, and asks for the rest: what `outrigger init` writes for a new deployment.
import { type JsonObject, ownError } from "@outrigger/base";
import { injectPod, loadRelease, type Release, type SourceTree } from "@outrigger/injector";
import { requestsFor } from "./guard-release.ts";
import { injectionPowers } from "./injection-powers.ts";
import { type GuardrailKind, isLimited, KIND_NAMES } from "./kinds.ts";

/**
 * Returns `baseline`, with entries for the repositories, Secrets, ConfigMaps, audiences and CSI drivers that samples, and pods that ask
 * for each template, are given: any other asks. A kind of which nothing is used is closed by `none`.
 *
 * @param layers the shipped tree, and the one over it
 */
export function proposeGuardrails(release: Release, layers: readonly SourceTree[]): string {
  const injector = loadRelease(release);
  const entries = new Map<GuardrailKind, Set<string>>();
  for (const kind of KIND_NAMES) if (isLimited(kind)) entries.set(kind, new Set());
  for (const { request } of requestsFor(release, layers)) {
    try {
      const result = injectPod(injector, request);
      const powers = result.injected ? injectionPowers(result.author as JsonObject, result.pod as JsonObject) : [];
      for (const { kind, value } of powers) entries.get(kind)?.add(kind === "image" ? repositoryPattern(value) : value);
    } catch (error) {
      // A pod that is denied is given nothing.
      ownError(error);
    }
  }
  const texts = [...entries].flatMap(([kind, values]) =>
    values.size === 0 ? [`${kind}:none`] : [...values].sort().map((value) => `${kind}:${value}`),
  );
  return ["baseline", ...texts].join(",");
}

/** `registry.example/istio/*`: every image next to it; `busybox:*` for a name alone. */
function repositoryPattern(image: string): string {
  const [name = ""] = image.split("@");
  return name.includes("/") ? `${name.slice(0, name.lastIndexOf("/"))}/*` : `${name.replace(/:.*/, "")}:*`;
}
