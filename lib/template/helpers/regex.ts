// Matches regular expressions in time and memory that are linear in the text, all matches of it together: an instruction that
// has failed at a position is not tried there again, from whatever start (the bit states of RE2). No pattern of a template and
// no text of a pod can make it slow.

import { assertMade } from "./argument.ts";
import type { Assertion, Instruction, RegexProgram } from "./regex-program.ts";

/** Start and end of each group, as indexes of code points; undefined for a group that did not take part. */
type Match = readonly (number | undefined)[];

/** Whether any part of the text matches an expression that parseRegex() has read, as in Go's `regexp.MatchString`. */
export function regexMatch(program: RegexProgram, text: string): boolean {
  return searchOf(program, [...text])(0) !== undefined;
}

/**
 * Returns the text with all matches replaced, as in Go's `regexp.ReplaceAllString`: `$1`, `${1}` and `${name}` are groups, `$$` is a dollar.
 *
 * @param program of parseRegex()
 */
export function regexReplaceAll(program: RegexProgram, text: string, replacement: string): string {
  const points = [...text];
  const find = searchOf(program, points);
  let result = "";
  let copied = 0;
  let position = 0;
  while (position <= points.length) {
    const match = find(position);
    if (match === undefined) break;
    const [from = 0, to = 0] = match;
    result += points.slice(copied, from).join("");
    // As in Go, no empty match right after another match.
    if (to > copied || from === 0) result += expand(replacement, match, points, program);
    assertMade(result.length);
    copied = to;
    position = Math.max(position + 1, to);
  }
  return result + points.slice(copied).join("");
}

function expand(replacement: string, match: Match, points: readonly string[], { names }: RegexProgram): string {
  return replacement.replaceAll(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole: string, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return whole === "$$" ? "$" : whole;
    const group = /^\d+$/.test(name) ? Number(name) : names.get(name);
    const [from, to] = group === undefined ? [] : [match[2 * group], match[2 * group + 1]];
    return from === undefined || to === undefined ? "" : points.slice(from, to).join("");
  });
}

/** Bits for what has failed, 16 MB: the longest annotation with a pattern of 500 instructions. */
const MOST_STATES = 2 ** 27;

/**
 * Finds the leftmost match from a position on; of those, the one that the order of alternatives prefers. Positions must grow
 * from call to call.
 */
function searchOf(
  { instructions, groups }: RegexProgram,
  points: readonly string[],
): (start: number) => Match | undefined {
  const size = instructions.length;
  if ((points.length + 1) * size > MOST_STATES)
    throw new RangeError("the text is too long for so large a regular expression");
  const failed = new Uint8Array(Math.ceil(((points.length + 1) * size) / 8));
  return (start) => {
    for (let position = start; position <= points.length; position++) {
      const match = matchAt(position, instructions, groups, points, failed);
      if (match === undefined) continue;
      // What failed where the match ends failed perhaps only because it was under way already.
      const end = (match[1] as number) * size;
      for (let state = end; state < end + size; state++)
        failed[state >> 3] = (failed[state >> 3] as number) & ~(1 << (state & 7));
      return match;
    }
    return undefined;
  };
}

/** What to try next, or a group's edge to set back. */
type Step =
  | { readonly at: number; readonly position: number }
  | { readonly slot: number; readonly earlier: number | undefined };

/** Returns the match that begins at a position. Tries each instruction at each position once. */
function matchAt(
  start: number,
  instructions: readonly Instruction[],
  groups: number,
  points: readonly string[],
  failed: Uint8Array,
): Match | undefined {
  const saved = new Array<number | undefined>(2 * groups).fill(undefined);
  const steps: Step[] = [{ at: 0, position: start }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ("slot" in step) {
      saved[step.slot] = step.earlier;
      continue;
    }
    const { at, position } = step;
    const state = position * instructions.length + at;
    const byte = failed[state >> 3] as number;
    const bit = 1 << (state & 7);
    if ((byte & bit) !== 0) continue;
    failed[state >> 3] = byte | bit;
    const instruction = instructions[at] as Instruction;
    switch (instruction.op) {
      case "match":
        return saved;
      case "jump":
        steps.push({ at: instruction.to, position });
        break;
      case "split":
        steps.push({ at: instruction.second, position }, { at: instruction.first, position });
        break;
      case "save":
        steps.push({ slot: instruction.slot, earlier: saved[instruction.slot] }, { at: at + 1, position });
        saved[instruction.slot] = position;
        break;
      case "assert":
        if (holds(instruction.at, position, points)) steps.push({ at: at + 1, position });
        break;
      case "set": {
        const point = points[position];
        if (point !== undefined && instruction.set.test(point)) steps.push({ at: at + 1, position: position + 1 });
      }
    }
  }
  return undefined;
}

function holds(assertion: Assertion, position: number, points: readonly string[]): boolean {
  const [before, after] = [points[position - 1], points[position]];
  if (assertion.endsWith("start")) return before === undefined || (assertion !== "start" && before === "\n");
  if (assertion.endsWith("end")) return after === undefined || (assertion !== "end" && after === "\n");
  return (assertion === "word") === (isWord(before) !== isWord(after));
}

function isWord(point: string | undefined): boolean {
  return point !== undefined && /^[0-9A-Za-z_]$/.test(point);
}
