// Tables of texts that tests and tools go through: YAML files, next to what reads them.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isObject } from "@outrigger/base";
import { load } from "js-yaml";
import { article, IS_KIND, type Kind } from "./read-record.ts";

/** The shape of a row, or of each of its fields; "?" marks one that it may lack. */
type Shape<Row> = Row extends string
  ? "text"
  : Row extends readonly unknown[]
    ? "list"
    : string extends keyof Row
      ? "object"
      : { readonly [Field in keyof Row]-?: undefined extends Row[Field] ? `${Kind}?` : Kind | Words<Row[Field]> };

/** The words that a column may have, where only some are right. */
type Words<Value> = Value extends string ? readonly string[] : never;

type RowOf<Table> = Table extends readonly (infer Row)[] ? Row : Table[keyof Table];

type AnyShape = string | readonly string[] | { readonly [field: string]: string | readonly string[] };

/**
 * A list of rows, or rows by their names. A field that is misspelt would say nothing, and a table without rows try nothing: both are errors.
 *
 * @param file below the project
 */
export function readTable<Table extends object>(file: string, shape: Shape<RowOf<Table>>): Table {
  const table = load(readFileSync(resolve(import.meta.dirname, "../..", file), "utf8"));
  const rows = typeof table === "object" ? Object.entries(table ?? {}) : [];
  if (rows.length === 0) throw new Error(`Cannot read ${file}: it has no rows`);
  for (const [name, row] of rows) assertShape(row, `Cannot read ${file}: ${name}`, shape);
  return table as Table;
}

function assertShape(value: unknown, place: string, shape: AnyShape): void {
  if (typeof shape === "string") {
    const kind = shape.replace("?", "") as Kind;
    const isLeftOut = value === undefined && shape !== kind;
    if (!isLeftOut && !IS_KIND[kind](value)) throw new Error(`${place} must be ${article(kind)}`);
  } else if (isWords(shape)) {
    if (!shape.some((word) => word === value)) throw new Error(`${place} must be one of: ${shape.join(", ")}`);
  } else if (isObject(value)) {
    const other = Object.keys(value).find((field) => shape[field] === undefined);
    if (other !== undefined) throw new Error(`${place} has a field that no row has: ${other}`);
    for (const [field, one] of Object.entries(shape)) assertShape(value[field], `${place}.${field}`, one);
  } else throw new Error(`${place} must be an object`);
}

function isWords(shape: AnyShape): shape is readonly string[] {
  return Array.isArray(shape);
}
