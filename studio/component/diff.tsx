// A unified diff, with the lines that are added and removed in colour.

import { Scrolling } from "./scrolling.tsx";

export interface DiffProps {
  readonly label: string;
  /** As `diff -u` prints it. */
  readonly text: string;
}

export function Diff({ label, text }: DiffProps) {
  return (
    <Scrolling label={label}>
      {text.split("\n").map((line, index) => (
        // Lines have no identity of their own.
        <span key={index} class={toneOf(line)}>
          {line === "" ? " " : line}
        </span>
      ))}
    </Scrolling>
  );
}

function toneOf(line: string): string {
  if (/^(\+\+\+|---) /.test(line)) return "quiet";
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : "";
}
