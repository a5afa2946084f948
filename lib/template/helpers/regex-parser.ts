// Go's regular expressions (RE2 syntax), as far as templates need them → a program for regex.ts. No lookaround and no
// backreferences, which cannot be matched in linear time.

import { fault } from "./argument.ts";

/** A set of code points, as ranges. */
export interface CharacterSet {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly isNegated: boolean;
}

export type Instruction =
  | { readonly op: "match" }
  | { readonly op: "set"; readonly set: CharacterSet }
  /** Tries `first` before `second`. */
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "jump"; to: number }
  | { readonly op: "save"; readonly slot: number }
  | { readonly op: "assert"; readonly at: "start" | "end" | "word" | "no-word" };

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  /** Number of groups, the whole match included. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

type Node =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "word" | "no-word" }
  | { readonly kind: "group"; readonly node: Node; readonly slot: number | undefined }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

const MOST_REPEATS = 1000;
const MOST_INSTRUCTIONS = 20_000;
const MAX_DEPTH = 100;

/** @throws OutriggerError `template-render` for what Go does not accept */
export function parseRegex(pattern: string): RegexProgram {
  const reader: Reader = { points: [...pattern], at: 0, groups: 1, names: new Map(), depth: 0, ignoreCase: false };
  const node = readChoice(reader);
  if (reader.at < reader.points.length) throw fault("the regular expression has a ) too many");
  const instructions: Instruction[] = [];
  emit({ kind: "group", node, slot: 0 }, instructions);
  instructions.push({ op: "match" });
  return { instructions, groups: reader.groups, names: reader.names };
}

interface Reader {
  readonly points: readonly string[];
  at: number;
  groups: number;
  readonly names: Map<string, number>;
  depth: number;
  ignoreCase: boolean;
}

function readChoice(reader: Reader): Node {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw fault("the regular expression is nested too deeply");
  const ignoreCase = reader.ignoreCase;
  const nodes = [readSequence(reader)];
  while (reader.points[reader.at] === "|") {
    reader.at += 1;
    nodes.push(readSequence(reader));
  }
  reader.depth -= 1;
  reader.ignoreCase = ignoreCase;
  return nodes.length === 1 ? (nodes[0] as Node) : { kind: "choice", nodes };
}

function readSequence(reader: Reader): Node {
  const nodes: Node[] = [];
  for (
    let point = reader.points[reader.at];
    point !== undefined && point !== "|" && point !== ")";
    point = reader.points[reader.at]
  ) {
    const atom = readAtom(reader);
    if (atom !== undefined) nodes.push(readRepeats(atom, reader));
  }
  return { kind: "sequence", nodes };
}

function readAtom(reader: Reader): Node | undefined {
  const point = reader.points[reader.at++] as string;
  switch (point) {
    case ".":
      return { kind: "set", set: { ranges: [[10, 10]], isNegated: true } };
    case "^":
      return { kind: "assert", at: "start" };
    case "$":
      return { kind: "assert", at: "end" };
    case "(":
      return readGroup(reader);
    case "[":
      return { kind: "set", set: readClass(reader) };
    case "\\":
      return readEscape(reader);
    case "*":
    case "+":
    case "?":
      throw fault(`the regular expression has a ${point} with nothing to repeat`);
    default:
      return literal(point, reader);
  }
}

function literal(point: string, { ignoreCase }: Reader): Node {
  const forms = ignoreCase ? [point, point.toLowerCase(), point.toUpperCase()] : [point];
  const codes = forms.filter((form) => [...form].length === 1).map((form) => form.codePointAt(0) as number);
  return { kind: "set", set: { ranges: codes.map((code) => [code, code]), isNegated: false } };
}

function readGroup(reader: Reader): Node | undefined {
  let slot: number | undefined;
  if (reader.points[reader.at] !== "?") slot = reader.groups++;
  else {
    const rest = reader.points.slice(reader.at).join("");
    const named = /^\?P?<(\w+)>/.exec(rest);
    const flags = /^\?(i?)([:)])/.exec(rest);
    if (named !== null) {
      slot = reader.groups++;
      reader.names.set(named[1] as string, slot);
      reader.at += named[0].length;
    } else if (flags !== null) {
      reader.at += flags[0].length;
      if (flags[2] === ")") {
        reader.ignoreCase ||= flags[1] === "i";
        return undefined;
      }
      const outer = reader.ignoreCase;
      reader.ignoreCase ||= flags[1] === "i";
      const node = closeGroup(reader, undefined);
      reader.ignoreCase = outer;
      return node;
    } else
      throw fault(
        "the regular expression has a group of a kind that is not supported: use (…), (?:…), (?i) or (?P<name>…)",
      );
  }
  return closeGroup(reader, slot);
}

function closeGroup(reader: Reader, slot: number | undefined): Node {
  const node = readChoice(reader);
  if (reader.points[reader.at] !== ")") throw fault("the regular expression has a ( that is not closed");
  reader.at += 1;
  return { kind: "group", node, slot };
}

const CLASSES: Readonly<Record<string, CharacterSet["ranges"]>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 10],
    [12, 13],
    [32, 32],
  ],
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 };

function readEscape(reader: Reader): Node {
  const point = reader.points[reader.at++];
  if (point === "b" || point === "B") return { kind: "assert", at: point === "b" ? "word" : "no-word" };
  if (point === "A" || point === "z") return { kind: "assert", at: point === "A" ? "start" : "end" };
  const ranges = CLASSES[point?.toLowerCase() ?? ""];
  if (ranges !== undefined) return { kind: "set", set: { ranges, isNegated: point !== point?.toLowerCase() } };
  return { kind: "set", set: { ranges: [[escaped(point), escaped(point)]], isNegated: false } };
}

function escaped(point: string | undefined): number {
  const control = CONTROLS[point ?? ""];
  if (control !== undefined) return control;
  if (point === undefined || /\w/.test(point))
    throw fault(`the regular expression has an escape that is not known: \\${point ?? ""}`);
  return point.codePointAt(0) as number;
}

function readClass(reader: Reader): CharacterSet {
  const isNegated = reader.points[reader.at] === "^";
  if (isNegated) reader.at += 1;
  const ranges: (readonly [number, number])[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const point = reader.points[reader.at++];
    if (point === undefined) throw fault("the regular expression has a [ that is not closed");
    if (point === "]" && !isFirst) break;
    const next = point === "\\" ? reader.points[reader.at] : undefined;
    const known = next === undefined ? undefined : CLASSES[next];
    if (known !== undefined) {
      reader.at += 1;
      ranges.push(...known);
      continue;
    }
    const from = point === "\\" ? escaped(reader.points[reader.at++]) : (point.codePointAt(0) as number);
    const isRange = reader.points[reader.at] === "-" && reader.points[reader.at + 1] !== "]";
    if (!isRange) {
      ranges.push([from, from]);
      continue;
    }
    reader.at += 1;
    const end = reader.points[reader.at++] ?? "";
    const to = end === "\\" ? escaped(reader.points[reader.at++]) : (end.codePointAt(0) ?? -1);
    if (to < from) throw fault("the regular expression has a range whose end is before its start");
    ranges.push([from, to]);
  }
  if (!reader.ignoreCase) return { ranges, isNegated };
  const cased = ranges.flatMap(([from, to]) => [
    ...(from <= 122 && to >= 97 ? [[Math.max(from, 97) - 32, Math.min(to, 122) - 32] as const] : []),
    ...(from <= 90 && to >= 65 ? [[Math.max(from, 65) + 32, Math.min(to, 90) + 32] as const] : []),
  ]);
  return { ranges: [...ranges, ...cased], isNegated };
}

function readRepeats(atom: Node, reader: Reader): Node {
  const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(reader.points.slice(reader.at, reader.at + 12).join(""));
  const point = reader.points[reader.at];
  let [least, most, length] = [1, 1, 0];
  if (point === "*") [least, most, length] = [0, Number.POSITIVE_INFINITY, 1];
  else if (point === "+") [least, most, length] = [1, Number.POSITIVE_INFINITY, 1];
  else if (point === "?") [least, most, length] = [0, 1, 1];
  else if (counted !== null) {
    least = Number(counted[1]);
    most = counted[2] === undefined ? least : counted[3] === "" ? Number.POSITIVE_INFINITY : Number(counted[3]);
    length = counted[0].length;
  }
  if (length === 0) return atom;
  if (least > MOST_REPEATS || (most !== Number.POSITIVE_INFINITY && (most > MOST_REPEATS || most < least))) {
    throw fault(`the regular expression has a repetition that is not valid: at most ${MOST_REPEATS} times`);
  }
  reader.at += length;
  const isLazy = reader.points[reader.at] === "?";
  if (isLazy) reader.at += 1;
  if (/[*+?]/.test(reader.points[reader.at] ?? ""))
    throw fault("the regular expression repeats a repetition: put it in a group");
  return { kind: "repeat", node: atom, least, most, isLazy };
}

function emit(node: Node, out: Instruction[]): void {
  if (out.length > MOST_INSTRUCTIONS) throw fault("the regular expression is too large");
  switch (node.kind) {
    case "set":
      out.push({ op: "set", set: node.set });
      break;
    case "assert":
      out.push({ op: "assert", at: node.at });
      break;
    case "group":
      if (node.slot !== undefined) out.push({ op: "save", slot: 2 * node.slot });
      emit(node.node, out);
      if (node.slot !== undefined) out.push({ op: "save", slot: 2 * node.slot + 1 });
      break;
    case "sequence":
      for (const part of node.nodes) emit(part, out);
      break;
    case "choice":
      emitChoice(node.nodes, out);
      break;
    case "repeat":
      emitRepeat(node, out);
  }
}

function emitChoice(nodes: readonly Node[], out: Instruction[]): void {
  const jumps: { to: number }[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index === nodes.length - 1) {
      emit(node, out);
      break;
    }
    const split = { op: "split" as const, first: out.length + 1, second: 0 };
    out.push(split);
    emit(node, out);
    const jump = { op: "jump" as const, to: 0 };
    out.push(jump);
    jumps.push(jump);
    split.second = out.length;
  }
  for (const jump of jumps) jump.to = out.length;
}

function emitRepeat(
  { node, least, most, isLazy }: Extract<Node, { readonly kind: "repeat" }>,
  out: Instruction[],
): void {
  for (let count = 0; count < least; count++) emit(node, out);
  const optional = (): { first: number; second: number } => {
    const split = { op: "split" as const, first: out.length + 1, second: out.length + 1 };
    out.push(split);
    return split;
  };
  const skipTo = (split: { first: number; second: number }, to: number): void => {
    if (isLazy) split.first = to;
    else split.second = to;
  };
  if (most === Number.POSITIVE_INFINITY) {
    const start = out.length;
    const split = optional();
    emit(node, out);
    out.push({ op: "jump", to: start });
    skipTo(split, out.length);
    return;
  }
  const splits: { first: number; second: number }[] = [];
  for (let count = least; count < most; count++) {
    splits.push(optional());
    emit(node, out);
  }
  for (const split of splits) skipTo(split, out.length);
}
