// What must be answered before anything else: from the right, over the page. The browser's own dialog: Escape closes it, and focus
// comes back.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { say } from "../text/say.ts";
import { Button } from "./controls.tsx";

export interface SheetProps {
  readonly title: string;
  /** Next to the title. */
  readonly about?: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Sheet({ title, about, foot, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="column sheet" aria-labelledby={id} onClose={onClose}>
      <header class="row apart">
        <div>
          <h2 id={id}>{title}</h2>
          {about}
        </div>
        <Button tone="quiet" aria-label={say("close")} onClick={onClose} text="✕" />
      </header>
      <div class="column fill">{children}</div>
      {foot !== undefined && <footer class="column sheet-foot">{foot}</footer>}
    </dialog>
  );
}
