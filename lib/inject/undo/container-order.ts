// The note of the order in which the author wrote the containers. A template that names several of them puts them in its
// own order, which the pod alone does not show.

import type { Container, Pod } from "../../kube/pod-types.ts";
import { containerNames } from "../keys.ts";
import { type ContainerList, editContainers } from "../pod-edit.ts";

const LISTS = ["containers", "initContainers"] as const;

/**
 * `order/<list>/<name>,<name>,…` for each list whose containers the injection put in another order. The proxy's place has a
 * note of its own.
 */
export function orderNotes(pod: Pod, author: Pod): readonly string[] {
  return LISTS.flatMap((list) => {
    const own = author.spec?.[list];
    const injected = pod.spec?.[list];
    if (!own || own.length < 2 || !injected || isInOrder(own, injected)) return [];
    const present = new Set(namesIn(injected));
    const kept = own.filter(({ name }) => name !== containerNames.proxy && present.has(name));
    // A container that a template deletes is in no order.
    return isInOrder(kept, injected) ? [] : [`${notePrefix(list)}${namesIn(kept).join(",")}`];
  });
}

/** Whether the containers but the proxy are in the injected list in the same order. */
function isInOrder(own: readonly Container[], injected: readonly Container[]): boolean {
  let next = 0;
  for (const { name } of own) {
    if (name === containerNames.proxy) continue;
    while (next < injected.length && injected[next]?.name !== name) next += 1;
    if (next === injected.length) return false;
    next += 1;
  }
  return true;
}

/** Puts the noted containers in the noted order, into the places that they have together. */
export function withNotedOrder(pod: Pod, notes: readonly string[]): Pod {
  return LISTS.reduce((current, list) => {
    const prefix = notePrefix(list);
    const note = notes.find((text) => text.startsWith(prefix));
    if (note === undefined) return current;
    const names = note.slice(prefix.length).split(",");
    return editContainers(current, list, (containers) => arranged(containers, names));
  }, pod);
}

function arranged(containers: readonly Container[], names: readonly string[]): readonly Container[] {
  const byName = new Map(containers.map((container) => [container.name, container]));
  const noted = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
  const isNoted = new Set(noted);
  if (containers.filter((container) => isNoted.has(container)).length !== noted.length) return containers;
  let next = 0;
  return containers.map((container) => (isNoted.has(container) ? (noted[next++] as Container) : container));
}

function notePrefix(list: ContainerList): string {
  return `order/${list}/`;
}

function namesIn(list: readonly Container[]): readonly string[] {
  return list.map(({ name }) => name);
}
