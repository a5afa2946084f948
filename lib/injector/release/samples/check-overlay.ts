// Whether an overlay can be merged into a Pod, and if not, what is wrong and how to fix it. Knows neither the template nor
// the pod: part of a container is valid here, because another template may add the rest.

import {
  type FieldPath,
  isDirective,
  isObject,
  type JsonObject,
  type JsonValue,
  memoizeJson,
  suggestName,
  valueAt,
} from "@outrigger/base";
import { checkPod, formatFieldPath, POD_TYPE, parseFieldPath, type TypeSchema } from "@outrigger/pod";
import { AUTHORS_FIELDS } from "../../check/authors-fields.ts";
import { typeAt } from "../../decode-pod.ts";
import type { BlamedField } from "../blame/blame-field.ts";

export interface OverlayFault extends BlamedField {
  /** The fault and how to fix it: half a sentence. */
  readonly reason: string;
}

/** Everything that keeps the overlay from being merged into a Pod: fields, types and directives. Many samples get the same overlay. */
export const overlayFaults = memoizeJson(
  (overlay: JsonObject): readonly OverlayFault[] => {
    const types = checkPod(withoutDirectives(overlay)).map((violation) => schemaFault(violation, overlay));
    return [...kindFaults(overlay), ...types, ...mergeFaults(overlay, POD_TYPE, [])];
  },
  { longest: 100_000 },
);

/** Finds another apiVersion or kind than a Pod's, which would be ignored: a pod stays a pod. */
function kindFaults(overlay: JsonObject): readonly OverlayFault[] {
  return Object.entries(POD_KIND).flatMap(([key, own]): readonly OverlayFault[] => {
    const given = overlay[key] ?? own;
    if (given === own || typeof given !== "string") return [];
    return [{ steps: [key], part: "value", reason: `${key} must be ${own} or absent: a template is a part of a Pod` }];
  });
}

const POD_KIND: Readonly<Record<string, string>> = { apiVersion: "v1", kind: "Pod" };

function schemaFault({ path, message }: ReturnType<typeof checkPod>[number], overlay: JsonObject): OverlayFault {
  const steps = parseFieldPath(path);
  const type = typeAt(steps);
  if (type === undefined) return { steps, part: "key", reason: `${path} ${message}${nearField(steps)}` };
  const reason = `${path} ${message}${conversion(type.kind, valueAt(overlay, steps))}`;
  return { steps, part: "value", reason, ...(type.kind === "quantity" && { isValueFault: true }) };
}

/** Removes the directives of an overlay. Items keep their positions, so that paths are those of the overlay. */
function withoutDirectives<T extends JsonValue | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutDirectives) as JsonValue as T;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([key]) => !isDirective(key));
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutDirectives(field)])) as T;
}

/**
 * Finds what no merge can use: items without their key, unknown directives, and a null in place of a list of
 * containers.
 */
function mergeFaults(value: JsonValue | undefined, type: TypeSchema | undefined, steps: FieldPath): OverlayFault[] {
  if (!isObject(value)) return [];
  const faults: OverlayFault[] = [];
  const { $patch: directive = "replace" } = value;
  if (directive !== "delete" && directive !== "replace") {
    faults.push({ steps: [...steps, "$patch"], part: "value", reason: "$patch must be delete or replace" });
  }
  for (const [key, entry] of Object.entries(value)) {
    const field = type?.fields.get(key);
    const path = [...steps, key];
    const lost = entry === null ? AUTHORS_FIELDS[path.join(".")] : undefined;
    if (lost !== undefined) {
      const reason = `${formatFieldPath(path)} is null, which would delete the ${lost}s of the pod's author: delete one ${lost} with "$patch: delete" next to its name`;
      faults.push({ steps: path, part: "key", reason });
    }
    faults.push(...(Array.isArray(entry) ? listFaults(entry, field, path) : mergeFaults(entry, field?.type, path)));
  }
  return faults;
}

function listFaults(list: readonly JsonValue[], field: ReturnType<TypeSchema["fields"]["get"]>, steps: FieldPath) {
  return list.flatMap((item, index): readonly OverlayFault[] => {
    const path = [...steps, index];
    const fault = (what: string) => [
      { steps: path, part: "value", reason: `${formatFieldPath(path)} ${what}` } as const,
    ];
    if (item === null) return fault("is empty: remove the item");
    const key = field?.mergeKey;
    const isKeyed =
      key === undefined || !isObject(item) || item["$patch"] === "replace" || (item[key] ?? null) !== null;
    if (!isKeyed) return fault(`needs ${key}, which identifies items`);
    return mergeFaults(item, field?.type.element, path);
  });
}

const NO_BREAK_SPACE = /^[\u00a0\u2007\u202f\u3000\u200b\ufeff]/;

/** The field that was probably meant, or how to look it up. */
function nearField(steps: FieldPath): string {
  if (NO_BREAK_SPACE.test(String(steps.at(-1)))) return ": it begins with a no-break space, use plain spaces to indent";
  const parents = steps.slice(0, -1);
  const near = suggestName(String(steps.at(-1)), typeAt(parents)?.fields.keys() ?? []);
  if (near !== "") return near;
  const place = placeOf(String(steps.at(-1)), parents);
  if (place !== undefined) return `: it belongs into ${place}`;
  const parent = ["pod", ...parents.filter((step) => typeof step === "string")].join(".");
  return `; "kubectl explain ${parent}" lists the known fields`;
}

/** The one object that has the field, next to the wrong place: in it, or in what is around it. */
function placeOf(name: string, parents: FieldPath): string | undefined {
  for (let depth = parents.length; depth > 0; depth--) {
    const around = parents.slice(0, depth);
    if (typeof around.at(-1) === "string" && typeAt(around)?.kind === "list") continue;
    const places = [...(typeAt(around)?.fields ?? [])].flatMap(([key, { type }]) => {
      const inner = type.element ?? type;
      return inner.fields.has(name) && !SAME_AS_CONTAINERS.includes(key) ? [key] : [];
    });
    if (places.length > 1) return undefined;
    if (places.length === 1) return [...around.filter((step) => typeof step === "string"), ...places].join(".");
  }
  return undefined;
}

const SAME_AS_CONTAINERS: readonly string[] = ["initContainers", "ephemeralContainers"];

/** Returns how to write the type, if the text is just in the wrong one. */
function conversion(kind: TypeSchema["kind"], value: JsonValue | undefined): string {
  const [fix = "", form] = CONVERSIONS[kind] ?? [];
  return typeof value === "string" && form?.test(value) === false ? "" : fix;
}

const CONVERSIONS: Partial<Readonly<Record<TypeSchema["kind"], readonly [fix: string, form?: RegExp]>>> = {
  string: [": put it in quotes, or write {{string …}}"],
  time: [": put it in quotes, or write {{string …}}"],
  int32: [": write it without quotes, or {{int …}}", /^[-+]?\d+$/],
  int64: [": write it without quotes, or {{int …}}", /^[-+]?\d+$/],
  boolean: [": write it without quotes, or {{bool …}}", /^(?:true|false)$/i],
};
