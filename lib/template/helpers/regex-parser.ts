// Go's regular expressions (RE2 syntax), as far as templates need them → a program for regex.ts. No lookaround and no
// backreferences, which cannot be matched in linear time.

import { fault } from "./argument.ts";
import { readClass, readEscape } from "./regex-classes.ts";
import { emit, type Instruction, type RegexProgram } from "./regex-program.ts";
import type { Node, Reader } from "./regex-syntax.ts";

const MOST_REPEATS = 1000;
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
