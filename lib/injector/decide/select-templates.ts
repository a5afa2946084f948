// Which templates a pod gets: those that its annotation names, or the defaults, with aliases resolved.

import { entryOf, metadataKeys, OutriggerError } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { InjectionConfig } from "../injection.ts";

/**
 * Names in the order in which the templates are merged. Aliases are expanded once, not recursively, as in Istio. A
 * repeated name counts once, at its last place, so that a pod cannot multiply the work.
 *
 * @throws OutriggerError `template-unknown` if the pod names a template that does not exist, `config-invalid` if the
 * configuration does
 */
export function selectTemplates(
  { aliases, defaultTemplates }: InjectionConfig,
  pod: Pod,
  known: readonly string[],
): readonly string[] {
  // API servers never send null here; it counts as absent.
  const wanted = pod.metadata?.annotations?.[metadataKeys.templates] ?? undefined;
  // As in the reference, an empty list means the sidecar.
  const defaults = defaultTemplates.length === 0 ? ["sidecar"] : defaultTemplates;
  const named = wanted?.split(",").map((name) => name.trim()) ?? defaults;
  const all = named.flatMap((name) => entryOf(aliases, name) ?? [name]);
  const names = [...new Set(all.reverse())].reverse();
  for (const name of names) if (!known.includes(name)) throw unknownTemplate(name, known, wanted !== undefined);
  return names;
}

function unknownTemplate(name: string, known: readonly string[], chosenByPod: boolean): OutriggerError {
  const place = chosenByPod ? `annotation ${metadataKeys.templates}` : "defaultTemplates";
  const choices = known.length === 0 ? "the release has no templates" : `use one of ${known.join(", ")}`;
  const path = chosenByPod ? `metadata.annotations["${metadataKeys.templates}"]` : "config.defaultTemplates";
  const logged = { message: `Cannot inject a template named in ${place}: ${choices}`, path };
  const message = `Cannot inject template ${JSON.stringify(name.slice(0, 63))} named in ${place}: ${choices}`;
  if (!chosenByPod) return new OutriggerError("config-invalid", message, { path });
  return new OutriggerError("template-unknown", message, { path, logged });
}
