// A text that scrolls: it can be reached, and scrolled, with the keyboard.
import type { ComponentChildren } from "preact";

export function Scrolling({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre class="diff" tabIndex={0}>
      {children}
    </pre>
  );
}
