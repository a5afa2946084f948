// What a chart's template changes from one tag to another, after both are imported: lines removed and lines added.
import { diffArrays } from "diff";

/** Lines of a template that one tag has and the other has not. */
export interface Hunk {
  /** Template of the tree: `sidecar`. */
  readonly template: string;
  /** Index of the first removed line in the older text, or of the line that the added ones precede. */
  readonly start: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The hunks that lead from the older text to the newer one, in order. */
export function chartHunks(template: string, older: string, newer: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let start = 0;
  let open: Hunk | undefined;
  for (const { added, removed, value } of diffArrays(older.split("\n"), newer.split("\n"))) {
    if (!added && !removed) {
      if (open !== undefined) hunks.push(open);
      open = undefined;
      start += value.length;
      continue;
    }
    open ??= { template, start, removed: [], added: [] };
    open = added ? { ...open, added: [...open.added, ...value] } : { ...open, removed: [...open.removed, ...value] };
    if (removed) start += value.length;
  }
  if (open !== undefined) hunks.push(open);
  return withSlidLines(hunks, older.split("\n"))
    .filter(({ removed, added }) => ![...removed, ...added].every((line) => CLOSED_LET.test(line)))
    .map((hunk) => ({ ...hunk, added: withClosedLets(hunk.added) }));
}

/** Lines added in two places, where the second repeats the lines between: `{{/if}}` belongs to the first. */
function withSlidLines(hunks: readonly Hunk[], lines: readonly string[]): readonly Hunk[] {
  const slid: Hunk[] = [];
  for (const hunk of hunks) {
    const last = slid.at(-1);
    const between = last === undefined ? [] : lines.slice(last.start + last.removed.length, hunk.start);
    const rest = hunk.added.slice(between.length);
    const repeats = hunk.added.slice(0, between.length).join("\n") === between.join("\n");
    if (last === undefined || hunk.removed.length > 0 || !repeats) slid.push(hunk);
    else {
      slid.splice(-1, 1, { ...last, added: [...last.added, ...between] });
      if (rest.length > 0) slid.push({ ...hunk, added: rest });
    }
  }
  return slid;
}

const CLOSED_LET = /^\s*\{\{\/let\}\}\s*$/;

/** An import closes a `let` where Go's block ends; added lines close theirs themselves. */
function withClosedLets(lines: readonly string[]): readonly string[] {
  const open =
    lines.filter((line) => /^\s*\{\{#let\b/.test(line)).length - lines.filter((line) => CLOSED_LET.test(line)).length;
  return [...lines, ...Array.from({ length: Math.max(open, 0) }, () => "{{/let}}")];
}
