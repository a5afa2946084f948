// Which deletion in an overlay makes an API server reject the injected pod: the field that is wrong is then another
// template's, which is right without the deletion.

import { type FieldPath, isDirective, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { formatFieldPath } from "@outrigger/pod";
import { withAt } from "../../pod-edit.ts";
import type { InjectedFault } from "../samples/check-injected.ts";
import type { Written } from "./writer-of.ts";

/** The faults of the same injection, when this template renders another overlay; undefined where it then fails. */
export type FaultsWith<From extends Named> = (name: string, overlay: JsonObject) => Faults<From> | undefined;

interface Named extends Written {
  /** Of the template. */
  readonly name: string;
}

type Faults<From extends Named> = readonly InjectedFault<From>[];

/** The faults, each blamed on the deletion without which it does not occur, where one does. One fault per deletion. */
export function blameDeletions<From extends Named>(
  faults: Faults<From>,
  renderings: readonly From[],
  faultsWith: FaultsWith<From>,
): Faults<From> {
  let open = faults;
  const blamed: InjectedFault<From>[] = [];
  for (const { from, steps, remaining } of tried(renderings, (overlay) => deletionsIn(overlay, []), faultsWith)) {
    // What is blamed on the deletion anyway.
    const isHere = (fault: InjectedFault<From>) =>
      fault.from === from && steps.every((step, at) => fault.steps[at] === step);
    const [first, ...others] = open.filter((fault) => !remaining.has(fault.key) && !isHere(fault));
    if (first === undefined) continue;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    const deletes = formatFieldPath(steps.filter((step) => typeof step === "number" || !isDirective(step)));
    blamed.push({ ...first, from, steps, reason: first.reason + more, deletes });
    open = open.filter((fault) => fault !== first && !others.includes(fault));
  }
  return [...blamed, ...open];
}

/** Entries that take something out of the pod: nulls, items with `$patch`, and directives. */
function deletionsIn(value: JsonValue | undefined, steps: FieldPath): readonly FieldPath[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => deletionsIn(item, [...steps, index]));
  if (!isObject(value)) return value === null ? [steps] : [];
  if (value["$patch"] === "delete" || ("$patch" in value && typeof steps.at(-1) === "number")) return [steps];
  return Object.entries(value).flatMap(([key, entry]) => {
    if (key.startsWith("$setElementOrder/")) return [];
    return isDirective(key) ? [[...steps, key]] : deletionsIn(entry, [...steps, key]);
  });
}

/** The most entries that are tried. Each takes one more injection. */
const MOST_TRIED = 30;

/** Entries of the overlays, one by one, with the faults that remain without each. */
function* tried<From extends Named>(
  renderings: readonly From[],
  entriesIn: (overlay: JsonObject) => readonly FieldPath[],
  faultsWith: FaultsWith<From>,
) {
  const entries = renderings.flatMap((from) => entriesIn(from.overlay).map((steps) => ({ from, steps })));
  for (const { from, steps } of entries.slice(0, MOST_TRIED)) {
    const found = faultsWith(from.name, withAt(from.overlay, steps, undefined) as JsonObject);
    if (found !== undefined) yield { from, steps, remaining: new Set(found.map(({ key }) => key)) };
  }
}

/** The faults; those that no overlay wrote have the entry without which they do not occur, if there is one. */
export function blameEntries<From extends Named>(
  faults: Faults<From>,
  renderings: readonly From[],
  faultsWith: FaultsWith<From>,
): Faults<From> {
  const isOpen = ({ from, cause }: InjectedFault<From>) => from === undefined && cause === undefined;
  let known = faults;
  if (!known.some(isOpen)) return known;
  for (const { from, steps, remaining } of tried(renderings, entriesOf, faultsWith)) {
    known = known.map((fault) =>
      isOpen(fault) && !remaining.has(fault.key) ? { ...fault, cause: { from, steps } } : fault,
    );
    if (!known.some(isOpen)) break;
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
