// Which entry of an overlay makes an API server reject the injected pod, where the field that is wrong is not in any
// overlay: `hostUsers: false` rules out the hostNetwork of the pod's author.

import { type FieldPath, isDirective, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import type { InjectedFault } from "../samples/check-injected.ts";
import type { FaultsWith } from "./blame-deletion.ts";
import { withoutEntry } from "./blame-deletion.ts";
import type { Rendering } from "./blame-field.ts";

/** Each takes one more injection. */
const MOST_ENTRIES = 30;

/** The faults; those that no overlay wrote have the entry without which they do not occur, if there is one. */
export function blameEntries(
  faults: readonly InjectedFault[],
  renderings: readonly Rendering[],
  faultsWith: FaultsWith,
): readonly InjectedFault[] {
  const isOpen = ({ from, cause }: InjectedFault) => from === undefined && cause === undefined;
  let known = faults;
  const entries = renderings.flatMap((from) => entriesOf(from.overlay).map((steps) => ({ from, steps })));
  for (const { from, steps } of entries.slice(0, MOST_ENTRIES)) {
    if (!known.some(isOpen)) break;
    const found = faultsWith(from.name, withoutEntry(from.overlay, steps) as JsonObject);
    if (found === undefined) continue;
    const remaining = new Set(found.map(({ key }) => key));
    known = known.map((fault) =>
      isOpen(fault) && !remaining.has(fault.key) ? { ...fault, cause: { from, steps } } : fault,
    );
  }
  return known;
}

/** Fields of the spec and the metadata; the items of lists, and single labels and annotations. */
function entriesOf(overlay: JsonObject): readonly FieldPath[] {
  return Object.entries(overlay).flatMap(([top, fields]) =>
    isObject(fields) ? Object.entries(fields).flatMap(([key, value]) => partsOf([top, key], value)) : [],
  );
}

const MAPS: readonly string[] = ["labels", "annotations"];

function partsOf(steps: FieldPath, value: JsonValue | undefined): readonly FieldPath[] {
  const key = String(steps.at(-1));
  if (isDirective(key)) return [];
  if (Array.isArray(value)) return value.map((_, index) => [...steps, index]);
  return MAPS.includes(key) && isObject(value) ? Object.keys(value).map((name) => [...steps, name]) : [steps];
}
