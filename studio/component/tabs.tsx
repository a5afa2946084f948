// Views of one thing, of which one is shown. One stop of the Tab key; arrow keys choose.

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, text: string])[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** The id of what shows the chosen one. */
  readonly panel: string;
}

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, panel }: TabsProps<Name>) {
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const at = tabs.findIndex(([name]) => name === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length]?.[0];
    if (next === undefined) return;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          class="plain"
          role="tab"
          id={`tab-${name}`}
          tabIndex={chosen === name ? 0 : -1}
          aria-selected={chosen === name}
          aria-controls={panel}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
