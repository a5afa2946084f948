// One name, and what is done with it.

import { useSignal } from "@preact/signals";
import { Button, fieldOf } from "./controls.tsx";

export interface NameFormProps {
  readonly label: string;
  readonly button: string;
  readonly name?: string;
  readonly placeholder?: string;
  /** Why it cannot be that; empty where it says nothing new. */
  readonly problemOf: (name: string) => string | undefined;
  readonly onName: (name: string) => void;
}

export function NameForm({ label, button, name = "", placeholder, problemOf, onName }: NameFormProps) {
  const written = useSignal(name);
  const wanted = written.value.trim();
  const problem = problemOf(wanted);
  const submit = (event: Event) => {
    event.preventDefault();
    if (problem === undefined) onName(wanted);
  };
  return (
    <form class="row" onSubmit={submit}>
      <input aria-label={label} placeholder={placeholder} {...fieldOf(written)} />
      <Button type="submit" disabled={problem !== undefined}>
        {button}
      </Button>
      {problem !== undefined && problem !== "" && <p role="alert">{problem}</p>}
    </form>
  );
}
