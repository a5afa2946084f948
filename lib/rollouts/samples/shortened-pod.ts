// A pod that is too large for a parameter, without parts that no condition of a template needs. Pure.
import { type FieldPath, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";

/**
 * Leaves out labels, annotations and items of lists, the largest first, until the pod is small. Those without which it is not as good stay,
 * so it may still be too large.
 */
export function shortenedPod(pod: Pod, isSmall: (pod: Pod) => boolean, isAsGood: (pod: Pod) => boolean): Pod {
  let short = pod;
  for (const path of partsOf(pod)) {
    if (isSmall(short)) break;
    const next = without(short as JsonObject, path) as Pod;
    if (next !== short && isAsGood(next)) short = next;
  }
  return short;
}

/** An item of a list is known by its value, as its index changes when others are left out. */
type PartPath = readonly (FieldPath[number] | JsonObject)[];

/** The paths of the parts that may be left out, the largest part first. */
function partsOf({ metadata = {}, spec }: Pod): readonly PartPath[] {
  const found: (readonly [size: number, path: PartPath])[] = [];
  const add = (path: PartPath, value: JsonValue) => void found.push([JSON.stringify(value).length, path]);
  for (const field of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(metadata[field] ?? {})) add(["metadata", field, key], value);
  }
  visit((spec ?? {}) as JsonObject, ["spec"]);
  return found.toSorted(([a], [b]) => b - a).map(([, path]) => path);

  function visit(value: JsonValue, path: PartPath): void {
    if (Array.isArray(value)) {
      for (const item of value) {
        if (!isObject(item)) continue;
        add([...path, item], item);
        visit(item, [...path, item]);
      }
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) if (inner !== undefined) visit(inner, [...path, key]);
    }
  }
}

function without(value: JsonValue, [step, ...rest]: PartPath): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(value)) {
    const at = value.indexOf(step as JsonObject);
    if (at === -1) return value;
    if (rest.length === 0) return value.toSpliced(at, 1);
    const inner = without(value[at] as JsonValue, rest);
    return inner === value[at] ? value : value.with(at, inner);
  }
  if (!isObject(value) || typeof step !== "string" || value[step] === undefined) return value;
  const inner = rest.length === 0 ? undefined : without(value[step], rest);
  if (inner === value[step]) return value;
  const isGone = inner === undefined || (Array.isArray(inner) && inner.length === 0 && step !== "containers");
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, other]) => (key !== step ? [[key, other]] : isGone ? [] : [[key, inner]])),
  );
}
