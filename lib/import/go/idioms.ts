// The idioms of Istio's charts that fold a loop into a variable: a list that grows, a flag for the first turn. Handlebars has
// no assignment, so each is recognised as a whole.

import type { Command, GoBlock, GoNode, Operand, Pipeline } from "./go-syntax.ts";

/** `{{ range $i, $c := X }}{{ if not (eq $c.Name "istio-proxy") }}{{ $list = append $list $c.Name }}{{ end }}{{ end }}` */
export interface GrowingList {
  readonly variable: string;
  readonly over: Pipeline;
  /** The field of each item; empty for the item itself. */
  readonly names: readonly string[];
  /** The name that items are left out by. */
  readonly without: string | undefined;
}

export function growingList(node: GoNode): GrowingList | undefined {
  if (node.kind !== "range" || node.otherwise.length > 0) return undefined;
  const item = node.pipeline.variables.at(-1);
  const only = onlyNode(node.body);
  if (item === undefined || only === undefined) return undefined;
  const over: Pipeline = { ...node.pipeline, variables: [] };
  if (only.kind === "action") {
    const appended = appendedField(only.pipeline, item);
    return appended && { ...appended, over, without: undefined };
  }
  if (only.kind !== "if" || only.otherwise.length > 0) return undefined;
  const inner = onlyNode(only.body);
  if (inner?.kind !== "action") return undefined;
  const appended = appendedField(inner.pipeline, item);
  const without = leftOutName(only.pipeline, item);
  return appended && without !== undefined ? { ...appended, over, without } : undefined;
}

function appendedField(pipeline: Pipeline, item: string): Pick<GrowingList, "variable" | "names"> | undefined {
  const [variable] = pipeline.variables;
  const [name, list, value, ...others] = onlyCommand(pipeline);
  if (!pipeline.assigns || variable === undefined || others.length > 0) return undefined;
  const isAppend = isFunction(name, "append") || isFunction(name, "mustAppend");
  if (!isAppend || !isVariable(list, variable) || value?.kind !== "variable" || value.name !== item) return undefined;
  return { variable, names: value.names };
}

/** `not (eq $c.Name "x")` or `ne $c.Name "x"`. */
function leftOutName(pipeline: Pipeline, item: string): string | undefined {
  const command = onlyCommand(pipeline);
  const [name, inner] = command;
  if (isFunction(name, "ne")) return comparedName(command, item);
  if (!isFunction(name, "not") || inner?.kind !== "group") return undefined;
  const [compare = []] = inner.pipeline.commands;
  return isFunction(compare[0], "eq") ? comparedName(compare, item) : undefined;
}

function comparedName([, subject, name]: Command, item: string): string | undefined {
  const isName = subject?.kind === "variable" && subject.name === item && subject.names.join(".") === "Name";
  return isName && name?.kind === "string" ? name.value : undefined;
}

/** `{{ range $i, $c := X }}{{ if eq $c.Name "a" }}{{ $x = true }}{{ end }}{{ end }}` */
export interface FoundItem {
  readonly variable: string;
  readonly over: Pipeline;
  /** The field of an item that is compared. */
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** The literal that the variable is set to. */
  readonly to: Pipeline;
}

export function foundItem(node: GoNode): FoundItem | undefined {
  if (node.kind !== "range" || node.otherwise.length > 0 || node.pipeline.assigns) return undefined;
  const only = onlyNode(node.body);
  if (only?.kind !== "if" || only.otherwise.length > 0) return undefined;
  const inner = onlyNode(only.body);
  const compared = comparedTexts(only.pipeline, node.pipeline.variables.at(-1));
  if (inner?.kind !== "action" || compared === undefined) return undefined;
  const [variable] = inner.pipeline.variables;
  if (variable === undefined || !inner.pipeline.assigns || !isLiteral(inner.pipeline)) return undefined;
  return { ...compared, variable, over: { ...node.pipeline, variables: [] }, to: inner.pipeline };
}

function isLiteral(pipeline: Pipeline): boolean {
  const [operand, ...others] = onlyCommand(pipeline);
  const kind = operand?.kind;
  return others.length === 0 && (kind === "bool" || kind === "string" || kind === "number");
}

/** `eq $c.Name "a"`, `eq .Name "a" "b"`, or several of these in an `or`. */
function comparedTexts(pipeline: Pipeline, item: string | undefined): Pick<FoundItem, "names" | "texts"> | undefined {
  const [name, ...operands] = onlyCommand(pipeline);
  if (pipeline.variables.length > 0 || name === undefined) return undefined;
  if (name.kind === "group" && operands.length === 0) return comparedTexts(name.pipeline, item);
  if (isFunction(name, "or")) {
    const parts = operands.map((operand) =>
      operand.kind === "group" ? comparedTexts(operand.pipeline, item) : undefined,
    );
    const [first] = parts;
    const isOneField = parts.every((part) => part?.names.join(".") === first?.names.join("."));
    if (first === undefined || !isOneField) return undefined;
    return { ...first, texts: parts.flatMap((part) => part?.texts ?? []) };
  }
  if (!isFunction(name, "eq")) return undefined;
  const subject = operands.find((operand) => operand.kind === "field" || operand.kind === "variable");
  const texts = operands.flatMap((operand) => (operand.kind === "string" && operand.value !== "" ? operand.value : []));
  if (subject === undefined || texts.length !== operands.length - 1) return undefined;
  if (subject.kind === "variable" && subject.name !== item) return undefined;
  // Of more than two, all are compared with the first.
  return operands.length > 2 && operands[0] !== subject ? undefined : { names: subject.names, texts };
}

/** The loops that write `structToJSON` of every port of every container, with commas between: of `.Spec` or, in a loop, `$.Spec`. */
export function isPodPorts(node: GoNode, flag: string): boolean {
  if (node.kind !== "range" || !isPath(node.pipeline, "Spec.Containers")) return false;
  const container = node.pipeline.variables.at(-1);
  const ports = onlyNode(node.body);
  if (ports?.kind !== "range" || container === undefined) return false;
  const port = ports.pipeline.variables.at(-1);
  const [subject] = ports.pipeline.commands[0] ?? [];
  if (subject?.kind !== "variable" || subject.name !== container || subject.names.join(".") !== "Ports") return false;
  if (port === undefined) return false;
  const only = onlyNode(ports.body);
  const isTested = only?.kind === "if" && isJsonOf(only.pipeline, port);
  const [comma, json, reset, ...more] = withoutSpace(isTested ? only.body : ports.body);
  return (
    more.length === 0 &&
    comma?.kind === "if" &&
    isFlagTest(comma, flag) &&
    json?.kind === "action" &&
    isJsonOf(json.pipeline, port) &&
    reset !== undefined &&
    isReset(reset, flag)
  );
}

function isFlagTest({ pipeline, body }: GoBlock, flag: string): boolean {
  const [name, subject] = pipeline.commands[0] ?? [];
  const [comma, ...others] = body;
  return (
    isFunction(name, "not") &&
    isVariable(subject, flag) &&
    comma?.kind === "text" &&
    comma.text.trim() === "," &&
    others.length === 0
  );
}

/** `{{ $first = false }}` */
export function isReset(node: GoNode, flag: string): boolean {
  if (node.kind !== "action" || !node.pipeline.assigns || node.pipeline.variables[0] !== flag) return false;
  const [value] = node.pipeline.commands[0] ?? [];
  return value?.kind === "bool" && !value.value;
}

function isJsonOf(pipeline: Pipeline, variable: string): boolean {
  const [first, second] = onlyCommand(pipeline);
  if (first?.kind === "group" && second === undefined) return isJsonOf(first.pipeline, variable);
  return isFunction(first, "structToJSON") && isVariable(second, variable);
}

function isPath(pipeline: Pipeline, path: string): boolean {
  const [first, ...others] = onlyCommand(pipeline);
  const isField = first?.kind === "field" || (first?.kind === "variable" && first.name === "");
  return others.length === 0 && isField && first.names.join(".") === path;
}

function isFunction(operand: Operand | undefined, name: string): boolean {
  return operand?.kind === "function" && operand.name === name;
}

function isVariable(operand: Operand | undefined, name: string): boolean {
  return operand?.kind === "variable" && operand.name === name && operand.names.length === 0;
}

/** Returns the one command of a pipeline without pipes; an empty one for any other pipeline. */
function onlyCommand({ commands }: Pipeline): Command {
  return commands.length === 1 ? (commands[0] ?? []) : [];
}

/** The one node that is more than white space; undefined where there are several. */
function onlyNode(nodes: readonly GoNode[]): GoNode | undefined {
  const [only, ...others] = withoutSpace(nodes);
  return others.length === 0 ? only : undefined;
}

export function withoutSpace(nodes: readonly GoNode[]): readonly GoNode[] {
  return nodes.filter((node) => !isSpace(node));
}

/** Whether a node is a comment or white space. */
export function isSpace(node: GoNode): boolean {
  return node.kind === "comment" || (node.kind === "text" && node.text.trim() === "");
}
