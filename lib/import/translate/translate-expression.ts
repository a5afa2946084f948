// Go pipelines → Handlebars expressions: fields by their types, functions by their names, a piped value as the last argument.

import { defined, suggestName } from "@outrigger/base";
import type { Command, Operand, Pipeline, Position } from "../go/go-syntax.ts";
import { ANY, BOOL, NUMBER, OWN_VALUE, STRING, TEMPLATE_DATA_NAMES } from "../go/go-types.ts";
import { calling, definitionOf } from "./definitions.ts";
import { asGo, NOTHING, type Scope, type Value } from "./scope.ts";
import { call, refuse, stringValue, translateCall } from "./translate-call.ts";

export function translatePipeline({ commands, line, column }: Pipeline, scope: Scope): Value {
  const at = { line, column };
  return (
    commands.reduce<Value | undefined>((piped, command) => translateCommand(command, piped, scope, at), undefined) ??
    NOTHING
  );
}

function translateCommand(command: Command, piped: Value | undefined, scope: Scope, at: Position): Value {
  const [first, ...others] = command;
  if (first === undefined) return NOTHING;
  const args = (): readonly Value[] => [
    ...others.map((operand) => translateOperand(operand, scope, at)),
    ...(piped === undefined ? [] : [piped]),
  ];
  if (first.kind === "function" && first.name === "include") return includedValue(args(), scope, at);
  if (first.kind === "function") return translateCall(first.name, args(), scope, at);
  if (others.length > 0 || piped !== undefined) return refuse(scope, at, CALLED);
  return translateOperand(first, scope, at);
}

/** The text of a definition as a value: one line of text and of values. */
function includedValue([name, dot = NOTHING]: readonly Value[], scope: Scope, at: Position): Value {
  if (typeof name?.literal !== "string") return refuse(scope, at, "the name that include calls is not a text");
  const nodes = definitionOf(name.literal, scope, at);
  if (nodes === undefined) return NOTHING;
  const inner = calling(scope, name.literal, dot);
  const parts = nodes.map((node) => {
    if (node.kind === "comment") return undefined;
    if (node.kind === "text" && !node.text.includes("\n")) return node.text;
    if (node.kind === "action" && node.pipeline.variables.length === 0)
      return asGo(translatePipeline(node.pipeline, inner));
    return refuse(scope, at, INCLUDED);
  });
  const found = parts.filter((part) => part !== undefined);
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    return typeof only === "string" ? stringValue(only, scope, at) : call("string", [only], STRING);
  }
  const format = found.map((part) => (typeof part === "string" ? part.replaceAll("%", "%%") : "%v")).join("");
  const values = found.filter((part) => typeof part !== "string");
  return call("printf", [stringValue(format, scope, at), ...values], STRING);
}

const INCLUDED =
  "include is part of a longer expression, and what it includes is more than one line of text and values; write that here";

const CALLED =
  "a value is called like a function; methods with arguments have no counterpart: compute the value with helpers";

function translateOperand(operand: Operand, scope: Scope, at: Position): Value {
  switch (operand.kind) {
    case "dot":
      return scope.dot;
    case "nil":
      return { text: "undefined", type: ANY, literal: null };
    case "bool":
      return { text: String(operand.value), type: BOOL, literal: operand.value };
    case "number":
      return numberValue(operand.text, scope, at);
    case "string":
      return stringValue(operand.value, scope, at);
    case "field":
      return fieldsOf(scope.dot, operand.names, scope, at);
    case "variable": {
      const variable = scope.variables.get(operand.name);
      if (variable !== undefined) return fieldsOf(variable, operand.names, scope, at);
      return refuse(scope, at, `the variable $${operand.name} is not declared here; declare it in the same block`);
    }
    case "function":
      return translateCall(operand.name, [], scope, at);
    case "group":
      return translatePipeline(operand.pipeline, scope);
    case "chain":
      return fieldsOf(translateOperand(operand.operand, scope, at), operand.names, scope, at);
  }
}

function numberValue(text: string, scope: Scope, at: Position): Value {
  const number = Number(text.replaceAll("_", ""));
  if (Number.isSafeInteger(number)) return { text: String(number), type: NUMBER, literal: number };
  return refuse(scope, at, `the number ${text} is not an integer; put it into the values`);
}

function fieldsOf(value: Value, names: readonly string[], scope: Scope, at: Position): Value {
  return names.reduce<Value>((current, name) => fieldOf(current, name, scope, at), value);
}

function fieldOf(value: Value, name: string, scope: Scope, at: Position): Value {
  if (value === NOTHING) return NOTHING;
  const { type } = value;
  if (type.kind === "any") return { text: pathOf(value, [name], scope), type: ANY };
  if (type.kind === "map") return { text: pathOf(value, [name], scope), type: type.element };
  if (type.kind !== "object") {
    if (OWN_VALUE.has(name)) return value;
    return refuse(scope, at, `.${name} is not a field of a ${type.kind}; name the field by its place in the pod`);
  }
  const field = type.field(name);
  if (field === undefined) {
    const hint = value.isRoot === true ? suggestName(name, TEMPLATE_DATA_NAMES) : "";
    return refuse(scope, at, `the field .${name} is not known${hint}; see docs/templates.md for what a template sees`);
  }
  const zero = defined({ zero: field.zero });
  if (field.path.length === 0)
    return value.isRoot === true ? { ...value, type: field.type } : { text: value.text, type: field.type, ...zero };
  return { text: pathOf(value, field.path, scope), type: field.type, ...zero };
}

/** A path into a value; roots are named from the top inside of loops. */
function pathOf({ text, isRoot }: Value, names: readonly string[], scope: Scope): string {
  const path = names.map((name) => (IDENTIFIER.test(name) ? name : `[${name}]`)).join(".");
  if (isRoot === true) return scope.isInside ? `@root.${path}` : path;
  if (!text.startsWith("(") && !text.startsWith('"') && !text.startsWith("'")) return `${text}.${path}`;
  return names.reduce((inner, name) => `(lookup ${inner} "${name}")`, text);
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_-]*$/;
