// Comparing the objects that should be in a cluster with those that are. Pure; shows no token.
import { isObject, type JsonObject, jsonEqual } from "@outrigger/base";
import { withoutToken } from "./webhook-url.ts";

/** One difference, in words that can be shown. */
export interface Drift {
  /** The object, and the place in it: `outrigger-sidecar-injector: webhooks[object].failurePolicy`. */
  readonly place: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Where the object in the cluster differs from the one that should be there. What an API server fills in by itself is no
 * difference; a field of a webhook's that should not be there, or a webhook more, is.
 *
 * @param actual undefined where there is no such object
 */
export function findDrift(expected: JsonObject, actual: JsonObject | undefined): readonly Drift[] {
  const name = nameOf(expected);
  if (actual === undefined) return [{ place: name, expected: "to be there", actual: "missing" }];
  return compare(expected, actual, "").map((drift) => ({ ...drift, place: `${name}: ${drift.place}` }));
}

/** Where two values differ, field by field. */
export function differences(expected: JsonObject, actual: JsonObject, path: string): readonly Drift[] {
  return compare(expected, actual, path);
}

/** Fields that the API server sets, or that do not matter. */
const LEFT_ALONE: ReadonlySet<string> = new Set(["metadata", "status", "scope", "matchPolicy"]);

function compare(expected: unknown, actual: unknown, path: string): readonly Drift[] {
  if (isObject(expected) && isObject(actual)) return compareObjects(expected, actual, path);
  if (isNamedList(expected) && isNamedList(actual)) return compareLists(expected, actual, path);
  if (jsonEqual(expected, actual)) return [];
  const [wanted, found] = [shown(expected), shown(actual)];
  return [{ place: path, expected: wanted, actual: wanted === found ? "the same with another token" : found }];
}

function compareObjects(expected: JsonObject, actual: JsonObject, path: string): readonly Drift[] {
  const wanted = Object.keys(expected).filter((key) => path !== "" || key !== "metadata");
  const extra = Object.keys(actual).filter((key) => expected[key] === undefined && !LEFT_ALONE.has(key));
  return [
    ...wanted.flatMap((key) => compare(expected[key], actual[key], join(path, key))),
    ...extra.map((key) => ({ place: join(path, key), expected: "nothing", actual: shown(actual[key]) })),
  ];
}

function compareLists(expected: readonly JsonObject[], actual: readonly JsonObject[], path: string): readonly Drift[] {
  const names = [...new Set([...expected, ...actual].map((item) => item["name"]))];
  return names.flatMap((name) => {
    const [wanted, found] = [expected, actual].map((list) => list.find((item) => item["name"] === name));
    const place = `${path}[${String(name)}]`;
    if (wanted === undefined) return [{ place, expected: "nothing", actual: "there" }];
    if (found === undefined) return [{ place, expected: "to be there", actual: "missing" }];
    return compare(wanted, found, place);
  });
}

function isNamedList(value: unknown): value is readonly JsonObject[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && item["name"] !== undefined)
  );
}

function nameOf({ metadata }: JsonObject): string {
  return isObject(metadata) ? String(metadata["name"]) : "";
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? withoutToken(value) : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
