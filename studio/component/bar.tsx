// Shares of a whole. Decorative: the numbers are written next to it.

import type { Tone } from "./badge.tsx";

export interface BarProps {
  /** Percent, in order; what is left stays empty. */
  readonly parts: readonly { readonly tone: Tone | "neutral"; readonly percent: number }[];
}

export function Bar({ parts }: BarProps) {
  return (
    <div class="bar" aria-hidden="true">
      {parts.map(({ tone, percent }) => (
        <span key={tone} class={tone} style={{ width: `${percent}%` }} />
      ))}
    </div>
  );
}
