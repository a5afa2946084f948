// What was written into a running pod since it was made, of what an injection decides: images by others, and resources by this tool, whose
// record may not say so yet. A new pod would not have it. Pure.
import { type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import { containersOf, type Pod } from "@outrigger/pod";
import { FIELD_MANAGER } from "@outrigger/webhook";
import { isSameAmount } from "./amounts.ts";
import { managedItems } from "./release-changes.ts";

/** Container of the injection → the fields that were written, with their values. */
type Written = ReadonlyMap<string, readonly WrittenField[]>;

interface WrittenField {
  /** `["image"]`, `["resources", "requests", "cpu"]` */
  readonly path: readonly string[];
  readonly value: JsonValue;
}

export function writtenSince(pod: Pod): Written {
  const entries = objectsOf(objectOf(pod.metadata as unknown)["managedFields"]);
  const fields = entries.flatMap((entry) =>
    managedItems(entry).flatMap(([name, fields]) => pathsOf(entry, fields).map((path) => ({ name, path }))),
  );
  if (fields.length === 0) return new Map();
  const { containers = [], initContainers = [] } = readStatus(pod) ?? {};
  const injected = new Set([...containers, ...initContainers]);
  const found = new Map<string, WrittenField[]>();
  for (const { name, path } of fields) {
    const container: JsonValue | undefined = injected.has(name) ? containerOf(pod, name) : undefined;
    const value = path.reduce<JsonValue | undefined>((part, key) => objectOf(part)[key], container);
    if (value !== undefined) found.set(name, [...(found.get(name) ?? []), { path, value }]);
  }
  return found;
}

/** The maker of a pod owns its containers too. */
function pathsOf({ manager, subresource }: JsonObject, fields: JsonObject): readonly (readonly string[])[] {
  if (manager !== FIELD_MANAGER) return fields["f:image"] !== undefined && fields["."] === undefined ? [["image"]] : [];
  if (subresource !== "resize") return [];
  return ["requests", "limits"].flatMap((kind) =>
    Object.keys(objectOf(objectOf(fields["f:resources"])[`f:${kind}`]))
      .filter((key) => key.startsWith("f:"))
      .map((key) => ["resources", kind, key.slice(2)]),
  );
}

/**
 * A pod as an injection makes it, with what was written into the running one.
 *
 * @param next as it is made now: resources that it has too were written for it, and count once the record says that they were given
 */
export function withWritten(made: Pod, next: Pod, since: Written): Pod {
  if (since.size === 0) return made;
  const written = new Map([...since].map(([name, fields]) => [name, fields.filter((one) => !isFor(next, name, one))]));
  const spec = objectOf(made.spec as unknown);
  const lists = ["containers", "initContainers"].flatMap((list) =>
    spec[list] === undefined ? [] : [[list, objectsOf(spec[list]).map((one) => withFields(one, written))] as const],
  );
  return { ...made, spec: { ...spec, ...Object.fromEntries(lists) } } as unknown as Pod;
}

function isFor(next: Pod, name: string, { path, value }: WrittenField): boolean {
  const [field, kind = "", amount = ""] = path;
  if (field !== "resources") return false;
  return isSameAmount(withValue({}, path, value), containerOf(next, name) ?? {}, kind, amount);
}

function withFields(container: JsonObject, written: Written): JsonObject {
  const fields = written.get(String(container["name"])) ?? [];
  return fields.reduce((changed, { path, value }) => withValue(changed, path, value), container);
}

function withValue(object: JsonObject, [key = "", ...rest]: readonly string[], value: JsonValue): JsonObject {
  return { ...object, [key]: rest.length === 0 ? value : withValue(objectOf(object[key]), rest, value) };
}

function containerOf({ spec }: Pod, name: string): JsonObject | undefined {
  return containersOf(spec).find((one) => one["name"] === name);
}
