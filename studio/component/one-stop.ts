// Makes a list one stop of the Tab key: arrow keys move between its items, those with `data-stop`.

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

export function useOneStop(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = list.current;
    if (root === null) return;
    const items = () => [...root.querySelectorAll<HTMLElement>("[data-stop]")];
    const stopAt = (chosen: HTMLElement | undefined) => {
      for (const item of items()) item.tabIndex = item === chosen ? 0 : -1;
    };
    const keepOne = () => {
      const all = items();
      const stops = all.filter(({ tabIndex }) => tabIndex === 0);
      if (stops.length !== 1) stopAt(all.find((item) => item.ariaCurrent === "true") ?? all[0]);
    };
    const move = (event: KeyboardEvent) => {
      const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const all = items();
      const at = all.indexOf(document.activeElement as HTMLElement);
      const next = at === -1 || by === 0 ? undefined : all[at + by];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    };
    const follow = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.hasAttribute("data-stop")) stopAt(target);
    };
    const observer = new MutationObserver(keepOne);
    observer.observe(root, { childList: true, subtree: true });
    root.addEventListener("keydown", move);
    root.addEventListener("focusin", follow);
    keepOne();
    return () => {
      observer.disconnect();
      root.removeEventListener("keydown", move);
      root.removeEventListener("focusin", follow);
    };
  }, [list]);
}
