// A text that scrolls: it can be reached, and scrolled, with the keyboard.
import type { ComponentChildren } from "preact";

export interface ScrollingProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function Scrolling({ label, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="diff" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
