// An expression as text that says what it reads of a pod, whatever its template calls it: block parameters and arguments of partials are
// replaced by what they stand for, and what is known when a release is loaded by its value. Equal texts compute equal values.
import type { Expression } from "../compiled-templates.ts";
import { bindExpression, contextOf, type Names, parameterOf } from "./bind-expression.ts";
import type { BoundValue } from "./bound-value.ts";

/** What values that are read at run time stand for, by the object that reads them. */
export type ValueTexts = WeakMap<BoundValue, string>;

/** Returns the text of an expression in the scope of its template. */
export function expressionText(expression: Expression, names: Names, texts: ValueTexts): string {
  const bound = bindExpression(expression, names);
  if (bound.kind === "constant") return constantText(bound.value);
  switch (expression.kind) {
    case "literal":
      return constantText(expression.value);
    case "path": {
      const { parts } = expression;
      const parameter = parameterOf(expression, names);
      return parameter
        ? pathText(parameter, parts.slice(1), texts)
        : pathText(contextOf(expression, names), parts, texts);
    }
    case "data": {
      const { depth, parts } = expression;
      const [name = "", ...rest] = parts;
      if (name === "root") return pathText(names.data, rest, texts);
      return `@${names.loops.length - depth}.${[name, ...rest].join(".")}`;
    }
    case "call": {
      const args = expression.args.map((argument) => expressionText(argument, names, texts));
      const hash = expression.hash.map(({ key, value }) => `${key}=${expressionText(value, names, texts)}`);
      return `(${[expression.helper, ...args, ...hash].join(" ")})`;
    }
  }
}

/** Returns the text of a path from a value on. */
function pathText(value: BoundValue, parts: readonly string[], texts: ValueTexts): string {
  switch (value.kind) {
    case "constant":
      return [constantText(value.value), ...parts].join(".");
    case "data":
      return parts.length === 0 ? "this" : parts.map((part) => (/^[\w-]+$/.test(part) ? part : `[${part}]`)).join(".");
    case "extended": {
      const [first = "", ...rest] = parts;
      const entry = value.entries.get(first);
      if (entry !== undefined) return pathText(entry, rest, texts);
      if (parts.length > 0) return pathText(value.base, parts, texts);
      const entries = [...value.entries].map(([name, each]) => `${name}=${pathText(each, [], texts)}`);
      return `(with ${[pathText(value.base, [], texts), ...entries].join(" ")})`;
    }
    case "dynamic":
      return [texts.get(value) ?? UNSAID, ...parts].join(".");
  }
}

/** What no other text equals is in none of two releases: it always counts as another one. */
const UNSAID = "?";

function constantText(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}
