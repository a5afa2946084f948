// Matches regular expressions in time that is linear in the text, by running all alternatives at once (a Pike machine): no
// pattern of a template and no text of a pod can make it slow.

import { memoize } from "@outrigger/base";
import { parseRegex } from "./regex-parser.ts";
import type { Instruction, RegexProgram } from "./regex-program.ts";
import type { CharacterSet } from "./regex-syntax.ts";

/** Start and end of each group, as indexes of code points; undefined for a group that did not take part. */
type Match = readonly (number | undefined)[];

const programOf = memoize(parseRegex);

/**
 * Whether any part of the text matches, as Go's `regexp.MatchString`.
 *
 * @example
 * ```ts
 * regexMatch("^v[0-9]+$", "v12") // => true
 * regexMatch("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab") // => false
 * ```
 */
export function regexMatch(pattern: string, text: string): boolean {
  return find(programOf(pattern), [...text], 0) !== undefined;
}

/**
 * All matches replaced, as Go's `regexp.ReplaceAllString`: `$1`, `${1}` and `${name}` are groups, `$$` is a dollar.
 *
 * @example
 * ```ts
 * regexReplaceAll("a(x*)b", "-ab-axxb-", "${1}W") // => "-W-xxW-"
 * ```
 */
export function regexReplaceAll(pattern: string, text: string, replacement: string): string {
  const program = programOf(pattern);
  const points = [...text];
  let result = "";
  let copied = 0;
  let position = 0;
  while (position <= points.length) {
    const match = find(program, points, position);
    if (match === undefined) break;
    const [from = 0, to = 0] = match;
    result += points.slice(copied, from).join("");
    // As in Go, no empty match right after another match.
    if (to > copied || from === 0) result += expand(replacement, match, points, program);
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

interface Thread {
  readonly at: number;
  readonly saved: Match;
}

/** The leftmost match from a position on; of those, the one that the order of alternatives prefers. */
function find({ instructions, groups }: RegexProgram, points: readonly string[], start: number): Match | undefined {
  const nothing: Match = new Array<undefined>(2 * groups).fill(undefined);
  let threads: Thread[] = [];
  let matched: Match | undefined;
  for (let position = start; ; position++) {
    const next: Thread[] = [];
    const seen = new Set<number>();
    // A later start comes after all that are under way, and not at all once there is a match.
    const current: Thread[] = [];
    for (const thread of threads) follow(thread, position, points, instructions, seen, current);
    if (matched === undefined) follow({ at: 0, saved: nothing }, position, points, instructions, seen, current);
    if (current.length === 0 && matched !== undefined) return matched;
    const code = points[position]?.codePointAt(0);
    for (const thread of current) {
      const instruction = instructions[thread.at] as Instruction;
      if (instruction.op === "match") {
        matched = thread.saved;
        break;
      }
      if (instruction.op === "set" && code !== undefined && isIn(instruction.set, code)) {
        next.push({ at: thread.at + 1, saved: thread.saved });
      }
    }
    if (position >= points.length) return matched;
    threads = next;
  }
}

/** Adds the instructions that a thread gets to without reading a character, in the order of preference, each once. */
function follow(
  thread: Thread,
  position: number,
  points: readonly string[],
  instructions: readonly Instruction[],
  seen: Set<number>,
  out: Thread[],
): void {
  const stack: Thread[] = [thread];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { at, saved } = top;
    if (seen.has(at)) continue;
    seen.add(at);
    const instruction = instructions[at] as Instruction;
    if (instruction.op === "jump") stack.push({ at: instruction.to, saved });
    else if (instruction.op === "split")
      stack.push({ at: instruction.second, saved }, { at: instruction.first, saved });
    else if (instruction.op === "save") stack.push({ at: at + 1, saved: saved.with(instruction.slot, position) });
    else if (instruction.op !== "assert") out.push(top);
    else if (holds(instruction.at, position, points)) stack.push({ at: at + 1, saved });
  }
}

function holds(assertion: string, position: number, points: readonly string[]): boolean {
  if (assertion === "start") return position === 0;
  if (assertion === "end") return position === points.length;
  const isBoundary = isWord(points[position - 1]) !== isWord(points[position]);
  return (assertion === "word") === isBoundary;
}

function isWord(point: string | undefined): boolean {
  return point !== undefined && /^[0-9A-Za-z_]$/.test(point);
}

function isIn({ ranges, isNegated }: CharacterSet, code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to) !== isNegated;
}
