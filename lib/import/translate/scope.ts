// What names mean at one point of the Go template, and how findings are recorded while it is translated.

import { describeHelpers } from "@outrigger/injector";
import { TEMPLATE_ROOTS } from "@outrigger/template";
import type { GoNode, Position } from "../go/go-syntax.ts";
import { ANY, type GoType } from "../go/go-types.ts";

/** A Go value as a Handlebars expression, written as an argument: a path, a literal or a call in parentheses. */
export interface Value {
  readonly text: string;
  readonly type: GoType;
  /** The literal's value, for what decides on it. */
  readonly literal?: string | number | boolean | null;
  /** The root of the template data: fields of it are roots. */
  readonly isRoot?: true;
  /** The text that Go prints and compares if the value is missing. */
  readonly zero?: "0" | "false";
  /** The list without items, `{{ $x := list }}`. */
  readonly isEmptyList?: true;
}

export interface Scope {
  readonly dot: Value;
  readonly variables: ReadonlyMap<string, Value>;
  /** Whether `#each` or a partial's own context is around: roots are `@root.values` then. */
  readonly isInside: boolean;
  readonly definitions: Definitions;
  /** The definitions that are being read, outermost first. */
  readonly calls: readonly string[];
  /** The columns by which the lines of the definitions that are included are moved. */
  readonly indent: number;
  readonly report: Report;
}

/** What a template defines, and how many calls of it were read. */
export interface Definitions {
  readonly bodies: ReadonlyMap<string, readonly GoNode[]>;
  readonly countCall: () => number;
}

export type Report = (severity: "error" | "warning" | "note", at: Position, message: string) => void;

/** The call of a helper that does not exist: lint refuses what is left untranslated until a person writes it. */
export const NOT_TRANSLATED = 'notTranslated ""';

/** The value that stays of something that has no translation. The finding is already recorded. */
export const NOTHING: Value = { text: `(${NOT_TRANSLATED})`, type: ANY };

/** The value as Go prints and compares it. */
export function asGo(value: Value): Value {
  const { zero, text, type } = value;
  return zero === undefined ? value : { text: `(default ${zero} ${text})`, type };
}

export function withVariable(scope: Scope, name: string, value: Value): Scope {
  return { ...scope, variables: new Map([...scope.variables, [name, value]]) };
}

const RESERVED: ReadonlySet<string> = new Set([
  ...TEMPLATE_ROOTS,
  ..."this true false null undefined as if each with let unless lookup".split(" "),
]);

/** A name for a block parameter that hides no root and no helper. */
export function identifierOf(name: string): string {
  const plain = name === "" ? "value" : name;
  return RESERVED.has(plain) || describeHelpers().has(plain) ? `${plain}Value` : plain;
}

export function lastName(text: string): string {
  return /^[\w@.]+$/.test(text) ? text.split(/[@.]/).at(-1) || "value" : "value";
}
