// Which fields of which containers a manager has written, by an entry of a pod's `managedFields`. Pure.
import { isObject, type JsonObject, objectOf } from "@outrigger/base";

/** @param field as the entry names it: `f:image` */
export function managedContainers(entry: JsonObject, field: string): ReadonlySet<string> {
  return new Set(managedItems(entry).flatMap(([name, fields]) => (fields[field] === undefined ? [] : [name])));
}

/** Its fields, of each container; `.` is the container itself. */
export function managedItems({ fieldsV1 }: JsonObject): readonly (readonly [container: string, fields: JsonObject])[] {
  const spec = objectOf(objectOf(fieldsV1)["f:spec"]);
  const items = ["f:containers", "f:initContainers"].flatMap((list) => Object.entries(objectOf(spec[list])));
  return items.flatMap(([key, fields]) => {
    const [, name] = /^k:\{"name":"([^"]+)"\}$/.exec(key) ?? [];
    return name !== undefined && isObject(fields) ? [[name, fields] as const] : [];
  });
}
