// Makes an entry of one's own, empty.

import { useSignal } from "@preact/signals";
import { Button } from "../component/button.tsx";
import { edit, openPath, paths } from "../model/state.ts";
import { say } from "../text/say.ts";

export function NewEntry({ onDone }: { readonly onDone: () => void }) {
  const name = useSignal("");
  const problem = useSignal("");
  const add = (event: Event) => {
    event.preventDefault();
    const path = name.value.trim();
    if (path === "") return;
    if (paths.value.includes(path)) {
      problem.value = say("new.exists");
      return;
    }
    edit(path, "");
    openPath.value = path;
    onDone();
  };
  return (
    <form class="new-entry" onSubmit={add}>
      <input
        aria-label={say("new.name")}
        value={name.value}
        placeholder={say("new.placeholder")}
        onInput={({ currentTarget }) => {
          name.value = currentTarget.value;
        }}
      />
      <Button type="submit">{say("new.add")}</Button>
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
    </form>
  );
}
