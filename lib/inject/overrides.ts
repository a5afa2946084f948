// What a pod's author changes on an injected container by naming it in the pod: applied over the rendered container,
// and kept in an annotation, because a second injection sees only the result.

import { OutriggerError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { Container, Pod } from "../kube/pod-types.ts";
import { strategicMerge } from "../kube/strategic-merge.ts";
import type { Injection } from "./injector.ts";
import { annotationKeys, containerNames } from "./keys.ts";
import { findContainer, findContainerInPod, withAnnotations } from "./pod-edit.ts";

export type Overrides = {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
};

/** `image: auto` on an injected container means: the injected image. */
export const autoImage = "auto";

/**
 * Applies the author's own fields of every injected container over the merged pod; `overlay` is what was rendered. An
 * adopted proxy is applied in the same way, but is no author's wish to be kept for later.
 */
export function applyOverrides(merged: Pod, { pod: author, adopted }: Injection, overlay: Pod): Pod {
  const containers = overridesOf(overlay.spec?.containers, (name) =>
    name === containerNames.proxy ? findContainerInPod(author, name) : findContainer(author.spec?.containers, name),
  );
  const initContainers = overridesOf(overlay.spec?.initContainers, (name) => findContainerInPod(author, name));
  if (containers.length === 0 && initContainers.length === 0) return merged;
  const overrides: Overrides = {
    ...(containers.length > 0 && { containers }),
    ...(initContainers.length > 0 && { initContainers }),
  };
  const overridden = appliedOneByOne(merged, { containers, initContainers });
  if (adopted) return overridden;
  return withAnnotations(overridden, { [annotationKeys.overrides]: JSON.stringify(overrides) });
}

/** As a list they would also put the containers in their order, and that is the templates' to say. */
function appliedOneByOne(merged: Pod, { containers, initContainers }: Required<Overrides>): Pod {
  const overlays = [
    ...containers.map((container) => ({ spec: { containers: [container] } })),
    ...initContainers.map((container) => ({ spec: { initContainers: [container] } })),
  ];
  return overlays.reduce<Pod>((pod, overlay) => strategicMerge(pod, overlay), merged);
}

/**
 * The overrides that an earlier injection kept. Throws `annotation-invalid` if the annotation is not what an injection
 * writes.
 */
export function readOverrides(pod: Pod): Overrides {
  const text = pod.metadata?.annotations?.[annotationKeys.overrides];
  if (text === undefined) return {};
  const value = parse(text);
  if (!isObject(value)) throw invalid("it is not a JSON object");
  return {
    containers: containersOf(value["containers"], "containers"),
    initContainers: containersOf(value["initContainers"], "initContainers"),
  };
}

function overridesOf(
  injected: readonly Container[] | undefined,
  authored: (name: string) => Container | undefined,
): readonly Container[] {
  return (injected ?? []).flatMap(({ name }) => {
    const container = authored(name);
    return container === undefined ? [] : [withoutAutoImage(container)];
  });
}

function withoutAutoImage(container: Container): Container {
  if (container.image !== autoImage) return container;
  const { image: _, ...rest } = container;
  return rest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid("it is not JSON", cause);
  }
}

function containersOf(value: unknown, list: string): readonly Container[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${list} is not a list`);
  for (const item of value) {
    if (!isObject(item) || typeof item["name"] !== "string") throw invalid(`an item of ${list} has no name`);
  }
  return value;
}

function invalid(problem: string, cause?: unknown): OutriggerError {
  return new OutriggerError(
    "annotation-invalid",
    `Cannot read annotation ${annotationKeys.overrides}: ${problem}; remove it, it is written by injection`,
    { path: `metadata.annotations[${annotationKeys.overrides}]`, cause },
  );
}
