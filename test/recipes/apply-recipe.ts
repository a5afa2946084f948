// Does what a recipe of docs/contributing/recipes.md says, in a copy of the project: its blocks are new files, edits and commands.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CodeBlock, codeBlocks, ROOT } from "../pages/code-blocks.ts";

/** One block of a recipe: a file with text to write, or a command to run. */
export type Step =
  | { readonly kind: "new"; readonly file: string; readonly text: string; readonly line: number }
  | {
      readonly kind: "edit";
      readonly file: string;
      readonly where: "after" | "before" | "replace";
      /** The text that exactly one line of the file contains. */
      readonly anchor: string;
      readonly text: string;
      readonly line: number;
    }
  | { readonly kind: "run"; readonly text: string; readonly line: number };

export interface Recipe {
  /** The heading: `Add a helper`. */
  readonly title: string;
  readonly steps: readonly Step[];
}

/** Returns the recipes of a page: each heading of the second level with its blocks, in order. */
export function recipesOf(markdown: string): readonly Recipe[] {
  const sections = markdown.split(/^## /m).slice(1);
  let above = markdown.indexOf("\n## ") + 1;
  return sections.map((section) => {
    const before = markdown.slice(0, above).split("\n").length - 1;
    above += section.length + 3;
    const [title = ""] = section.split("\n");
    return { title, steps: codeBlocks(section).map((block) => stepOf({ ...block, line: block.line + before })) };
  });
}

function stepOf({ language, details, text, line }: CodeBlock): Step {
  if (language === "sh" && details === "clone") return { kind: "run", text, line };
  const [, file] = /^new (\S+)$/.exec(details) ?? [];
  if (file !== undefined) return { kind: "new", file, text, line };
  const [, edited = "", where, anchor = ""] = /^edit (\S+) (after|before|replace)="(.*)"$/.exec(details) ?? [];
  if (where === "after" || where === "before" || where === "replace")
    return { kind: "edit", file: edited, where, anchor: anchor.replaceAll('\\"', '"'), text, line };
  throw new Error(`docs/contributing/recipes.md:${line - 1}: "${language} ${details}" is no block of a recipe`);
}

/** Writes what a step says into the copy. Commands are not run here. */
export function applyStep(copy: string, step: Step): void {
  if (step.kind === "run") return;
  const path = join(copy, step.file);
  if (step.kind === "new") {
    if (existsSync(path)) throw new Error(`recipes.md:${step.line}: ${step.file} exists already`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, step.text);
    return;
  }
  const lines = readFileSync(path, "utf8").split("\n");
  const found = lines.flatMap((line, at) => (line.includes(step.anchor) ? [at] : []));
  const [at] = found;
  if (at === undefined || found.length > 1)
    throw new Error(`recipes.md:${step.line}: ${found.length} lines of ${step.file} contain ${step.anchor}`);
  const text = step.text.replace(/\n$/, "").split("\n");
  const start = step.where === "after" ? at + 1 : at;
  lines.splice(start, step.where === "replace" ? 1 : 0, ...text);
  writeFileSync(path, lines.join("\n"));
}

/**
 * Copies the files of the project that git knows, or would add, to an empty folder. Packages of others are linked, and the project's own
 * packages resolve to the copy.
 */
export function copyProject(folder: string): void {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: ROOT });
  for (const file of listed.toString().split("\0"))
    if (file !== "" && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(folder, file));
  const [from, to] = [join(ROOT, "node_modules"), join(folder, "node_modules")];
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== "@outrigger" && !name.startsWith(".vite")) symlinkSync(join(from, name), join(to, name));
  // Links of the workspaces are relative: they lead to the copy's packages.
  cpSync(join(from, "@outrigger"), join(to, "@outrigger"), { recursive: true, verbatimSymlinks: true });
}
