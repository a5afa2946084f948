// A unified diff, with the lines that are added and removed in colour.

import type { ComponentChildren } from "preact";

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

interface ScrollingProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

function Scrolling({ label, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="diff" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
