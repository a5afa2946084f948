// Which overlay wrote a field of an injected pod, and where the overlay has it.
import { type FieldPath, isObject, type JsonObject, type JsonValue, jsonEqual, listOf, valueAt } from "@outrigger/base";
import { POD_TYPE, type Pod, type PodViolation, type TypeSchema } from "@outrigger/pod";

/** What a template wrote. */
export interface Written {
  readonly overlay: JsonObject;
}

/** The last of the renderings that reach deepest towards the field, and the field's steps in it. */
export function writerOf<From extends Written>(
  { steps }: Pick<PodViolation, "steps">,
  pod: Pod,
  renderings: readonly From[],
): readonly [From | undefined, FieldPath | undefined] {
  let best: readonly [From | undefined, FieldPath | undefined] = [undefined, undefined];
  for (const rendering of renderings) {
    const found = overlaySteps(rendering.overlay, pod, steps);
    // `spec` and `spec.containers` alone say nothing about who wrote an item.
    if (found.length >= Math.min(2, steps.length) && found.length >= (best[1]?.length ?? 0)) best = [rendering, found];
  }
  const [, found] = best;
  const isItem = steps.some((step) => typeof step === "number");
  const reachesItem = found?.some((step) => typeof step === "number") === true;
  return isItem && !reachesItem ? ([undefined, undefined] as const) : best;
}

/** The steps in the overlay that lead to a field of the merged pod, as far as the overlay has it. */
function overlaySteps(overlay: JsonValue, pod: unknown, steps: FieldPath): FieldPath {
  const found: (string | number)[] = [];
  let [at, merged, type]: [JsonValue | undefined, unknown, TypeSchema | undefined] = [overlay, pod, POD_TYPE];
  let field: ReturnType<TypeSchema["fields"]["get"]>;
  for (const step of steps) {
    const next = valueAt(merged, [step]);
    const own: string | number | undefined =
      typeof step === "number" ? itemStep(listOf(at), step, next, field?.mergeKey) : step;
    if (own === undefined) break;
    const value = valueAt(at, [own]);
    if (value === undefined) break;
    found.push(own);
    field = typeof step === "string" ? type?.fields.get(step) : field;
    type = typeof step === "string" ? (field?.type ?? type?.element) : type?.element;
    [at, merged] = [value, next];
  }
  return found;
}

function itemStep(
  list: readonly JsonValue[],
  index: number,
  item: JsonValue | undefined,
  mergeKey: string | undefined,
) {
  if (mergeKey === undefined) return index < list.length ? index : undefined;
  const key = isObject(item) ? item[mergeKey] : undefined;
  const found = list.flatMap((own, at) => (isObject(own) && own[mergeKey] === key ? [at] : []));
  // Two of one key: the one that is the same in all fields.
  return found.find((at) => found.length > 1 && jsonEqual(list[at], item)) ?? found[0];
}
