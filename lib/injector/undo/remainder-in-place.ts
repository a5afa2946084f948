// What undoing an injection cannot compute, read off the injected pod: nothing is undone for pods as they usually come.

import { isObject, type JsonObject } from "@outrigger/base";
import { type Container, containersOf, type Pod } from "@outrigger/pod";
import { hasProxy } from "../pod-edit.ts";
import { portNamesLost, rewrittenFields } from "../steps/app-probes.ts";
import { keepsScrapeAnnotations, mergedAnnotations } from "../steps/prometheus-merge.ts";
import { undoneByItem } from "./injection-notes.ts";
import { compare, itemsByName, noteOf } from "./remainder.ts";

/** What the injection of a pod did to it. */
interface Done {
  /** The annotation that records what the author set in injected containers. */
  readonly overrides: string;
  /** Whether the scrape annotations point at the agent now. */
  readonly isMerged: boolean;
  /** The mesh's status port. */
  readonly statusPort: number;
}

/** The lists that are undone item by item, in the order of their notes. */
const LISTS = ["containers", "initContainers", "volumes", "imagePullSecrets"] as const;

/**
 * Returns the notes that `remainderNotes` would return after undoing, where all that the author wrote is in the pod and in its order, or
 * was changed by a step that knows what comes back: probes and scrape annotations. Otherwise it returns undefined.
 */
export function remainderInPlace(
  pod: Pod,
  author: Pod,
  { overrides, isMerged, statusPort }: Done,
): readonly string[] | undefined {
  const { metadata, spec } = pod;
  // The steps that undo know more of the author's own proxy, and of containers that templates change.
  if (metadata?.annotations?.[overrides] !== undefined || hasProxy(author)) return undefined;
  if (isMerged && !keepsScrapeAnnotations(pod, author)) return undefined;
  const notes: string[] = [];
  const isInPlace =
    hasFields(metadata, author.metadata, undoneByItem) &&
    hasFields(metadata?.labels, author.metadata?.labels) &&
    hasFields(metadata?.annotations, author.metadata?.annotations, isMerged ? mergedAnnotations : undefined) &&
    hasFields(spec, author.spec, undoneByItem) &&
    LISTS.every((list) => isListInPlace(pod, author, list, statusPort, notes));
  return isInPlace ? notes : undefined;
}

function isListInPlace(
  { spec }: Pod,
  author: Pod,
  list: (typeof LISTS)[number],
  statusPort: number,
  notes: string[],
): boolean {
  const [present, wanted]: readonly unknown[] = [spec?.[list], author.spec?.[list]];
  if (present === wanted || wanted === undefined) return true;
  if (!Array.isArray(present) || !Array.isArray(wanted) || wanted.length === 0) return false;
  // Looked up where an item differs: most lists have none.
  let isByName: boolean | undefined;
  let found = 0;
  for (const item of present) {
    const own = wanted[found];
    if (item !== own) {
      if (!isObject(item) || !isObject(own) || item["name"] !== own["name"]) continue;
      const isContainer = list === "containers" || list === "initContainers";
      isByName ??= itemsByName(isContainer ? containersOf(spec) : present) !== undefined;
      if (!isByName) return false;
      if (!isContainer) compare(item, own, ["spec", list, String(item["name"])], notes);
      else if (!addPortNames(item, own, list, statusPort, notes)) return false;
    }
    found += 1;
  }
  return found === wanted.length;
}

/** Adds the notes of a container whose probes are rewritten; returns false where more may not come back. */
function addPortNames(item: JsonObject, own: JsonObject, list: string, statusPort: number, notes: string[]): boolean {
  if (hasFields(item, own) && hasFields(own, item)) return true;
  if (!hasFields(item, own, rewrittenFields) || !hasFields(own, item, rewrittenFields)) return false;
  const lost = portNamesLost(own as object as Container, statusPort);
  for (const [place, name] of lost ?? [])
    notes.push(noteOf(["spec", list, String(own["name"]), ...place.split("/")], name));
  return lost !== undefined;
}

function hasFields(fields: object | null = {}, wanted: object | null = {}, except?: ReadonlySet<string>): boolean {
  for (const field in wanted)
    if (fields?.[field as never] !== wanted[field as never] && !except?.has(field)) return false;
  return true;
}
