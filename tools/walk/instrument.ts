// Puts a call into every named function of a source, so that a run can say which functions it entered, and in which order.
import { parseSync } from "oxc-parser";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Parents that give a function a name: `const f = …`, `{f: …}`, a method, `x.f = …`; what a function returns goes by its caller's. */
const NAMING = [
  "VariableDeclarator",
  "Property",
  "MethodDefinition",
  "PropertyDefinition",
  "AssignmentExpression",
  "ReturnStatement",
];

/**
 * Returns the source in which every named function first calls `globalThis.outriggerWalk(file, function)`. A callback that is written where
 * it is passed is read as a part of the function that it is in, and calls nothing.
 */
export function instrument(file: string, source: string): string {
  const inserted: (readonly [at: number, text: string])[] = [];
  const visit = (node: Node, parent: Node | undefined): void => {
    const body = node["body"] as Node | null | undefined;
    if (/Function/.test(node.type) && body != null && "start" in body && isNamed(node, parent)) {
      const call = `globalThis.outriggerWalk?.(${JSON.stringify(file)}, ${JSON.stringify(`${file}:${node.start}`)})`;
      if (body.type === "BlockStatement" || body.type === "FunctionBody") inserted.push([body.start + 1, `${call};`]);
      else inserted.push([body.start, `(${call}, `], [body.end, ")"]);
    }
    for (const value of Object.values(node)) for (const child of [value].flat()) if (isNode(child)) visit(child, node);
  };
  visit(parseSync(file, source).program as unknown as Node, undefined);
  // From the end: what is inserted moves nothing that is still to be done.
  return inserted
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [at, insertion]) => text.slice(0, at) + insertion + text.slice(at), source);
}

function isNamed(node: Node, parent: Node | undefined): boolean {
  return node.type === "FunctionDeclaration" || (parent !== undefined && NAMING.includes(parent.type));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
