// Colours on a terminal: whether there are any, and which lines have one. Commands write plain text; nothing else is coloured.
import type { Io } from "./io.ts";

/**
 * Whether a stream is coloured: on a terminal, unless NO_COLOR is set or the terminal is a dumb one. FORCE_COLOR overrides where
 * the stream leads, not NO_COLOR.
 */
export function hasColours(isTerminal: boolean, env: Io["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}

const [RED, GREEN, YELLOW, CYAN, BOLD] = [31, 32, 33, 36, 1];

/** The colours of lines. Each is for the part that matches: the beginning of a line, or something in it. */
const RULES: readonly (readonly [pattern: RegExp, colour: number])[] = [
  [/^✔/, GREEN],
  [/^✖/, RED],
  [/^!(?= )/, YELLOW],
  [/^ok(?= {2})/, GREEN],
  [/^FAIL(?= )/, RED],
  [/^(?: {2})?Warning:/, YELLOW],
  [/^ {2}Check this:/, YELLOW],
  [/^ {2}(?: {2})?Injected(?= \()/, GREEN],
  [/^ {2}(?: {2})?Refused(?= \()/, RED],
  [/^ {2}Result:/, BOLD],
  [/^Cannot (?=.)/, RED],
  [/(?<=^\S.*: )error(?=: )/, RED],
  [/(?<=^\S.*: )warning(?=: )/, YELLOW],
  [/^[A-Z][A-Z ]+(?: {3}[A-Z][A-Z ]*)+$/, BOLD],
];

/** Colours a line of a unified diff. */
const DIFF_RULES: typeof RULES = [
  [/^(?:---|\+\+\+) .*/s, BOLD],
  [/^@@.*/s, CYAN],
  [/^\+.*/s, GREEN],
  [/^-.*/s, RED],
];

/** Colours the lines of one stream. A unified diff begins with its two file names and ends with the first other line. */
export function lineColours(): (text: string) => string {
  let isDiff = false;
  let isOpen = false;
  return (text) => {
    const lines = text.split("\n");
    const coloured = lines.map((line, index) => {
      const isRest = index === 0 && isOpen;
      const next = lines[index + 1];
      if (/^--- \S/.test(line) && next?.startsWith("+++ ")) isDiff = true;
      else if (!/^[-+@ \\]/.test(line)) isDiff = false;
      return isRest ? line : painted(line, isDiff ? DIFF_RULES : RULES);
    });
    // What shows progress erases its own line: the next text begins one.
    const last = lines.at(-1) ?? "";
    isOpen = last !== "" && !last.endsWith("\r\u001b[K");
    return coloured.join("\n");
  };
}

function painted(line: string, rules: typeof RULES): string {
  const rule = rules.find(([pattern]) => pattern.test(line));
  return rule === undefined ? line : line.replace(rule[0], (part) => `\u001b[${rule[1]}m${part}\u001b[0m`);
}
