// Which containers of a pod a manager has written a field of, by an entry of `managedFields`. Pure.
import { isObject, type JsonObject, objectOf } from "@outrigger/base";

/** @param field as the entry names it: `f:image` */
export function managedContainers({ fieldsV1 }: JsonObject, field: string): ReadonlySet<string> {
  const spec = objectOf(objectOf(fieldsV1)["f:spec"]);
  const items = ["f:containers", "f:initContainers"].flatMap((list) => Object.entries(objectOf(spec[list])));
  return new Set(
    items.flatMap(([key, value]) => {
      const [, name] = /^k:\{"name":"([^"]+)"\}$/.exec(key) ?? [];
      return name !== undefined && isObject(value) && value[field] !== undefined ? [name] : [];
    }),
  );
}
