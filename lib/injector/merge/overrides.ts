// What an author changes in an injected container by naming it in the pod: applied over the rendered container, and
// kept in an annotation, because a later injection sees only the merged container.

import { type JsonObject, jsonEqual, OutriggerError, ownError } from "@outrigger/base";
import { type Container, omitEmpty, type Pod, strategicMerge } from "@outrigger/pod";
import { assertExact } from "../check/assert-accepted.ts";
import { containerNames } from "../data-plane.ts";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { type ContainerList, editContainers, firstByName, withAnnotations } from "../pod-edit.ts";
import type { EarlierInjection } from "../undo/earlier-injection.ts";
import { containerType, type Overrides } from "../undo/read-overrides.ts";
import { withoutReplaced } from "./one-of.ts";

export const containerOverrides: InjectionStep = { apply: applyOverrides, undo: restoreOverridden };

/** The image of an injected container by which its author asks for the injected image. */
const autoImage = "auto";

/**
 * Applies the author's own fields of every injected container over the merged pod. An adopted proxy is applied in the
 * same way, but not recorded as an override.
 */
function applyOverrides(merged: Pod, { injector, pod: author, earlier, overlay }: RenderedInjection): Pod {
  const own = firstByName(author.spec?.containers);
  const ownInit = firstByName(author.spec?.initContainers);
  const isSafe = injector.config.compatibility === undefined;
  // In the reference, an init container changes no container.
  const containers = overridesOf(overlay.spec?.containers, (name) =>
    isSafe && name === containerNames.proxy
      ? (own.get(name) ?? withoutRestartPolicy(ownInit.get(name)))
      : own.get(name),
  );
  const initContainers = overridesOf(overlay.spec?.initContainers, (name) => own.get(name) ?? ownInit.get(name));
  if (containers.length === 0 && initContainers.length === 0) return merged;
  const overrides: Overrides = {
    ...(containers.length > 0 && { containers }),
    ...(initContainers.length > 0 && { initContainers }),
  };
  for (const container of [...containers, ...initContainers]) assertExact(container, `container ${container.name}`);
  // One by one: applied as a list, they would also reorder the containers, and that order is the templates' to decide.
  const mains = applied(merged, "containers", containers, isSafe);
  const moved = (each: Container) => (isSafe && own.has(each.name) ? (withoutRestartPolicy(each) as Container) : each);
  const overridden = applied(mains, "initContainers", initContainers.map(moved), isSafe);
  if (earlier.isAdopted) return overridden;
  return withAnnotations(overridden, { [injector.keys.overrides]: JSON.stringify(overrides) });
}

function applied(pod: Pod, list: ContainerList, overrides: readonly Container[], isSafe: boolean): Pod {
  if (overrides.length === 0) return pod;
  const encoded = overrides.map(asEncoded);
  // In the reference, into the first container of that name; a container that another template has moved comes back.
  const mergedInto = (current: Pod, override: Container) =>
    byAuthor(override, () => strategicMerge(current as JsonObject, { spec: { [list]: [override as JsonObject] } }));
  if (!isSafe) return encoded.reduce<Pod>(mergedInto, pod);
  const authored = byName(encoded);
  return editContainers(pod, list, (current) =>
    current.map((container) => {
      const override = authored.get(container.name);
      if (override === undefined) return container;
      const changed = withoutSame(override, container);
      return byAuthor(override, () => strategicMerge(withoutReplaced(container, changed), changed, containerType()));
    }),
  );
}

/**
 * Leaves out of an override what the container has anyway: a list whose items share a merge key, as one port for TCP and UDP, would not
 * come out of a merge with itself as it was.
 */
function withoutSame(override: Container, container: Container): Container {
  const current = container as JsonObject;
  const changed = Object.entries(override as JsonObject).filter(
    ([field, value]) => field === "name" || !jsonEqual(value, current[field] ?? null),
  );
  return Object.fromEntries(changed) as unknown as Container;
}

/** Merges an override and blames the author if that fails: an item has no merge key, or a type is wrong. */
function byAuthor<Merged>(override: Container, merge: () => Merged): Merged {
  try {
    return merge();
  } catch (cause) {
    const message = `Cannot merge container ${override.name} of the pod into the injected one`;
    const details = { path: "spec", cause, logged: { message, path: "spec" } };
    throw new OutriggerError("pod-invalid", `${message}: ${ownError(cause).message}`, details);
  }
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

/**
 * Returns the container as an API server would send it: `args: []` does not take the injected arguments away, and 0 is
 * no period.
 */
function asEncoded(container: Container): Container {
  return omitEmpty({ spec: { containers: [container] } }).spec?.containers[0] ?? container;
}

/**
 * Returns the container without `restartPolicy`, for one that is in the other list now: among the init containers it makes a sidecar, and
 * among the containers it says when one that has ended starts again.
 */
export function withoutRestartPolicy(container: Container | undefined): Container | undefined {
  if (container?.restartPolicy === undefined) return container;
  const { restartPolicy: _, ...others } = container;
  return others;
}

function withoutAutoImage(container: Container): Container {
  if (container.image !== autoImage) return container;
  const { image: _, ...rest } = container;
  return rest;
}

/**
 * Puts the author's containers back in place of the merged ones. Overrides of containers that the pod does not have are
 * ignored: the container was removed, or the annotations were copied.
 */
function restoreOverridden(pod: Pod, { overrides }: EarlierInjection): Pod {
  const { containers = [], initContainers = [] } = overrides;
  const restore = (list: readonly Container[], overridden: ReadonlyMap<string, Container>) =>
    list.map((container) => withAutoImage(overridden.get(container.name)) ?? container);
  const restored = editContainers(pod, "containers", (list) => restore(list, byName(containers)));
  return editContainers(restored, "initContainers", (list) => restore(list, byName(initContainers)));
}

function byName(containers: readonly Container[]): ReadonlyMap<string, Container> {
  return new Map(containers.map((container) => [container.name, container]));
}

/** Returns the override with `image: auto` if it has no image, because it then asked for the injected image. */
function withAutoImage(override: Container | undefined): Container | undefined {
  return override !== undefined && override.image === undefined ? { ...override, image: autoImage } : override;
}
