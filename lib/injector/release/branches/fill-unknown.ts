// An overlay in which each value that only a pod decides has a value of its type. A fault that stays, whatever these values are, is
// the template's.
import { defineEntry, type FieldPath, isObject, type JsonObject, type JsonValue, valueAt } from "@outrigger/base";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";

/** The values of one pod. */
export interface Filling {
  /** The name of the pod's container; its init container has `-init` besides. */
  readonly container: string;
  readonly text: string;
  readonly number: number;
  /** Whether fields that only a pod decides are left out, where an item is not named by them. */
  readonly isLeast: boolean;
}

/** The values of three pods: of an application, of one that has as little as can be, and of another application. */
export const FILLINGS: readonly [Filling, ...Filling[]] = [
  { container: "app", text: "app", number: 1, isLeast: false },
  { container: "app", text: "app", number: 1, isLeast: true },
  { container: "other", text: "other-1", number: 20_000, isLeast: false },
];

/** Returns the overlay with the values of a pod. Objects and lists that only a pod decides are left out. */
export function fillUnknown(overlay: JsonObject, filling: Filling): JsonObject {
  let names = 0;
  return fill(overlay, POD_TYPE) as JsonObject;

  function fill(value: JsonValue, type: TypeSchema | undefined, key?: string, mergeKey?: string): JsonValue {
    if (Array.isArray(value)) {
      const kept = value.filter((item) => !isUnknownStructure(item, type?.element));
      return kept.map((item) => fill(item, type?.element, key, mergeKey));
    }
    if (!isObject(value)) return hasUnknown(value) ? knownScalar(value, type, filling) : value;
    const made: Record<string, JsonValue> = {};
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const field = type?.fields.get(name);
      const innerType = field?.type ?? (type?.kind === "map" ? type.element : undefined);
      if (name === mergeKey && hasUnknown(inner)) defineEntry(made, name, itemName(inner, innerType, key));
      else if (hasUnknown(inner) && (filling.isLeast || isUnknownStructure(inner, innerType))) continue;
      else if (hasUnknown(name) && filling.isLeast) continue;
      else defineEntry(made, knownText(name, filling), fill(inner, innerType, name, field?.mergeKey));
    }
    return made;
  }

  /** A name that is the pod's is that of its container; of everything else, no two items have the same. */
  function itemName(text: string, type: TypeSchema | undefined, list: string | undefined): JsonValue {
    if (list === "containers") return text.replaceAll(UNKNOWN, filling.container);
    if (list === "initContainers") return text.replaceAll(UNKNOWN, `${filling.container}-init`);
    names += 1;
    const { number, text: part } = filling;
    return knownScalar(text, type, { ...filling, number: number + names, text: `${part}${names}` });
  }
}

function isUnknownStructure(value: JsonValue, type: TypeSchema | undefined): boolean {
  return hasUnknown(value) && type !== undefined && ["object", "map", "list", "opaque"].includes(type.kind);
}

/** Whether a text, or a part of it, is what only a pod decides. */
export function hasUnknown(value: unknown): value is string {
  return typeof value === "string" && value.includes(UNKNOWN);
}

function knownText(text: string, { text: part }: Filling): string {
  return text.replaceAll(UNKNOWN, part);
}

function knownScalar(text: string, type: TypeSchema | undefined, filling: Filling): JsonValue {
  switch (type?.kind) {
    case "boolean":
      return filling.number === 1;
    case "int32":
    case "int64":
    case "intOrString":
      return filling.number;
    case "quantity":
      return String(filling.number);
    case "time":
      return "2006-01-02T15:04:05Z";
    default:
      return knownText(text, filling);
  }
}

/** Returns the steps of a field of a filled overlay in the overlay itself, whose lists have the items that were left out. */
export function stepsBefore(overlay: JsonObject, steps: FieldPath, filling: Filling): FieldPath {
  const own: (string | number)[] = [];
  let type: TypeSchema | undefined = POD_TYPE;
  for (const step of steps) {
    const at = valueAt(overlay, own);
    if (typeof step === "number") {
      const element: TypeSchema | undefined = type?.element;
      const items: readonly JsonValue[] = Array.isArray(at) ? at : [];
      const kept = [...items.keys()].filter((index) => !isUnknownStructure(items[index] as JsonValue, element));
      own.push(kept[step] ?? step);
      type = element;
    } else {
      const key = isObject(at) ? Object.keys(at).find((each) => knownText(each, filling) === step) : undefined;
      own.push(key ?? step);
      type = type?.fields.get(step)?.type ?? type?.element;
    }
  }
  return own;
}
