// Whether what a template renders is part of a Pod, and if not, what is wrong and how to mend it. Knows neither where in
// the template it stands nor which pod it is for: a piece of a container makes sense only beside another template.

import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { checkPod } from "../kube/check-pod.ts";
import { type FieldPath, fieldSteps, formatFieldPath } from "../kube/field-path.ts";
import { isDirective } from "../kube/merge-directives.ts";
import { type FieldSchema, POD_TYPE, type TypeKind, type TypeSchema } from "../kube/schema.ts";
import { suggestName } from "../template/suggest-name.ts";

type Steps = readonly (string | number)[];

export interface OverlayFault {
  /** Keys and indexes in the overlay. */
  readonly steps: Steps;
  /** Whether the field itself is wrong or what it holds. */
  readonly part: "key" | "value";
  /** What is wrong and how to mend it: half a sentence. */
  readonly reason: string;
}

/** The first thing that keeps the overlay from being merged into a Pod: a field, a type or a directive. */
export function overlayFault(overlay: JsonObject): OverlayFault | undefined {
  const [violation] = checkPod(withoutDirectives(overlay));
  if (violation === undefined) return mergeFault(overlay, POD_TYPE, []);
  const steps = fieldSteps(violation.path);
  const type = typeAt(steps);
  if (type === undefined)
    return { steps, part: "key", reason: `${violation.path} ${violation.message}${nearField(steps)}` };
  return { steps, part: "value", reason: `${violation.path} ${violation.message}${CONVERSIONS[type.kind] ?? ""}` };
}

/** Items keep their positions, so that a path is a path in the overlay. */
function withoutDirectives<T extends JsonValue | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutDirectives) as unknown as T;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([key]) => !isDirective(key));
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutDirectives(field)])) as T;
}

/** What no merge can do anything with, whatever is in the pod: items that cannot be told apart, unknown directives. */
function mergeFault(
  value: JsonValue | undefined,
  type: TypeSchema | undefined,
  steps: Steps,
): OverlayFault | undefined {
  if (!isObject(value)) return undefined;
  const directive = value["$patch"];
  if (directive !== undefined && directive !== "delete" && directive !== "replace") {
    return { steps: [...steps, "$patch"], part: "value", reason: "$patch must be delete or replace" };
  }
  for (const [key, entry] of Object.entries(value)) {
    const field = type?.fields.get(key);
    const path = [...steps, key];
    const fault = Array.isArray(entry) ? listFault(entry, field, path) : mergeFault(entry, field?.type, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function listFault(list: readonly JsonValue[], field: FieldSchema | undefined, steps: Steps): OverlayFault | undefined {
  for (const [index, item] of list.entries()) {
    const path = [...steps, index];
    if (item === null) return { steps: path, part: "value", reason: `${written(path)} is empty: take the item out` };
    const key = field?.mergeKey;
    if (key !== undefined && isObject(item) && item["$patch"] !== "replace" && (item[key] ?? null) === null) {
      return { steps: path, part: "value", reason: `${written(path)} needs ${key}, by which items are told apart` };
    }
    const fault = mergeFault(item, field?.type.element, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function written(steps: Steps): string {
  return formatFieldPath(steps.reduce<FieldPath | undefined>((parent, step) => ({ parent, step }), undefined));
}

/** The type of the field, undefined if a Pod has none there. */
function typeAt(steps: Steps): TypeSchema | undefined {
  let type: TypeSchema | undefined = POD_TYPE;
  for (const step of steps) {
    type = typeof step === "string" ? (type?.fields.get(step)?.type ?? type?.element) : type?.element;
  }
  return type;
}

/** The field that was probably meant, or where to look it up. */
function nearField(steps: Steps): string {
  const parents = steps.slice(0, -1);
  const near = suggestName(String(steps.at(-1)), typeAt(parents)?.fields.keys() ?? []);
  if (near !== "") return near;
  const parent = ["pod", ...parents.filter((step) => typeof step === "string")].join(".");
  return `; "kubectl explain ${parent}" names those that there are`;
}

const CONVERSIONS: Partial<Readonly<Record<TypeKind, string>>> = {
  string: ": put it in quotes, or write {{string …}}",
  time: ": put it in quotes, or write {{string …}}",
  int32: ": write it without quotes, or {{int …}}",
  int64: ": write it without quotes, or {{int …}}",
  boolean: ": write it without quotes, or {{bool …}}",
};
