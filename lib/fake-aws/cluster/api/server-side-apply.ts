// Server-side apply as an API server does it, for the stand-in: which manager owns which field, conflicts, forced takeovers,
// and fields that are removed when their last owner stops applying them. Pure. Modelled on Kubernetes' documentation of
// managed fields; lists of things with names are maps by name, every other list is atomic.
import { isObject, type JsonObject, type JsonValue, jsonEqual, memoizeObject } from "@outrigger/base";

/** A field's path: keys and `[name]` of list items, joined by a character that no key has. */
type Path = string;

/** Manager, operation and subresource, with slashes → the fields that it owns. */
export type Ownership = ReadonlyMap<string, ReadonlySet<Path>>;

export interface Managed {
  readonly object: JsonObject;
  readonly owners: Ownership;
}

/** Server-side apply of a configuration, over an object or none. Conflicts are as an API server words them: manager and field. */
export function serverSideApply(
  before: Managed | undefined,
  manager: string,
  configuration: JsonObject,
  force: boolean,
): Managed | { readonly conflicts: readonly string[] } {
  const owners = new Map(before?.owners ?? []);
  const key = `${manager}/Apply`;
  const wanted = fieldsOf(configuration);
  const conflicts = [...wanted].flatMap(([path, value]) =>
    [...owners].flatMap(([owner, fields]) => {
      const isOther = owner !== key && fields.has(path) && !path.endsWith("]");
      const shown = path.replaceAll(SEPARATOR, ".");
      return isOther && !jsonEqual(readAt(before?.object ?? {}, path), value)
        ? [{ owner, path, text: `conflict with "${owner.split("/")[0]}": .${shown.replaceAll(".[", "[")}` }]
        : [];
    }),
  );
  if (conflicts.length > 0 && !force) return { conflicts: conflicts.map(({ text }) => text) };
  for (const { owner, path } of conflicts) {
    owners.set(owner, new Set([...(owners.get(owner) ?? [])].filter((field) => field !== path)));
  }
  const dropped = [...(before?.owners.get(key) ?? [])].filter((path) => !wanted.has(path));
  owners.set(key, new Set(wanted.keys()));
  const orphans = dropped.filter((path) => ![...owners.values()].some((fields) => covers(fields, path)));
  const pruned = orphans.reduce<JsonObject>(
    (object, path) => removeAt(object, path.split(SEPARATOR)),
    before?.object ?? {},
  );
  return { object: merge(pruned, configuration) as JsonObject, owners: withoutEmpty(owners) };
}

/** An update or a patch: the manager owns what it changed, and nobody owns what it removed. */
export function recordUpdate(before: Managed, manager: string, object: JsonObject, subresource?: string): Managed {
  const [old, next] = [fieldsOf(before.object), fieldsOf(object)];
  const changed = [...next].filter(([path, value]) => !jsonEqual(old.get(path), value)).map(([path]) => path);
  const key = subresource === undefined ? `${manager}/Update` : `${manager}/Update/${subresource}`;
  const owners = new Map(
    [...before.owners].map(([owner, fields]) => [
      owner,
      new Set([...fields].filter((path) => next.has(path) && (owner === key || !changed.includes(path)))),
    ]),
  );
  owners.set(key, new Set([...(owners.get(key) ?? []), ...changed]));
  return { object, owners: withoutEmpty(owners) };
}

/** `metadata.managedFields`, as far as clients read it, written at a time (ISO 8601, UTC). */
export function managedFieldsOf(owners: Ownership, time: string): readonly JsonObject[] {
  return [...owners].map(([owner, fields]) => {
    const [manager = "", operation = "", subresource] = owner.split("/");
    const written = { manager, operation, apiVersion: "v1", time, fieldsType: "FieldsV1", fieldsV1: treeOf(fields) };
    return subresource === undefined ? written : { ...written, subresource };
  });
}

/** The fields as a tree. Sets of fields are replaced and never changed: an owner of the same fields has the same tree. */
const treeOf = memoizeObject((fields: ReadonlySet<Path>): JsonObject => {
  const tree: Tree = {};
  for (const path of fields) {
    let below = tree;
    for (const key of path.split(SEPARATOR)) {
      const isItem = key.startsWith("[");
      below = below[isItem ? `k:${JSON.stringify({ name: key.slice(1, -1) })}` : `f:${key}`] ??= {};
    }
    // Of an item of a list, the item itself too.
    if (path.endsWith("]")) below["."] = {};
  }
  return tree as JsonObject;
});

interface Tree {
  [field: string]: Tree;
}

const SEPARATOR = "â";

/** Matches the fields that the server owns itself. */
const SERVERS_OWN =
  /^(apiVersion|kind|metadataâ(name|namespace|uid|resourceVersion|generation|creationTimestamp|managedFields))(â|$)/;

/** Objects are replaced and never changed: an update looks at what the one before has written. */
const fieldsOf = memoizeObject((object: JsonObject): ReadonlyMap<Path, JsonValue> => {
  const found = new Map<Path, JsonValue>();
  addFields(object, "", found);
  return found;
});

function addFields(value: JsonValue, path: Path, found: Map<Path, JsonValue>): void {
  const entries = entriesOf(value);
  if (entries === undefined || entries.length === 0) {
    if (path !== "") found.set(path, value);
    return;
  }
  if (path.endsWith("]")) found.set(path, true);
  for (const [key, item] of entries) {
    const below = path === "" ? key : `${path}${SEPARATOR}${key}`;
    if (item !== undefined && !SERVERS_OWN.test(below)) addFields(item, below, found);
  }
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] | undefined {
  if (isObject(value)) return Object.entries(value) as readonly (readonly [string, JsonValue])[];
  if (isNamed(value)) return value.map((item) => [`[${String(item["name"])}]`, item] as const);
  return undefined;
}

function isNamed(value: unknown): value is readonly JsonObject[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && item["name"] !== undefined)
  );
}

function readAt(object: JsonObject, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const key of path.split(SEPARATOR)) {
    value = entriesOf(value)?.find(([name]) => name === key)?.[1];
    if (value === undefined) return undefined;
  }
  return value;
}

/** Lists that lose their last item stay, empty, as an API server leaves them. */
function removeAt<Value extends JsonValue>(value: Value, [first, ...rest]: readonly string[]): Value {
  const entries = entriesOf(value)?.flatMap(([key, item]) => {
    if (key !== first) return [[key, item] as const];
    return rest.length === 0 ? [] : [[key, removeAt(item, rest)] as const];
  });
  if (entries === undefined) return value;
  return (Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)) as Value;
}

function merge(there: JsonValue | undefined, next: JsonValue): JsonValue {
  if (isObject(there) && isObject(next)) {
    const merged = Object.entries(next).map(([key, value]) => [key, merge(there[key], value as JsonValue)]);
    return { ...there, ...(Object.fromEntries(merged) as JsonObject) };
  }
  if (!isNamed(there) || !isNamed(next)) return next;
  const byName = (list: readonly JsonObject[], { name }: JsonObject) => list.find((item) => item["name"] === name);
  const foreign = there.filter((item) => byName(next, item) === undefined);
  return [...next.map((item) => merge(byName(there, item), item)), ...foreign];
}

/** A list item goes only with its last field. */
function covers(fields: ReadonlySet<Path>, path: Path): boolean {
  return fields.has(path) || (path.endsWith("]") && [...fields].some((field) => field.startsWith(path)));
}

function withoutEmpty(owners: ReadonlyMap<string, ReadonlySet<Path>>): Ownership {
  return new Map([...owners].filter(([, fields]) => fields.size > 0));
}
