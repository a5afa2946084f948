// Comparing the objects that should be in a cluster with those that are. Pure; shows no token.
import type { JsonObject } from "@outrigger/base";
import { type Difference, diffObjects, formatDifferencePath, metadataOf } from "@outrigger/pod";
import { withoutToken } from "./webhook-url.ts";

/** One difference, in words that can be shown. */
export interface Drift {
  /** The object, and the place in it: `outrigger-sidecar-injector: webhooks[object].failurePolicy`. */
  readonly place: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Returns the differences between the object in the cluster and the one that should be there. A field that an API
 * server fills in by itself is no difference; a field of a webhook that should not be there is one, and so is an
 * additional webhook.
 *
 * @param actual undefined where there is no such object
 */
export function findDrift(expected: JsonObject, actual: JsonObject | undefined): readonly Drift[] {
  const { name } = metadataOf(expected);
  if (actual === undefined) return [{ place: name, expected: "to be there", actual: "missing" }];
  return differences(expected, actual, "").map((drift) => ({ ...drift, place: `${name}: ${drift.place}` }));
}

/** Returns the differences between two values, field by field. */
export function differences(expected: JsonObject, actual: JsonObject, path: string): readonly Drift[] {
  const found = diffObjects(actual, expected, { type: undefined, keysOf: namesIn });
  return found.filter((one) => !isLeftAlone(one, path)).map((one) => driftOf(one, path));
}

/** Fields that the API server sets, or that do not matter. */
const LEFT_ALONE: ReadonlySet<unknown> = new Set(["metadata", "status", "scope", "matchPolicy"]);

/** Whether a difference is ignored. An object's own metadata is ignored in any case. */
function isLeftAlone({ kind, path }: Difference, within: string): boolean {
  if (kind === "reordered" || (within === "" && path[0] === "metadata")) return true;
  return kind === "removed" && LEFT_ALONE.has(path.at(-1));
}

function driftOf({ path, before, after }: Difference, within: string): Drift {
  const place = [within, formatDifferencePath(path)].filter((part) => part !== "").join(".");
  if (typeof path.at(-1) === "object") {
    if (after === undefined) return { place, expected: "nothing", actual: "there" };
    if (before === undefined) return { place, expected: "to be there", actual: "missing" };
  }
  const [expected, actual] = [shown(after), shown(before)];
  return { place, expected, actual: expected === actual ? "the same with another token" : actual };
}

/** Returns the names of a list's items, or undefined for a list that is compared as one value. */
function namesIn(items: readonly JsonObject[]): readonly string[] | undefined {
  const isNamed = items.length > 0 && items.every(({ name }) => name !== undefined);
  return isNamed ? items.map(({ name }) => String(name)) : undefined;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? withoutToken(value) : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
