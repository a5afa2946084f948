// Go's regular expressions (RE2 syntax), as far as templates need them → a program for regex.ts. No lookaround and no
// backreferences, which cannot be matched in linear time.

import { literal, readClass, readEscape, setOf } from "./regex-classes.ts";
import { emit, type Instruction, type Node, partsOf, type Reader, type RegexProgram, refuse } from "./regex-program.ts";

const MOST_REPEATS = 1000;
const MAX_DEPTH = 100;

/** @throws OutriggerError `template-render` for what Go does not accept */
export function parseRegex(pattern: string): RegexProgram {
  const reader: Reader = { points: [...pattern], at: 0, groups: 1, names: new Map(), depth: 0, flags: "" };
  const node = readChoice(reader);
  if (reader.at < reader.points.length) refuse("has a ) too many");
  const instructions: Instruction[] = [];
  emit({ kind: "group", node, slot: 0 }, instructions);
  instructions.push({ op: "match" });
  return { instructions, groups: reader.groups, names: reader.names };
}

function readChoice(reader: Reader): Node {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) refuse("is nested too deeply");
  const { flags } = reader;
  const nodes = [readSequence(reader)];
  while (reader.points[reader.at] === "|") {
    reader.at += 1;
    nodes.push(readSequence(reader));
  }
  reader.depth -= 1;
  reader.flags = flags;
  return nodes.length === 1 ? (nodes[0] as Node) : { kind: "choice", nodes };
}

function readSequence(reader: Reader): Node {
  const nodes: Node[] = [];
  while (![undefined, "|", ")"].includes(reader.points[reader.at])) {
    const atom = readAtom(reader);
    if (atom !== undefined) nodes.push(readRepeats(atom, reader));
  }
  return { kind: "sequence", nodes };
}

function readAtom(reader: Reader): Node | undefined {
  const repeat = repeatAt(reader);
  if (repeat !== undefined) refuse(`has a ${repeat.text} with nothing to repeat`);
  const point = reader.points[reader.at++] as string;
  const inLines = reader.flags.includes("m");
  switch (point) {
    case ".":
      return setOf(reader.flags.includes("s") ? "^" : "^\\n", reader);
    case "^":
      return { kind: "assert", at: inLines ? "line-start" : "start" };
    case "$":
      return { kind: "assert", at: inLines ? "line-end" : "end" };
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case "\\":
      return reader.points[reader.at] === "Q" ? readQuoted(reader) : readEscape(reader);
    default:
      return literal(point, reader);
  }
}

/** Between \Q and \E, or the end, each character is itself. A repetition that follows is one of the last. */
function readQuoted(reader: Reader): Node | undefined {
  const rest = reader.points.slice(reader.at + 1);
  const end = rest.findIndex((point, at) => point === "\\" && rest[at + 1] === "E");
  const quoted = end === -1 ? rest : rest.slice(0, end);
  reader.at += 1 + quoted.length + (end === -1 ? 0 : 2);
  const nodes = quoted.map((point) => literal(point, reader));
  const last = nodes.pop();
  return last && { kind: "sequence", nodes: [...nodes, readRepeats(last, reader)] };
}

function readGroup(reader: Reader): Node | undefined {
  if (reader.points[reader.at] !== "?") return closeGroup(reader, reader.groups++);
  const rest = reader.points.slice(reader.at).join("");
  const named = /^\?P?<(\w+)>/.exec(rest);
  if (named !== null) {
    const [{ length }, name = ""] = named;
    if (reader.names.has(name)) refuse(`has two groups of the name ${name}`);
    reader.names.set(name, reader.groups);
    reader.at += length;
    return closeGroup(reader, reader.groups++);
  }
  const flags = /^\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
  if (flags === null) return refuse("has a group that is not supported: use (), (?:), (?P<name>) or (?imsU)");
  const [{ length }, added = "", removed = "", end] = flags;
  reader.at += length;
  const outer = reader.flags;
  reader.flags = [...outer, ...added].filter((flag) => !removed.includes(flag)).join("");
  if (end === ")") return undefined;
  const node = closeGroup(reader, undefined);
  reader.flags = outer;
  return node;
}

function closeGroup(reader: Reader, slot: number | undefined): Node {
  const node = readChoice(reader);
  if (reader.points[reader.at] !== ")") refuse("has a ( that is not closed");
  reader.at += 1;
  return { kind: "group", node, slot };
}

/** The repetition that is written here, without its `?`. */
function repeatAt({ points, at }: Reader) {
  const text = points[at] ?? "";
  const most = Number.POSITIVE_INFINITY;
  if ("*+?".includes(text) && text !== "") return { text, least: text === "+" ? 1 : 0, most: text === "?" ? 1 : most };
  if (text !== "{") return undefined;
  // As in Go, a number that begins with 0 makes it a text.
  const counted = /^\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/.exec(points.slice(at, at + 64).join(""));
  if (counted === null) return undefined;
  const [whole, first, comma, second] = counted;
  return { text: whole, least: Number(first), most: Number(comma === undefined ? first : (second ?? most)) };
}

function readRepeats(node: Node, reader: Reader): Node {
  const repeat = repeatAt(reader);
  if (repeat === undefined) return node;
  const { text, least, most } = repeat;
  reader.at += text.length;
  const isMarked = reader.points[reader.at] === "?";
  if (isMarked) reader.at += 1;
  if (repeatAt(reader) !== undefined) refuse("repeats a repetition: put it in a group");
  const made: Node = { kind: "repeat", node, least, most, isLazy: isMarked !== reader.flags.includes("U") };
  if (most < least || least > MOST_REPEATS || !isWithin(made, MOST_REPEATS))
    refuse(`repeats ${text}: use {0} to {1000}`);
  return made;
}

/** Whether repetitions within repetitions are together no more than so many, as Go counts them. */
function isWithin(node: Node, most: number): boolean {
  if (node.kind !== "repeat") return partsOf(node).every((part) => isWithin(part, most));
  const times = Number.isFinite(node.most) ? node.most : node.least;
  return times === 0 || (times <= most && isWithin(node.node, Math.floor(most / times)));
}
