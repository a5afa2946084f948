// Which templates a pod is injected with: its own choice or the default, with aliases expanded.

import { OutriggerError } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { InjectionConfig } from "../injector.ts";
import { annotationKeys } from "../keys.ts";

/**
 * Names in the order in which the templates are merged. Aliases are expanded once, not recursively, as in Istio. A
 * repeated name counts once, at its last place, so that a pod cannot multiply the work.
 *
 * @throws OutriggerError `template-unknown` if the pod names a template that does not exist, `config-invalid` if the
 * configuration does
 */
export function selectTemplates(config: InjectionConfig, pod: Pod, known: readonly string[]): readonly string[] {
  // API servers never send null here; it counts as absent.
  const wanted = pod.metadata?.annotations?.[annotationKeys.templates] ?? undefined;
  const named = wanted?.split(",").map((name) => name.trim()) ?? defaultTemplates(config);
  return expanded(config, named, known, wanted !== undefined);
}

function expanded(
  { aliases }: InjectionConfig,
  named: readonly string[],
  known: readonly string[],
  chosenByPod: boolean,
): readonly string[] {
  const all = named.flatMap((name) => (Object.hasOwn(aliases, name) ? (aliases[name] ?? []) : [name]));
  const names = [...new Set(all.reverse())].reverse();
  for (const name of names) if (!known.includes(name)) throw unknownTemplate(name, known, chosenByPod);
  return names;
}

/** As in the reference, an empty list means the sidecar. */
function defaultTemplates({ defaultTemplates: names }: InjectionConfig): readonly string[] {
  return names.length === 0 ? ["sidecar"] : names;
}

function unknownTemplate(name: string, known: readonly string[], chosenByPod: boolean): OutriggerError {
  const place = chosenByPod ? `annotation ${annotationKeys.templates}` : "defaultTemplates";
  const choices = known.length === 0 ? "the release has no templates" : `use one of ${known.join(", ")}`;
  const path = chosenByPod ? `metadata.annotations["${annotationKeys.templates}"]` : "config.defaultTemplates";
  const details = chosenByPod
    ? { path, logged: { message: `Cannot inject a template named in ${place}: ${choices}`, path } }
    : { path };
  return new OutriggerError(
    chosenByPod ? "template-unknown" : "config-invalid",
    `Cannot inject template ${JSON.stringify(name.slice(0, 63))} named in ${place}: ${choices}`,
    details,
  );
}
