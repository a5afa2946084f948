// A word or two about the thing next to it. The tone repeats what the word says: colour alone says nothing.

import type { ComponentChildren } from "preact";

export type Tone = "good" | "warn" | "bad" | "accent";

export interface BadgeProps {
  readonly tone?: Tone | undefined;
  /** For the one verdict of a card or page. */
  readonly strong?: boolean;
  readonly children: ComponentChildren;
}

export function Badge({ tone, strong = false, children }: BadgeProps) {
  return <span class={["badge", tone, strong && "strong"].filter(Boolean).join(" ")}>{children}</span>;
}
