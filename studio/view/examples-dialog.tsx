// Chooses an example to start from, and warns of the edits that it replaces.

import { useEffect, useRef } from "preact/hooks";
import { discardedBy, offered, replacedBy } from "../model/examples.ts";
import { drafts, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";
import type { ExampleTree } from "../wire.ts";

export interface ExamplesDialogProps {
  readonly examples: readonly ExampleTree[];
  readonly onStart: (example: ExampleTree) => void;
}

export function ExamplesDialog({ examples, onStart }: ExamplesDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    offered.value = undefined;
  };
  const unsaved = discardedBy(drafts.value, examples, workspace.value.saved);
  return (
    <dialog ref={dialog} aria-labelledby="examples-title" onClose={close}>
      <h2 id="examples-title">{say("examples.title")}</h2>
      <p>{say("examples.how")}</p>
      {unsaved > 0 && (
        <p class="warning" role="alert">
          {say("examples.unsaved", { count: unsaved })}
        </p>
      )}
      <ul class="examples">
        {examples.map((example) => (
          <Choice key={example.name} example={example} isReplacing={unsaved > 0} onStart={onStart} />
        ))}
      </ul>
      <p class="buttons">
        <button type="button" onClick={close}>
          {say("move.cancel")}
        </button>
      </p>
    </dialog>
  );
}

interface ChoiceProps {
  readonly example: ExampleTree;
  /** Whether unsaved edits are lost. */
  readonly isReplacing: boolean;
  readonly onStart: (example: ExampleTree) => void;
}

function Choice({ example, isReplacing, onStart }: ChoiceProps) {
  const { name, title, summary } = example;
  const replaced = replacedBy(example, workspace.value.saved);
  const id = `example-${name}`;
  return (
    <li>
      <h3 id={id}>{title}</h3>
      <p>{summary.replaceAll("`", "")}</p>
      {replaced.length > 0 && <p class="warning">{say("examples.replaced", { paths: replaced.join(", ") })}</p>}
      <button type="button" aria-describedby={id} onClick={() => onStart(example)}>
        {say(isReplacing ? "examples.discard" : "examples.start")}
      </button>
    </li>
  );
}
