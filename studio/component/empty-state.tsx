// Instead of an empty list: what would be here, and what can be done now, each with one click.

import type { ComponentChildren } from "preact";

export interface EmptyStateProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <p class="quiet">{title}</p>
      {children}
    </div>
  );
}
