// What undoing an injection cannot compute, read off the injected pod: nothing is undone for pods as they usually come.

import { isObject, type JsonObject, type JsonValue, listOf, once } from "@outrigger/base";
import { type Container, containersOf, type Pod } from "@outrigger/pod";
import { hasProxy } from "../pod-edit.ts";
import { portNamesLost, rewrittenFields } from "../steps/app-probes.ts";
import { keepsScrapeAnnotations, mergedAnnotations } from "../steps/prometheus-merge.ts";
import { undoneByItem } from "./injection-notes.ts";
import { itemsByName, noteOf } from "./remainder.ts";

/**
 * Returns the notes that `remainderNotes` would return after undoing, where all that the author wrote is in the pod and in its order, but
 * for what the steps for probes and scrape annotations changed and know to come back. Otherwise it returns undefined.
 *
 * @param isMerged whether the pod's scrape annotations are those of metrics merging
 * @param statusPort of the mesh
 */
export function remainderInPlace(
  pod: Pod,
  author: Pod,
  isMerged: boolean,
  statusPort: number,
): readonly string[] | undefined {
  const { metadata, spec } = pod;
  // The steps that undo know more of the author's own proxy.
  if (hasProxy(author) || (isMerged && !keepsScrapeAnnotations(pod, author))) return undefined;
  const notes: string[] = [];
  const byName = once(() => itemsByName(containersOf(spec)));
  const isInPlace =
    hasFields(metadata, author.metadata, undoneByItem) &&
    hasFields(metadata?.labels, author.metadata?.labels) &&
    hasFields(metadata?.annotations, author.metadata?.annotations, isMerged ? mergedAnnotations : undefined) &&
    hasFields(spec, author.spec, undoneByItem) &&
    LISTS.every((list) =>
      isListInPlace(spec?.[list] as JsonValue, author.spec?.[list] as JsonValue, (item, own) => {
        const lost = isRewritten(item, own) && byName() && portNamesLost(own, statusPort);
        for (const each of lost || []) notes.push(`${noteOf(["spec", list, own.name])}/${each}`);
        return Boolean(lost);
      }),
    );
  return isInPlace ? notes : undefined;
}

/** The lists that are undone item by item. */
const LISTS = ["containers", "initContainers", "volumes", "imagePullSecrets"] as const;

function isListInPlace(
  present: JsonValue | undefined,
  wanted: JsonValue | undefined,
  isKept: (item: JsonObject, own: Container) => boolean,
): boolean {
  if (present === wanted || wanted === undefined) return true;
  const own = listOf(wanted);
  let found = 0;
  for (const item of listOf(present)) {
    const next = own[found];
    const isSame = isObject(item) && isObject(next) && item["name"] === next["name"];
    if (item === next || (isSame && isKept(item, next as object as Container))) found += 1;
  }
  return found > 0 && found === own.length;
}

/** Whether nothing but probes and hooks differ between two containers. A volume has none, and its sources differ. */
function isRewritten(item: object, own: object): boolean {
  return !hasFields(item, own) && hasFields(item, own, rewrittenFields) && hasFields(own, item, rewrittenFields);
}

function hasFields(fields: object | null = {}, wanted: object | null = {}, except?: ReadonlySet<string>): boolean {
  for (const field in wanted)
    if (fields?.[field as never] !== wanted[field as never] && !except?.has(field)) return false;
  return true;
}
