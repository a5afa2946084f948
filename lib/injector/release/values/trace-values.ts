// Where each value of a release was set.

import { type FieldPath, isObject, type JsonObject, type JsonValue, OutriggerError, valueAt } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import { valuesTexts, withIstioRelease } from "../istio-layers.ts";
import { readConfig } from "../read/parse-config.ts";
import { readLayer } from "../read/read-tree.ts";
import type { SourceTree } from "../source-tree.ts";
import { mergeValues } from "./merge-values.ts";

/** A value that is no mapping, or an empty one, and the place that set it. */
export interface TracedValue {
  readonly steps: FieldPath;
  readonly value: JsonValue;
  /** The path of its text in the tree; the shipped tree may have a text of the same path as another layer. */
  readonly path: string;
  /** The line in that text, from 1. */
  readonly line: number;
  readonly isShipped: boolean;
}

/**
 * The values that a release of these layers has, in the order of the merged values. Of a value that several texts set, the
 * last one is named.
 *
 * @param layers the shipped tree first
 * @throws OutriggerError the first of what keeps the values or the config from being read
 * @example
 * ```ts
 * traceValues([{ "values/a": "x: 1\nz: 2" }, { "values/b": "z: 3" }]).map(({ steps, path, line }) => [...steps, path, line]) // => [["x", "values/a", 1], ["z", "values/b", 1]]
 * ```
 */
export function traceValues(layers: readonly SourceTree[]): readonly TracedValue[] {
  const errors: OutriggerError[] = [];
  const read = withIstioRelease(layers).map((layer) => readLayer(layer, errors));
  const configs = read.flatMap((layer) => layer.config ?? []);
  const { config } = readConfig(configs, errors, []);
  if (errors[0] !== undefined) throw errors[0];
  const texts = valuesTexts(read, config.defaults);
  const shipped = new Set(read[0]?.values);
  return leaves(mergeValues(texts.map(({ value }) => value))).map(([steps, value]) => {
    const text = texts.findLast((each) => isObject(each.value) && valueAt(each.value, steps) !== undefined);
    if (text === undefined) throw new OutriggerError("values-invalid", `No text sets ${steps.join(".")}`);
    const line = locateYaml(text.text, steps, "key")?.line ?? 1;
    return { steps, value, path: text.path, line, isShipped: shipped.has(text) };
  });
}

/** The values that are no maps, each with its steps. */
export function leaves(values: JsonObject, above: FieldPath = []): readonly (readonly [FieldPath, JsonValue])[] {
  return Object.entries(values).flatMap(([key, value = null]) => {
    const steps = [...above, key];
    return isObject(value) && Object.keys(value).length > 0 ? leaves(value, steps) : [[steps, value] as const];
  });
}
