// Which branches of a tree's own templates its tests take: each block must have been true in one rendering and false in
// another. And what each branch writes, whether or not a sample takes it.

import { type FieldPath, isObject, type JsonObject } from "@outrigger/base";
import { type Program, readBranches, statementsOf } from "@outrigger/template";
import type { Injector } from "../../injection.ts";
import { injectionHelpers } from "../../render/injection-helpers.ts";
import { constantRoots } from "../../render/template-data.ts";
import { programsOf } from "../blame/blame-field.ts";
import type { Release } from "../load-release.ts";
import { treePath } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";
import { branchKey, notingBranches } from "./taken-branches.ts";
import { treeError } from "./try-injection.ts";

/**
 * Counts which branches of templates the injections of an injector take.
 *
 * @param own paths of the templates and partials that count
 * @returns the injector to inject with; how many branches were taken, of how many there are; and a warning for each that was
 * never taken, in the order of files and lines
 */
export function branchCoverage(release: Release, injector: Injector, own: ReadonlySet<string>) {
  const branches = writtenBranches(release).filter(({ path }) => own.has(path));
  const seen = new Set<string>();
  const missedOf = () => branches.filter(({ key }) => !seen.has(key));
  return {
    injector: notingBranches(release, injector, (_, taken) => {
      for (const each of taken) seen.add(branchKey(each.position, each.taken));
    }),
    count: () => ({ taken: branches.length - missedOf().length, all: branches.length }),
    missed: (): readonly TreeFinding[] =>
      missedOf().map(({ path, line, column, name, taken }) => {
        const [least, most] =
          name === "each" ? ["had no item", "always had an item"] : ["was never true", "was never false"];
        const message = `the branch {{#${name}}} at line ${line} ${taken ? least : most} in any test`;
        return { severity: "warning", path, line, column, message };
      }),
  };
}

/** A block of a template or partial, as it is taken with its condition true, or false. */
interface WrittenBranch extends Required<Pick<TreeFinding, "path" | "line" | "column">> {
  /** The name of the block: `if`, `each`. */
  readonly name: string;
  readonly taken: boolean;
  /** The branch as `branchReader()` names it. */
  readonly key: string;
}

/** Every branch that the templates and partials of a release have, whether or not anything takes it. */
export function writtenBranches({ templates }: Pick<Release, "templates">): readonly WrittenBranch[] {
  const blocks = programsOf(templates).flatMap(([source, program]) => blocksIn(program, source));
  return blocks.flatMap(({ at, isNeverEmpty, ...block }) =>
    (isNeverEmpty ? [true] : [true, false]).map((taken) => ({ ...block, taken, key: branchKey(at, taken) })),
  );
}

function blocksIn(program: Program, source: string) {
  return statementsOf(program).flatMap((statement) => {
    if (statement.kind !== "block" || statement.name === "let") return [];
    const { name, args, line, column } = statement;
    const [list] = args;
    // An API server accepts no pod without a container.
    const isNeverEmpty = name === "each" && list?.kind === "path" && list.parts.join(".") === "spec.containers";
    return [{ at: { source, line, column }, path: treePath(source), line, column, name, isNeverEmpty }];
  });
}

/** An overlay that a template renders on one way through its branches. */
interface TemplateBranch {
  readonly template: string;
  /** The rendered overlay. A value that depends on the pod is `UNKNOWN` of @outrigger/template. */
  readonly overlay: JsonObject;
  locate(steps: FieldPath): Required<Pick<TreeFinding, "path" | "line" | "column">>;
}

/**
 * The overlays of templates that together take each of their branches, but for those that values and mesh configuration rule out.
 *
 * @param injector the release, loaded
 * @param names of the templates; all of them where it is left out
 */
export function templateBranches(
  release: Release,
  injector: Injector,
  names: readonly string[] = Object.keys(release.templates.templates),
): readonly TemplateBranch[] {
  return names.flatMap((template) =>
    branchesOf(release, injector, template).overlays.flatMap(({ overlay, locate }) => {
      if (!isObject(overlay)) return [];
      const place = (steps: FieldPath) => {
        const { source, line, column } = locate(steps);
        return { path: treePath(source), line, column };
      };
      return [{ template, overlay, locate: place }];
    }),
  );
}

/** The templates in which the texts of a tree write: any may call its partials. */
export function writtenTemplates({ templates: { templates } }: Release, paths: readonly string[]): readonly string[] {
  const names = Object.keys(templates);
  return paths.some((path) => path.startsWith("partials/"))
    ? names
    : names.filter((name) => paths.includes(`templates/${name}`));
}

/**
 * An error for each key that a branch of the tree's own texts gives twice: no sample need take it. And one for each template with more
 * branches than can be judged, whether or not the tree has more of it than a partial.
 */
export function doubledKeyErrors(release: Release, injector: Injector, own: ReadonlySet<string>) {
  return writtenTemplates(release, [...own]).flatMap((name) => {
    const { faults, isWhole } = branchesOf(release, injector, name);
    const errors = faults().map(treeError);
    return isWhole ? errors.filter(({ path = "" }) => own.has(path)) : errors;
  });
}

function branchesOf({ templates: compiled }: Release, injector: Injector, name: string) {
  return readBranches({ compiled, helpers: injectionHelpers, constants: constantRoots(injector), name });
}
