// What a part of Istio's configuration says about injection, in one form. How each kind of document says it is settings-of-*.

import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { ISTIO_CONFIG_KEYS } from "@outrigger/injector";

export interface Settings {
  readonly file: string;
  readonly config: JsonObject;
  /** The values that templates read, for an injector's ConfigMap; the values that the chart istiod is given, for other documents. */
  readonly values: JsonObject;
  /** The namespace of istiod, where a document names it. */
  readonly namespace?: string;
  readonly revision?: string;
  /** Variables that an operator patches into istiod's container, apart from the values. */
  readonly environment?: JsonObject;
  /** The release of Istio, where a document names it apart from the images' tag. */
  readonly version?: string;
  readonly templates: readonly GivenTemplate[];
  /** Whether the values are those of an injector's ConfigMap: all that the templates read. */
  readonly isComplete: boolean;
}

export interface GivenTemplate {
  readonly name: string;
  /** Undefined where it is not text: istiod does not read that. */
  readonly text: string | undefined;
  readonly file: string;
  /** The line of the file before the template's first one. */
  readonly lineBefore: number | undefined;
}

/** Returns the settings that are in `config.yaml`. */
export function configOf(settings: JsonObject): JsonObject {
  const entries = ISTIO_CONFIG_KEYS.map((key) => [key, settings[key]] as const);
  return Object.fromEntries(entries.filter(([, value]) => !isUnset(value)));
}

export function isUnset(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Mappings are merged, everything else is replaced. */
export function mergeSettings(under: JsonObject, over: JsonObject): JsonObject {
  const entries = new Map<string, JsonValue | undefined>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const own = entries.get(key);
    entries.set(key, isObject(own) && isObject(value) ? mergeSettings(own, value) : value);
  }
  return Object.fromEntries(entries);
}
