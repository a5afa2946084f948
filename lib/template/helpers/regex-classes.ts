// Reads what matches one of several characters: escapes such as \w, and classes in brackets.

import { fault } from "./argument.ts";
import type { CharacterSet, Node, Reader } from "./regex-syntax.ts";

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

export function readEscape(reader: Reader): Node {
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

export function readClass(reader: Reader): CharacterSet {
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
