// The order that containers had before an injection, as its record notes it.

import { lookup } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import { withSpec } from "../pod-edit.ts";

const LISTS = ["containers", "initContainers", "imagePullSecrets"] as const;

type List = (typeof LISTS)[number] | "volumes";

type Named = { readonly name?: string | undefined };

/**
 * A template that names several items puts them in its own order, which the pod alone does not show:
 * `order/<list>/<name>,<name>,…` for each list whose items the injection put in another order. The proxy's place has a note
 * of its own; an item that a template deleted has none.
 */
export function orderNotes(pod: Pod, author: Pod, lists: readonly List[] = LISTS): readonly string[] {
  return lists.flatMap((list) => {
    const own: readonly Named[] | undefined = author.spec?.[list];
    const injected: readonly Named[] | undefined = pod.spec?.[list];
    if (!own || own.length < 2 || !injected) return [];
    // An item that a template deletes is in no order.
    const present = lookup(injected, ({ name }) => name);
    const names = own.map(({ name }) => name).filter((name) => name !== containerNames.proxy && present.has(name));
    return isInOrder(names, injected) ? [] : [`${notePrefix(list)}${withoutTail(names, injected).join(",")}`];
  });
}

/** The names without those at the end that come after all others anyway, as the volume that an API server adds to a stored pod. */
function withoutTail(
  names: readonly (string | undefined)[],
  injected: readonly Named[],
): readonly (string | undefined)[] {
  const places = new Map(injected.map(({ name }, place) => [name, place]));
  let [furthest, last] = [-1, -1];
  for (const [index, name] of names.entries()) {
    const place = places.get(name) ?? -1;
    if (place < furthest) last = index;
    else furthest = place;
  }
  return names.slice(0, last + 1);
}

function isInOrder(names: readonly (string | undefined)[], injected: readonly Named[]): boolean {
  let next = 0;
  for (const name of names) {
    while (next < injected.length && injected[next]?.name !== name) next += 1;
    if (next === injected.length) return false;
    next += 1;
  }
  return true;
}

/** Puts the noted items in the noted order, into the places that they have together. */
export function withNotedOrder(pod: Pod, notes: readonly string[], lists: readonly List[] = LISTS): Pod {
  return lists.reduce((current, list) => {
    const prefix = notePrefix(list);
    const note = notes.find((text) => text.startsWith(prefix));
    const items: readonly Named[] | undefined = current.spec?.[list];
    if (note === undefined || items === undefined) return current;
    return withSpec(current, { [list]: arranged(items, note.slice(prefix.length).split(",")) });
  }, pod);
}

function arranged(items: readonly Named[], names: readonly string[]): readonly Named[] {
  const byName = new Map(items.map((item) => [item.name, item]));
  const noted = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
  const isNoted = new Set(noted);
  if (items.filter((item) => isNoted.has(item)).length !== noted.length) return items;
  let next = 0;
  return items.map((item) => (isNoted.has(item) ? (noted[next++] as Named) : item));
}

function notePrefix(list: List): string {
  return `order/${list}/`;
}
