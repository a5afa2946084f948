// The setting that admits what a tree uses, and asks for the rest: what `outrigger init` writes for a new deployment.
import { type JsonObject, ownError } from "@outrigger/base";
import { injectPod, loadRelease, type Release, type SourceTree } from "@outrigger/injector";
import { requestsFor } from "./guard-release.ts";
import { refusedIn } from "./guarded-injection.ts";
import { injectionPowers } from "./injection-powers.ts";
import { type GuardrailKind, isLimited, KIND_NAMES } from "./kinds.ts";
import { parseGuardrails } from "./parse-guardrails.ts";
import { entriesFor, type Power } from "./power.ts";

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

/**
 * Returns the narrowest entries that admit what a tree adds to its samples at `baseline` with everything closed that can be:
 * `container:pgbouncer image:edoburu/pgbouncer:*`.
 *
 * @param layers the shipped tree, and the one over it
 */
export function neededEntries(release: Release, layers: readonly SourceTree[]): readonly string[] {
  const closed = KIND_NAMES.filter(isLimited).map((kind) => `${kind}:none`);
  const guardrails = parseGuardrails(["baseline", ...closed].join(","));
  const injector = loadRelease(release);
  const powers = requestsFor(release, layers).flatMap(({ request }) => refusedIn(guardrails, injector, request));
  return [...new Set(powers.flatMap((power) => entriesFor(inAny(power))?.split(",") ?? []))].sort();
}

/** What is written into the author's containers is written into those of every pod, whatever their names. */
function inAny(power: Power): Power {
  if (power.kind !== "field") return power;
  return { ...power, value: power.value.replace(/^spec\.(containers|initContainers)\[[^\]]*\]/, "spec.$1[*]") };
}

/** `registry.example/istio/*`: every image next to it; `busybox:*` for a name alone. */
function repositoryPattern(image: string): string {
  const [name = ""] = image.split("@");
  return name.includes("/") ? `${name.slice(0, name.lastIndexOf("/"))}/*` : `${name.replace(/:.*/, "")}:*`;
}
