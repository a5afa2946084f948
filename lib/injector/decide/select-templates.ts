// Which templates a pod gets: those that its annotation names, or the defaults, with aliases resolved.

import { entryOf, injectionKeys, OutriggerError } from "@outrigger/base";
import { matchesLabelSelector, type Pod } from "@outrigger/pod";
import type { InjectionConfig, TemplateMatch } from "../injection.ts";

/**
 * Names in the order in which the templates are merged. Aliases are expanded once, not recursively, as in Istio. A
 * repeated name counts once, at its last place, so that a pod cannot multiply the work.
 *
 * @throws OutriggerError `template-unknown` if the pod names a template that does not exist, `config-invalid` if the
 * configuration does
 */
export function selectTemplates(
  config: InjectionConfig,
  pod: Pod,
  namespace: string,
  known: readonly string[],
): readonly string[] {
  const all: string[] = [];
  for (const name of wantedTemplates(config, pod, namespace)) all.push(...(entryOf(config.aliases, name) ?? [name]));
  // Nearly every pod gets one.
  const names = all.length === 1 ? all : [...new Set(all.reverse())].reverse();
  for (const name of names) {
    if (!known.includes(name))
      throw unknownTemplate(
        name,
        known,
        annotationOf(config, pod) === undefined ? undefined : injectionKeys(config.injectionLabel).templates,
      );
  }
  return names;
}

/** The templates and aliases that a pod names, or the default ones that fit it; none where no default template does. */
export function wantedTemplates(config: InjectionConfig, pod: Pod, namespace: string): readonly string[] {
  const { defaultTemplates } = config;
  const named = annotationOf(config, pod);
  if (named !== undefined) return named.split(",").map((name) => name.trim());
  // As in the reference, an empty list means the sidecar.
  if (defaultTemplates.length === 0) return ["sidecar"];
  const names: string[] = [];
  for (const each of defaultTemplates) {
    if (typeof each === "string") names.push(each);
    else if (fits(each.match, pod, namespace)) names.push(each.name);
  }
  return names;
}

function fits({ podLabels, namespaces }: TemplateMatch, { metadata }: Pod, namespace: string): boolean {
  const isHere = namespaces?.includes(namespace) ?? true;
  return isHere && (podLabels === undefined || matchesLabelSelector(podLabels, metadata?.labels));
}

/** API servers never send null here; it counts as absent. */
function annotationOf({ injectionLabel }: InjectionConfig, { metadata }: Pod): string | undefined {
  return metadata?.annotations?.[injectionKeys(injectionLabel).templates] ?? undefined;
}

/** @param annotation by which the pod names the template, where it does */
function unknownTemplate(name: string, known: readonly string[], annotation: string | undefined): OutriggerError {
  const place = annotation === undefined ? "defaultTemplates" : `annotation ${annotation}`;
  const choices = known.length === 0 ? "the release has no templates" : `use one of ${known.join(", ")}`;
  const path = annotation === undefined ? "config.defaultTemplates" : `metadata.annotations["${annotation}"]`;
  const logged = { message: `Cannot inject a template named in ${place}: ${choices}`, path };
  const message = `Cannot inject template ${JSON.stringify(name.slice(0, 63))} named in ${place}: ${choices}`;
  if (annotation === undefined) return new OutriggerError("config-invalid", message, { path });
  return new OutriggerError("template-unknown", message, { path, logged });
}
