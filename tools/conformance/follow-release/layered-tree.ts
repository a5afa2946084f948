// What edits of the shipped tree make of its files: the base gets the new lines, the layer of the release before keeps the old ones.
import type { SourceTree } from "@outrigger/injector";
import type { Edit } from "./place-hunk.ts";

/** A file of more lines than this is not kept twice: the lines that change become a partial of their own. */
const WHOLE = 12;

/** The files that change: path → text, those of the layer below `releases/<previous>/`. */
export function layeredFiles(base: SourceTree, edits: readonly Edit[], previous: string): SourceTree {
  const files: Record<string, string> = {};
  for (const path of new Set(edits.map((edit) => edit.path))) {
    const ofPath = edits.filter((edit) => edit.path === path).sort((a, b) => b.line - a.line);
    const lines = (base[path] ?? "").split("\n");
    const isSmall = lines.length <= WHOLE;
    if (isSmall) files[`releases/${previous}/${path}`] = base[path] ?? "";
    for (const edit of ofPath) {
      const removed = lines.slice(edit.line, edit.line + edit.removed);
      if (isSmall) lines.splice(edit.line, edit.removed, ...edit.added);
      else {
        const name = partialName([...edit.added, ...removed], base, files);
        const model = [...edit.added, ...removed].find((line) => !line.startsWith("{{")) ?? "";
        const indent = /^ */.exec(model)?.[0] ?? "";
        const call = `${indent}{{> ${[name, ...variablesOf(lines, [...edit.added, ...removed])].join(" ")}}}`;
        files[`partials/${name}`] = textOf(
          edit.added,
          indent,
          `{{! Only releases up to ${previous} have lines here }}`,
        );
        files[`releases/${previous}/partials/${name}`] = textOf(
          removed,
          indent,
          `{{! Since the release after ${previous} }}`,
        );
        lines.splice(edit.line, edit.removed, call);
      }
    }
    files[path] = lines.some((line) => line.trim() !== "")
      ? lines.join("\n")
      : `{{! Only releases up to ${previous} have lines here }}\n`;
  }
  return files;
}

function textOf(lines: readonly string[], indent: string, comment: string): string {
  if (lines.length === 0) return `${comment}\n`;
  return `${lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join("\n")}\n`;
}

/** The name of a partial, made of the first variable of the environment or key that the lines name. */
function partialName(lines: readonly string[], base: SourceTree, files: SourceTree): string {
  const text = lines.join("\n");
  const subject = /- name: ([\w-]+)/.exec(text)?.[1] ?? /^\s*(?:- )?["']?([\w./-]+)["']?:/m.exec(text)?.[1] ?? "lines";
  const name = subject.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (base[`partials/${candidate}`] === undefined && files[`partials/${candidate}`] === undefined) return candidate;
  }
}

/** A partial does not see the variables of a block: they are passed on. */
function variablesOf(lines: readonly string[], used: readonly string[]): readonly string[] {
  const text = lines.join("\n");
  const names = [
    ...[...text.matchAll(/as \|([\w\s]+)\|/g)].flatMap(([, list = ""]) => list.split(/\s+/)),
    ...[...text.matchAll(/\{\{> [^}]*\}\}/g)].flatMap(([call]) =>
      [...call.matchAll(/(\w+)=/g)].map(([, name = ""]) => name),
    ),
  ];
  const own = new Set(
    used.flatMap((line) => [...line.matchAll(/as \|([\w\s]+)\|/g)].flatMap(([, list = ""]) => list.split(/\s+/))),
  );
  return [...new Set(names)]
    .filter((name) => !own.has(name) && used.some((line) => new RegExp(`(?<![\\w."])${name}(?![\\w"=])`).test(line)))
    .map((name) => `${name}=${name}`);
}
