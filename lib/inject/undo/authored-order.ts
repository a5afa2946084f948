// The order in which the author wrote containers and pull secrets, noted where the templates changed it:
// `order/<list>/<names>`. Undoing an injection restores it, so that merging again starts from the same list.

import type { Pod } from "../../kube/pod-types.ts";
import { containerNames } from "../keys.ts";
import { withSpec } from "../pod-edit.ts";

const LISTS = ["containers", "initContainers", "imagePullSecrets"] as const;

interface Named {
  readonly name?: string | undefined;
}

/**
 * A note for each list in which the author's items come in another order than in the author's pod. The proxy has a note of
 * its own, and an item that the templates deleted is not named.
 *
 * @example
 * ```ts
 * orderNotes({ spec: { containers: [{ name: "b" }, { name: "new" }, { name: "a" }] } }, { spec: { containers: [{ name: "a" }, { name: "b" }] } }) // => ["order/containers/a,b"]
 * orderNotes({ spec: { containers: [{ name: "a" }, { name: "new" }] } }, { spec: { containers: [{ name: "a" }, { name: "b" }] } }) // => []
 * ```
 */
export function orderNotes(pod: Pod, author: Pod): readonly string[] {
  return LISTS.flatMap((list) => {
    const authored: readonly Named[] = author.spec?.[list] ?? [];
    const present: readonly Named[] = pod.spec?.[list] ?? [];
    if (authored.length < 2 || isInOrder(present, authored)) return [];
    const names = new Set(present.map(({ name }) => name));
    const kept = authored.filter(({ name }) => names.has(name) && name !== containerNames.proxy);
    return [`order/${list}/${kept.map(({ name }) => name).join(",")}`];
  });
}

/** Puts the items that a note names back in its order; others keep their places. */
export function withAuthoredOrder(pod: Pod, notes: readonly string[]): Pod {
  return LISTS.reduce((current, list) => {
    const prefix = `order/${list}/`;
    const note = notes.find((text) => text.startsWith(prefix));
    const items: readonly Named[] | undefined = current.spec?.[list];
    if (note === undefined || items === undefined) return current;
    const places = new Map(
      note
        .slice(prefix.length)
        .split(",")
        .map((name, place) => [name, place]),
    );
    return withSpec(current, { [list]: reordered(items, places) });
  }, pod);
}

function reordered(items: readonly Named[], places: ReadonlyMap<string, number>): readonly Named[] {
  const placeOf = ({ name }: Named) => places.get(name ?? "") ?? -1;
  const ordered = items.filter((item) => placeOf(item) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
  let next = 0;
  return items.map((item) => (placeOf(item) < 0 ? item : (ordered[next++] as Named)));
}

function isInOrder(present: readonly Named[], authored: readonly Named[]): boolean {
  let last = -1;
  for (const { name } of present) {
    if (name === containerNames.proxy) continue;
    const place = authored.findIndex((item) => item.name === name);
    if (place < 0) continue;
    if (place < last) return false;
    last = place;
  }
  return true;
}
