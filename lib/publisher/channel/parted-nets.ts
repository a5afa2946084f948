// The safety nets that a move of a channel leaves behind: an API server decides by the configuration that a net was registered with.
// Pure.
import { entryOf, jsonEqual, listOf, metadataKeys, objectOf, textOf } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import type { State } from "../records/read-state.ts";

/**
 * Returns a warning for each cluster whose webhooks select by another label, or whose safety net decides differently from a release that a channel is about to serve, with the
 * command that updates the net. It is not a refusal: a net is made of what is served, so it cannot be registered first.
 *
 * @param isPart whether the channel serves the release as a share only: a net knows one release, the channel's own
 */
export function partedNets(
  channel: string,
  next: Release,
  { channels, clusters, snapshot }: Pick<State, "channels" | "clusters" | "snapshot">,
  isPart = false,
): readonly string[] {
  const before = entryOf(snapshot?.releases ?? {}, entryOf(channels, channel)?.release ?? "");
  if (before === undefined) return [];
  const until = isPart ? "the rollout has ended and " : "";
  if (labelOf(before) !== labelOf(next)) return partedWebhooks(channel, next, clusters, until);
  if (jsonEqual(rulesOf(before), rulesOf(next))) return [];
  return Object.entries(clusters).flatMap(([name, { revisions, arn, settings = {} }]) => {
    const nets = Object.keys(revisions).flatMap((revision) => {
      const kept = revisions[revision] === channel ? objectOf(entryOf(settings, revision))["safetyNet"] : undefined;
      return typeof kept === "string" ? [kept] : [];
    });
    if (nets.length === 0) return [];
    const does = nets.includes("deny") ? "rejects" : "warns of";
    return [
      `The safety net of ${name} keeps the previous policy, selectors and matches until ${until}you run "outrigger register ${nameFlags(name, arn)}": it ${does} pods that ${channel} no longer injects, and does not notice a missing sidecar in pods that ${channel} newly injects`,
    ];
  });
}

/** The label by which pods ask for injection. */
function labelOf({ config }: Release): string {
  return textOf(objectOf(config as unknown)["injectionLabel"]) ?? metadataKeys.inject;
}

/** API servers select pods by the label that a registration was made with. */
function partedWebhooks(channel: string, next: Release, clusters: State["clusters"], until: string) {
  const label = labelOf(next);
  return Object.entries(clusters).flatMap(([name, { revisions, arn }]) =>
    Object.values(revisions).includes(channel)
      ? [
          `The webhooks of ${name} select pods by another label than ${label} until ${until}you run "outrigger register ${nameFlags(name, arn)}": pods that ask by ${label} alone are not sent`,
        ]
      : [],
  );
}

/** The options that name a cluster, by its name in EKS and, where it is registered under another one, by that. */
function nameFlags(name: string, arn: string): string {
  const [, own = name] = arn.split(":cluster/");
  return `--cluster ${own}${own === name ? "" : ` --as ${name}`}`;
}

/** The parts of a configuration that a net is made of. Which default templates there are counts only where each is for some pods. */
function rulesOf({ config }: Release) {
  const { policy, neverInjectSelector, alwaysInjectSelector, defaultTemplates } = objectOf(config as unknown);
  const matches = listOf(defaultTemplates).map((entry) => objectOf(entry)["match"] ?? null);
  const decided = matches.includes(null) ? [] : matches;
  return [policy, neverInjectSelector, alwaysInjectSelector, decided].map((rule) => rule ?? null);
}
