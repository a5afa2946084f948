// All that decides what a template can write, as a text: its own program, the partials that it reaches, and what they read of the roots
// that are the same in every rendering. Templates with equal inputs write the same, so what is found out of one is known of the other.
import { isObject, memoizeObject } from "@outrigger/base";
import type { CompiledTemplates, Expression, Program } from "./compiled-templates.ts";
import type { TemplateData } from "./load-templates.ts";

interface TemplateInputs {
  readonly compiled: CompiledTemplates;
  readonly constants: TemplateData;
  readonly name: string;
}

/**
 * Returns what decides what a template can write. It may have more than that, such as what a partial of the same name reads, and never
 * less.
 */
export function templateInputs({ compiled, constants, name }: TemplateInputs): string {
  const { programs, reads } = reachedBy(compiled)(name);
  // Any other root is read by each rendering.
  const constant = reads.filter(([root]) => root === undefined || Object.hasOwn(constants, root));
  return `${JSON.stringify(constant.map((path) => [path, ...readAt(constants, path)]))}${programs}`;
}

/** What a path leads to, or the list or text before it whose length or item it may be; empty for nothing. */
function readAt(constants: TemplateData, path: Path): readonly unknown[] {
  let value: unknown = constants;
  for (const step of path) {
    if (!isObject(value)) break;
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value === undefined ? [] : [value];
}

/** The steps from a root; none for all of the template data. */
type Path = readonly string[];

interface Reached {
  readonly programs: string;
  readonly reads: readonly Path[];
}

const reachedBy = memoizeObject((compiled: CompiledTemplates) => {
  const known = new Map<string, Reached>();
  return (name: string): Reached => {
    const reached = known.get(name) ?? reach(compiled, name);
    known.set(name, reached);
    return reached;
  };
});

function reach({ format, templates, partials }: CompiledTemplates, name: string): Reached {
  const programs = new Map<string, Program>();
  const reads = new Map<string, Path>();
  const note = (path: Path) => reads.set(path.join("\0"), path);
  /** @param isInner whether a block around it has made a context: what that is has been read by the block's argument */
  const visit = (program: Program, isInner: boolean): void => {
    for (const statement of program) {
      const noteIn = (expression: Expression) => noteReads(expression, isInner, note);
      if (statement.kind === "slot") noteIn(statement.expression);
      if ("hash" in statement) for (const { value } of statement.hash) noteIn(value);
      if (statement.kind === "block") {
        for (const argument of statement.args) noteIn(argument);
        visit(statement.program, isInner || statement.name === "each" || statement.name === "with");
        visit(statement.inverse, isInner);
      }
      // Its context is that of each call.
      if (statement.kind === "inline") visit(statement.program, false);
      if (statement.kind !== "partial") continue;
      if (statement.context !== null) noteIn(statement.context);
      const called = partials[statement.name];
      if (called === undefined || programs.has(statement.name)) continue;
      programs.set(statement.name, called);
      visit(called, false);
    }
  };
  const own = templates[name] ?? [];
  visit(own, false);
  const called = [...programs].sort(([one], [other]) => (one < other ? -1 : 1));
  return { programs: JSON.stringify([format, name, own, called]), reads: [...reads.values()] };
}

/** Notes the paths that an expression reads, wherever they start: a context or a parameter has been read by the expression that made it. */
function noteReads(expression: Expression, isInner: boolean, note: (path: Path) => void): void {
  if (expression.kind === "literal") return;
  if (expression.kind === "call") {
    for (const argument of expression.args) noteReads(argument, isInner, note);
    for (const { value } of expression.hash) noteReads(value, isInner, note);
    return;
  }
  const { kind, depth, parts } = expression;
  if (kind === "data" && parts[0] === "root") note(parts.slice(1));
  // `this`, which is all data where no block is around it.
  else if (kind === "path" && !(isInner && depth === 0 && parts.length === 0)) note(parts);
}
