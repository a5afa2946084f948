// Selects the templates of a pod, renders them to overlays and combines these. Nothing is merged into the pod here.

import { isObject, type JsonObject, OutriggerError } from "@outrigger/base";
import { type Container, type Pod, strategicMerge } from "@outrigger/pod";
import type { Injection, Overlay } from "../injection.ts";
import type { InjectionConfig } from "../injector.ts";
import { annotationKeys, containerNames } from "../keys.ts";
import { type ContainerList, findContainer, findContainerInPod, withSpec } from "../pod-edit.ts";
import { templateData } from "./template-data.ts";

/**
 * One overlay for each template, in order.
 *
 * @throws OutriggerError `template-render` or `overlay-invalid`
 */
export function renderOverlays(injection: Injection, templates: readonly string[]): readonly Overlay[] {
  const data = templateData(injection);
  const rendered: readonly Pod[] = templates.map((name) => injection.injector.templates.render(name, data));
  const isSafe = injection.injector.config.compatibility === undefined;
  const isNative = rendered.some(({ spec }) => findContainer(spec?.initContainers, containerNames.proxy) !== undefined);
  // A template may also name the proxy because it adds to every container of the author's.
  const isAuthored = findContainerInPod(injection.pod, containerNames.proxy) !== undefined;
  const overlays: Overlay[] = [];
  let combined: JsonObject = emptyPod;
  for (const [at, each] of rendered.entries()) {
    const isMisplaced =
      isSafe && isNative && !isAuthored && findContainer(each.spec?.containers, containerNames.proxy) !== undefined;
    if (!isSafe) assertOrderable(each as JsonObject, combined);
    const part = isSafe
      ? withContainersInTheirList(each as JsonObject, combined, injection.pod, isNative)
      : (each as JsonObject);
    combined = combined === emptyPod ? mergedAlone(part) : strategicMerge(combined, part);
    overlays.push({ part, combined, misplaced: isMisplaced ? (templates[at] as string) : undefined });
  }
  return overlays;
}

/** The overlay merged into nothing: once for a constant of the release, and then it is one too. */
function mergedAlone(part: JsonObject): JsonObject {
  const known = alone.get(part);
  if (known !== undefined) return known;
  const merged = strategicMerge(emptyPod, part);
  if (Object.isFrozen(part)) alone.set(part, merged);
  return merged;
}

const alone = new WeakMap<JsonObject, JsonObject>();

/** Has what every pod has, so that a directive in an overlay finds something to act on. */
export const emptyPod: JsonObject = { metadata: {}, spec: {} };

/**
 * Moves containers to the list in which the overlays have them: the API server rejects a name that is in both lists.
 *
 * A template that changes the proxy among the containers changes the native sidecar, if any template renders one. A
 * template that adds to every container of the pod also adds to a container of the author's that an earlier template made
 * an init container.
 */
function withContainersInTheirList(part: JsonObject, combined: Pod, author: Pod, isNative: boolean): JsonObject {
  const { spec }: Pod = part;
  if (spec?.containers === undefined) return part;
  const authored = new Set([...namesIn(author, "containers"), ...namesIn(author, "initContainers")]);
  const inits = new Set(namesIn(combined, "initContainers"));
  const mains = new Set(namesIn(combined, "containers"));
  const isInit = ({ name }: Container) =>
    (isNative && name === containerNames.proxy) || (authored.has(name) && inits.has(name) && !mains.has(name));
  const moved = spec.containers.filter(isInit);
  if (moved.length === 0) return part;
  const containers = spec.containers.filter((container) => !isInit(container));
  const ownInits = new Set(namesIn(part, "initContainers"));
  const isAlone = moved.every(({ name }) => !ownInits.has(name));
  if (isAlone) return withSpec(part, { containers, initContainers: [...(spec.initContainers ?? []), ...moved] });
  return strategicMerge(withSpec(part, { containers }), { spec: { initContainers: moved } });
}

/** As in the reference, which merges the overlays into a pod whose list of containers is null. */
function assertOrderable(part: JsonObject, { spec }: Pod): void {
  if (!isObject(part["spec"]) || part["spec"]["$setElementOrder/containers"] === undefined || spec?.containers) return;
  const message =
    'Cannot merge the overlay\'s spec["$setElementOrder/containers"]: no template before it has containers';
  throw new OutriggerError("overlay-invalid", message);
}

function namesIn({ spec }: Pod, list: ContainerList): readonly string[] {
  return spec?.[list]?.map(({ name }) => name) ?? [];
}

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
