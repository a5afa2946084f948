// Renders the selected templates to overlays and combines them. Nothing is merged into the pod here.

import type { JsonObject } from "../json.ts";
import type { Container, Pod } from "../kube/pod-types.ts";
import { strategicMerge } from "../kube/strategic-merge.ts";
import type { Injection } from "./injector.ts";
import { findContainer, findContainerInPod, withSpec } from "./pod-edit.ts";
import { templateData } from "./template-data.ts";

/** The overlay of one template. */
export interface Overlay {
  /** What is merged into the pod. */
  readonly part: JsonObject;
  /** The overlays of the templates so far, this one included, merged with each other. */
  readonly combined: Pod;
}

/**
 * One overlay for each template, in order.
 *
 * @throws OutriggerError `template-render` or `overlay-invalid`
 */
export function renderOverlays(injection: Injection, templates: readonly string[]): readonly Overlay[] {
  const data = templateData(injection);
  const overlays: Overlay[] = [];
  let combined: JsonObject = emptyPod;
  for (const name of templates) {
    const rendered = injection.injector.templates.render(name, data);
    const part = withContainersInTheirList(rendered, combined, injection.pod);
    combined = strategicMerge(combined, part);
    overlays.push({ part, combined });
  }
  return overlays;
}

/** Has what every pod has, so that a directive in an overlay finds something to act on. */
export const emptyPod: JsonObject = { metadata: {}, spec: {} };

/**
 * A template that adds to every container of the pod also adds to the author's container for the proxy. Where an earlier
 * template made the proxy a native sidecar, the addition goes to the native sidecar: the API server rejects a name that
 * is in both lists. A template's own proxy container stays in the list in which the template has it, as in the reference.
 */
function withContainersInTheirList(part: JsonObject, combined: Pod, author: Pod): JsonObject {
  const { spec }: Pod = part;
  const isInit = ({ name }: Container) =>
    findContainerInPod(author, name) !== undefined &&
    findContainer(combined.spec?.initContainers, name) !== undefined &&
    findContainer(combined.spec?.containers, name) === undefined;
  const moved = spec?.containers?.filter(isInit) ?? [];
  if (spec === undefined || moved.length === 0) return part;
  return withSpec(part, {
    containers: spec.containers.filter((container) => !isInit(container)),
    initContainers: [...(spec.initContainers ?? []), ...moved],
  });
}
