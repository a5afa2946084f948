// Which values a line of the injected pod depends on: each value is changed in turn, and the lines that come out differently are
// credited to it. Nothing is guessed from the templates' texts. Takes as long as injecting once for each value.

import { type FieldPath, isObject, type JsonObject, type JsonValue, ownError } from "@outrigger/base";
import { injectedText, lintSource, loadRelease, traceValues } from "@outrigger/injector";
import { addedLines } from "./added-lines.ts";
import { chosenPods, withoutSamples } from "./preview.ts";
import type { Answers, Chosen, ValueOrigin } from "./question.ts";

/** @throws OutriggerError where the tree or the pod has errors: the preview says so */
export function valuesBehind(question: Chosen): Answers["values"] {
  const layers = [withoutSamples(question.shipped), withoutSamples(question.own)];
  const { release } = lintSource(layers, true);
  if (release === undefined) return { text: "", lines: [] };
  const { request } = chosenPods(question).pod;
  const inject = (values: typeof release.values) => injectedText(loadRelease({ ...release, values }), request);
  const text = inject(release.values);
  const lines = new Map<number, ValueOrigin[]>();
  for (const { steps, value, path, line, isShipped } of traceValues(layers)) {
    const other = first(otherValues(value), (one) => attempt(() => inject(withValue(release.values, steps, one))));
    const origin = { name: steps.join("."), path, line, isShipped };
    for (const at of addedLines(other ?? text, text)) {
      lines.set(at, [...(lines.get(at) ?? []), origin]);
    }
  }
  return { text, lines: [...lines] };
}

/** Returns other values of the same type, to be tried one after another: a quantity or a port may not be any text. */
function otherValues(value: JsonValue): readonly JsonValue[] {
  if (typeof value === "string") return value === "" ? [] : [`${value}x`, `1${value}`];
  if (typeof value === "number") return [value + 1];
  return typeof value === "boolean" ? [!value] : [];
}

function withValue(values: JsonObject, [step, ...rest]: FieldPath, value: JsonValue): JsonObject {
  if (step === undefined) return values;
  const inner = values[step];
  return { ...values, [step]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}

/** Returns the first result that there is, and makes no further one. */
function first<Item, Result>(items: readonly Item[], make: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const result = make(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** Undefined where a value may not be that one: a pod that is refused as a whole says nothing of single lines. */
function attempt(inject: () => string): string | undefined {
  try {
    const text = inject();
    return text.startsWith(REFUSED) ? undefined : text;
  } catch (error) {
    ownError(error);
    return undefined;
  }
}

/** The beginning of the injected text of a pod that is refused. */
const REFUSED = "# refused";
