// Shape → a function from values to the overlay. Static subtrees are frozen and the same object in every rendering; others
// are, as long as their values are.

import { defineEntry, isDirective, type JsonValue, type OutriggerError } from "@outrigger/base";
import { boundJson } from "../bind/bound-json.ts";
import { valueText } from "../bind/value-text.ts";
import { renderError } from "../finding.ts";
import { repeatFill } from "./repeat-fill.ts";
import type { Fill, PositionTuple, Shape, TextParts } from "./shape.ts";

/** @param known fillers by shape: shapes that share parts share fillers and static subtrees */
export function fillShape(shape: Shape, known: WeakMap<Shape, Fill>): Fill {
  const made = known.get(shape);
  if (made !== undefined) return made;
  const fill = makeFill(shape, known);
  known.set(shape, fill);
  return fill;
}

function makeFill(shape: Shape, known: WeakMap<Shape, Fill>): Fill {
  switch (shape[0]) {
    case "at": {
      const [, offset, inner] = shape;
      const fill = fillShape(inner, known);
      return offset === 0 ? fill : (values, base) => fill(values, base + offset);
    }
    case "static": {
      const value = frozen(shape[1]);
      return () => value;
    }
    case "value":
      return fillValue(shape[1], shape[2]);
    case "text":
      return fillText(shape[1]);
    case "list":
      return repeatFill(shape, fillList(shape[1].map((item) => fillShape(item, known))));
    case "map":
      return repeatFill(shape, fillMap(shape[1], known));
  }
}

function fillValue(index: number, position: PositionTuple): Fill {
  return (values, base) => {
    const value = values[base + index];
    if (typeof value === "string") return value;
    if (value === undefined || value === null) return undefined;
    try {
      return boundJson(value);
    } catch (cause) {
      throw fillError(cause, position);
    }
  };
}

function fillText(parts: TextParts): (values: readonly unknown[], base: number) => string {
  return (values, base) => {
    let text = "";
    for (const part of parts) {
      if (typeof part === "string") {
        text += part;
        continue;
      }
      const value = values[base + part[0]];
      text += typeof value === "string" ? value : otherText(value, part[1]);
    }
    return text;
  };
}

function otherText(value: unknown, position: PositionTuple): string {
  try {
    return valueText(value);
  } catch (cause) {
    throw fillError(cause, position);
  }
}

function fillList(items: readonly Fill[]): Fill {
  return (values, base) => {
    const list: JsonValue[] = [];
    for (let index = 0; index < items.length; index++) {
      const item = (items[index] as Fill)(values, base);
      if (item !== undefined) list.push(item);
    }
    return list;
  };
}

function fillMap(entries: Extract<Shape, readonly ["map", ...unknown[]]>[1], known: WeakMap<Shape, Fill>): Fill {
  const [first, second] = entries;
  if (entries.length === 2 && first?.[0] === "name" && second?.[0] === "value" && first[1][0] === "static") {
    return fillNamedValue(first[1][1], fillShape(second[1], known));
  }
  const values = entries.map(([, value]) => fillShape(value, known));
  const names = entries.map(([key]) => key);
  if (names.every((name) => typeof name === "string" && name !== "__proto__"))
    return fillKnownKeys(names as string[], values);
  return fillAnyKeys(names, values);
}

/** An environment variable, the most common map, gets an object literal. */
function fillNamedValue(name: JsonValue, fill: Fill): Fill {
  return (values, base) => {
    const value = fill(values, base);
    return value === undefined ? { name } : { name, value };
  };
}

function fillKnownKeys(keys: readonly string[], fills: readonly Fill[]): Fill {
  return (values, base) => {
    const map: Record<string, JsonValue> = {};
    for (let index = 0; index < keys.length; index++) {
      const value = (fills[index] as Fill)(values, base);
      if (value !== undefined) map[keys[index] as string] = value;
    }
    return map;
  };
}

/** Fills a map whose keys hold values: the later of two equal keys wins. An empty key, and a directive that comes from a value, are left out. */
function fillAnyKeys(names: readonly (string | TextParts)[], fills: readonly Fill[]): Fill {
  const keys = names.map((name) => (typeof name === "string" ? name : fillText(name)));
  return (values, base) => {
    const map: Record<string, JsonValue> = {};
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as (typeof keys)[number];
      const name = typeof key === "string" ? key : key(values, base);
      if (typeof key !== "string" && (name === "" || isDirective(name))) continue;
      const value = (fills[index] as Fill)(values, base);
      if (value !== undefined) defineEntry(map, name, value);
    }
    return map;
  };
}

/** A frozen copy: the original may be a constant of the release. */
function frozen(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, entry] of Object.entries(value)) if (entry !== undefined) defineEntry(copy, key, frozen(entry));
  return Object.freeze(copy);
}

function fillError(cause: unknown, [source, line, column]: PositionTuple): OutriggerError {
  return renderError((cause as Error).message, { source, line, column }, cause);
}
