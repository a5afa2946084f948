// Which templates a pod is injected with: its own choice or the default, with aliases expanded.

import { OutriggerError } from "../errors.ts";
import type { Pod } from "../kube/pod-types.ts";
import type { InjectionConfig } from "./injector.ts";
import { annotationKeys } from "./keys.ts";

/**
 * Names in the order in which the templates are merged. Aliases are expanded once, not recursively, as in Istio.
 *
 * @throws OutriggerError `template-unknown` if the pod names a template that does not exist, `config-invalid` if the
 * configuration does
 */
export function selectTemplates(config: InjectionConfig, pod: Pod, known: readonly string[]): readonly string[] {
  // API servers never send null here; it counts as absent.
  const wanted = pod.metadata?.annotations?.[annotationKeys.templates] ?? undefined;
  const names = wanted === undefined ? config.defaultTemplates : wanted.split(",").map((name) => name.trim());
  const expanded = names.flatMap((name) =>
    Object.hasOwn(config.aliases, name) ? (config.aliases[name] ?? []) : [name],
  );
  for (const name of expanded) if (!known.includes(name)) throw unknownTemplate(name, known, wanted !== undefined);
  return expanded;
}

function unknownTemplate(name: string, known: readonly string[], chosenByPod: boolean): OutriggerError {
  const place = chosenByPod ? `annotation ${annotationKeys.templates}` : "defaultTemplates";
  const choices = known.length === 0 ? "the release has no templates" : `use one of ${known.join(", ")}`;
  const details = {
    path: chosenByPod ? `metadata.annotations[${annotationKeys.templates}]` : "config.defaultTemplates",
  };
  return new OutriggerError(
    chosenByPod ? "template-unknown" : "config-invalid",
    `Cannot inject template ${JSON.stringify(name.slice(0, 63))} named in ${place}: ${choices}`,
    details,
  );
}
