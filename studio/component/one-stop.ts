// Makes a list one stop of the Tab key: arrow keys move between its items, those with `data-stop`.

import { useEffect, useRef } from "preact/hooks";

/** The properties of the element that holds the list. */
export function useOneStop() {
  const ref = useRef<HTMLDivElement>(null);
  const items = () => [...(ref.current?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
  const stopAt = (chosen: EventTarget | null | undefined) => {
    for (const item of items()) item.tabIndex = item === chosen ? 0 : -1;
  };
  useEffect(() => {
    const keepOne = () => {
      const all = items();
      const stops = all.filter(({ tabIndex }) => tabIndex === 0);
      if (stops.length !== 1) stopAt(all.find((item) => item.ariaCurrent === "true") ?? all[0]);
    };
    const observer = new MutationObserver(keepOne);
    observer.observe(ref.current as HTMLElement, { childList: true, subtree: true });
    keepOne();
    return () => observer.disconnect();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = at === -1 || by === 0 ? undefined : all[at + by];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  const onFocusIn = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && target.hasAttribute("data-stop")) stopAt(target);
  };
  return { ref, onKeyDown, onFocusIn };
}
