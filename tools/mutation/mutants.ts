// Makes mutants: copies of a source file with one small fault each. The parser is oxc-parser. Types, imports and the
// texts of messages are left alone: only behaviour is mutated.
import { parseSync } from "oxc-parser";

export interface Mutant {
  readonly file: string;
  readonly operator: string;
  readonly line: number;
  /** The lines that change, on one line, as they are and as the mutant has them. */
  readonly before: string;
  readonly after: string;
  /** The whole text of the mutated file: made when it is read. */
  readonly code: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Edit {
  readonly operator: string;
  readonly node: { readonly start: number; readonly end: number };
  readonly text: string;
}

/** A node, the nodes that hold it (the nearest first) and the text of any node. */
interface Place {
  readonly node: Node;
  readonly parents: readonly Node[];
  readonly text: (node: Node) => string;
}

const OPPOSITE: Readonly<Record<string, readonly (readonly [operator: string, text: string])[]>> = {
  "===": [["equality", "!=="]],
  "!==": [["equality", "==="]],
  "<": [["boundary", "<="], ["equality", ">="]], // biome-ignore format: a table
  "<=": [["boundary", "<"], ["equality", ">"]], // biome-ignore format: a table
  ">": [["boundary", ">="], ["equality", "<="]], // biome-ignore format: a table
  ">=": [["boundary", ">"], ["equality", "<"]], // biome-ignore format: a table
  "+": [["arithmetic", "-"]],
  "-": [["arithmetic", "+"]],
  "*": [["arithmetic", "/"]],
  "/": [["arithmetic", "*"]],
  "%": [["arithmetic", "*"]],
  "&&": [["logical", "||"]],
  "||": [["logical", "&&"]],
  "+=": [["arithmetic", "-="]],
  "-=": [["arithmetic", "+="]],
  "++": [["arithmetic", "--"]],
  "--": [["arithmetic", "++"]],
};

/** Methods that take each other's place. */
const SWAPPED: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  find: "findLast",
  findLast: "find",
  findIndex: "findLastIndex",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  unshift: "push",
  push: "unshift",
};

/** Methods without which the value they are called on takes the place of their result. */
const DROPPED = new Set("filter slice reverse toReversed sort toSorted trim toLowerCase concat".split(" "));

/** Whether it is a program at all. Parsing is most of the time that making a mutant takes: ask only for those to be judged. */
export function parses({ file, code }: Mutant): boolean {
  return parseSync(file, code).errors.length === 0;
}

/** Every mutant of a file, in the order of the text. Not all of them parse. */
export function mutants(file: string, source: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`Cannot parse ${file}: ${errors[0]?.message}`);
  const edits: Edit[] = [];
  const text = (node: Node): string => source.slice(node.start, node.end);
  const visit = (node: Node, parents: readonly Node[]): void => {
    if (isTypeOnly(node)) return;
    const place: Place = { node, parents, text };
    edits.push(...operators.flatMap((operator) => operator(place)));
    for (const child of children(node)) visit(child, [node, ...parents]);
  };
  visit(program as unknown as Node, []);
  return edits
    .toSorted((a, b) => a.node.start - b.node.start || a.node.end - b.node.end)
    .map((edit) => toMutant(file, source, edit));
}

function toMutant(file: string, source: string, { operator, node: { start, end }, text }: Edit): Mutant {
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = source.indexOf("\n", end);
  const to = lineEnd === -1 ? source.length : lineEnd;
  return {
    file,
    operator,
    line: source.slice(0, start).split("\n").length,
    before: oneLine(source.slice(from, to)),
    after: oneLine(source.slice(from, start) + text + source.slice(end, to)),
    get code() {
      return source.slice(0, start) + text + source.slice(end);
    },
  };
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " ");

function children(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Types, and where names come from: both are the compiler's to check. */
function isTypeOnly({ type, source }: Node): boolean {
  if (/^TS(?:As|Satisfies|NonNull)Expression$/.test(type)) return false;
  return (
    type.startsWith("TS") || /^Import|^ExportAll/.test(type) || (type === "ExportNamedDeclaration" && source !== null)
  );
}

const operators: readonly ((place: Place) => readonly Edit[])[] = [
  conditionals,
  opposites,
  coalescing,
  booleans,
  negations,
  statements,
  bodies,
  optionalChains,
  methods,
  strings,
  collections,
];

/** Replaces what decides a branch by true and by false. A loop is only ever left out, for it could not end. */
function conditionals({ node }: Place): readonly Edit[] {
  const test = node["test"];
  if (!isNode(test) || test.type === "Literal") return [];
  if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
    return ["true", "false"].map((text) => ({ operator: "conditional", node: test, text }));
  }
  const isLoop = node.type === "WhileStatement" || node.type === "ForStatement";
  return isLoop ? [{ operator: "conditional", node: test, text: "false" }] : [];
}

function opposites({ node, text }: Place): readonly Edit[] {
  const operator = String(node["operator"]);
  if (node.type === "UpdateExpression") {
    const argument = node["argument"] as Node;
    const changed = OPPOSITE[operator]?.[0]?.[1] ?? "";
    return [
      { operator: "arithmetic", node, text: node["prefix"] ? changed + text(argument) : text(argument) + changed },
    ];
  }
  if (!["BinaryExpression", "LogicalExpression", "AssignmentExpression"].includes(node.type)) return [];
  const [left, right] = [node["left"] as Node, node["right"] as Node];
  const isText =
    operator === "+" &&
    [left, right].some(({ type, value }) => type === "TemplateLiteral" || typeof value === "string");
  if (isText) return [];
  const between = text(node).slice(left.end - node.start, right.start - node.start);
  const at = left.end + between.indexOf(operator);
  return (OPPOSITE[operator] ?? []).flatMap(([name, replacement]) =>
    name === "logical"
      ? [{ operator: name, node, text: `((${text(left)}) ${replacement} (${text(right)}))` }]
      : [{ operator: name, node: { start: at, end: at + operator.length }, text: replacement }],
  );
}

function coalescing({ node, text }: Place): readonly Edit[] {
  if (node.type !== "LogicalExpression" || node["operator"] !== "??") return [];
  return [node["left"], node["right"]]
    .filter(isNode)
    .map((side) => ({ operator: "coalescing", node, text: `(${text(side)})` }));
}

function booleans({ node }: Place): readonly Edit[] {
  if (node.type !== "Literal" || typeof node["value"] !== "boolean") return [];
  return [{ operator: "boolean", node, text: String(!node["value"]) }];
}

function negations({ node, text }: Place): readonly Edit[] {
  if (node.type !== "UnaryExpression" || node["operator"] !== "!" || !isNode(node["argument"])) return [];
  return [{ operator: "negation", node, text: text(node["argument"]) }];
}

function statements({ node }: Place): readonly Edit[] {
  const isRemovable = /^(?:Throw|Continue|Break)Statement$/.test(node.type);
  const isCall = node.type === "ExpressionStatement" && node["directive"] == null;
  if (isRemovable || isCall) return [{ operator: "statement", node, text: ";" }];
  if (node.type !== "ReturnStatement" || !isNode(node["argument"])) return [];
  // Callers ask a boolean for its truth: `undefined` is `false`, and `true` is mutated as a literal.
  const isTruth = node["argument"].type === "Literal" && typeof node["argument"]["value"] === "boolean";
  const isUndefined = node["argument"].type === "Identifier" && node["argument"]["name"] === "undefined";
  return isTruth || isUndefined ? [] : [{ operator: "return", node, text: "return undefined;" }];
}

/** An arrow function that returns nothing. */
function bodies({ node }: Place): readonly Edit[] {
  if (node.type !== "ArrowFunctionExpression" || !isNode(node["body"]) || node["expression"] !== true) return [];
  return /^(?:Literal|Identifier)$/.test(node["body"].type)
    ? []
    : [{ operator: "return", node: node["body"], text: "undefined" }];
}

function optionalChains({ node, text }: Place): readonly Edit[] {
  if (node["optional"] !== true || !/^(?:Member|Call)Expression$/.test(node.type)) return [];
  const head = (node["object"] ?? node["callee"]) as Node;
  const from = text(node).indexOf("?.", head.end - node.start) + node.start;
  const isPlain = node.type === "MemberExpression" && node["computed"] === false;
  return [{ operator: "optional chaining", node: { start: from, end: from + 2 }, text: isPlain ? "." : "" }];
}

function methods({ node, text }: Place): readonly Edit[] {
  const callee = node["callee"];
  if (node.type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return [];
  const [object, property] = [callee["object"] as Node, callee["property"] as Node];
  const name = String(property["name"]);
  const swapped = Object.hasOwn(SWAPPED, name)
    ? [{ operator: "method", node: property, text: SWAPPED[name] ?? "" }]
    : [];
  return DROPPED.has(name) ? [...swapped, { operator: "method", node, text: text(object) }] : swapped;
}

/** A text without blanks is a name or a value, and is emptied; one with blanks is read by people. */
function strings({ node, parents: [parent] }: Place): readonly Edit[] {
  const value = node["value"];
  if (node.type !== "Literal" || typeof value !== "string" || value === "" || /\s/.test(value)) return [];
  if (parent?.["key"] === node && parent["computed"] !== true) return [];
  return [{ operator: "string", node, text: '""' }];
}

function collections({ node, text }: Place): readonly Edit[] {
  if (node.type === "ArrayExpression") {
    return (node["elements"] as readonly unknown[]).length === 0 ? [] : [{ operator: "array", node, text: "[]" }];
  }
  if (node.type !== "ObjectExpression") return [];
  const properties = (node["properties"] as readonly unknown[]).filter(isNode);
  const spreads = properties.filter(({ type }) => type === "SpreadElement");
  return spreads.map((spread) => ({
    operator: "spread",
    node,
    text: `{ ${properties
      .filter((property) => property !== spread)
      .map(text)
      .join(", ")} }`,
  }));
}
