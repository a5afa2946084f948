// Which templates of two releases may write something else.
import { type JsonValue, jsonEqual } from "@outrigger/base";
import { type CompiledTemplates, type Program, statementsOf } from "@outrigger/template";
import type { Release } from "../load-release.ts";

/** Returns the templates that may write something else: where only texts are edited, those that reach an edited one. */
export function templatesThatDiffer(before: Release, after: Release): readonly string[] {
  const names = [...new Set([before, after].flatMap(({ templates }) => Object.keys(templates.templates)))];
  const inputsOf = ({ config, values, meshConfig }: Release) =>
    ({ config, values, meshConfig }) as unknown as JsonValue;
  if (!jsonEqual(inputsOf(before), inputsOf(after))) return names;
  const textOf = (release: Release, name: string) => JSON.stringify(reachedPrograms(release.templates, name));
  return names.filter((name) => textOf(before, name) !== textOf(after, name));
}

/** A template with every partial that it calls, by name. */
function reachedPrograms(
  { templates, partials }: CompiledTemplates,
  name: string,
): readonly (readonly [string, Program])[] {
  const reached = new Map<string, Program>();
  const visit = (program: Program | undefined): void => {
    for (const statement of statementsOf(program ?? [])) {
      if (statement.kind !== "partial" || reached.has(statement.name)) continue;
      const called = partials[statement.name];
      if (called === undefined) continue;
      reached.set(statement.name, called);
      visit(called);
    }
  };
  visit(templates[name]);
  return [["", templates[name] ?? []], ...[...reached].sort(([a], [b]) => (a < b ? -1 : 1))];
}
