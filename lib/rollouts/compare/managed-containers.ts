// Which containers of a pod a manager has written a field of, by an entry of `managedFields`. Pure.
import { isObject, type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { FIELD_MANAGER } from "@outrigger/webhook";

/** @param field as the entry names it: `f:image` */
export function managedContainers({ fieldsV1 }: JsonObject, field: string): ReadonlySet<string> {
  return new Set(managedItems(fieldsV1).flatMap(([name, fields]) => (fields[field] === undefined ? [] : [name])));
}

/** Containers whose image others have written since the pod was made. Its maker owns the container itself too. */
export function retaggedContainers({ metadata }: { readonly metadata?: unknown }): ReadonlySet<string> {
  const others = objectsOf(objectOf(metadata)["managedFields"]).filter(({ manager }) => manager !== FIELD_MANAGER);
  return new Set(
    others
      .flatMap(({ fieldsV1 }) => managedItems(fieldsV1))
      .flatMap(([name, fields]) => (fields["f:image"] !== undefined && fields["."] === undefined ? [name] : [])),
  );
}

function managedItems(fieldsV1: unknown): readonly (readonly [container: string, fields: JsonObject])[] {
  const spec = objectOf(objectOf(fieldsV1)["f:spec"]);
  const items = ["f:containers", "f:initContainers"].flatMap((list) => Object.entries(objectOf(spec[list])));
  return items.flatMap(([key, fields]) => {
    const [, name] = /^k:\{"name":"([^"]+)"\}$/.exec(key) ?? [];
    return name !== undefined && isObject(fields) ? [[name, fields] as const] : [];
  });
}
