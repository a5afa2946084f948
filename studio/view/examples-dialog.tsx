// Chooses an example to start from, and warns of the edits that it replaces.

import { Button } from "../component/button.tsx";
import { Dialog } from "../component/dialog.tsx";
import { discardedBy, offered, replacedBy } from "../model/examples.ts";
import { drafts, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";
import type { ExampleTree } from "../wire.ts";

export interface ExamplesDialogProps {
  readonly examples: readonly ExampleTree[];
  readonly onStart: (example: ExampleTree) => void;
}

export function ExamplesDialog({ examples, onStart }: ExamplesDialogProps) {
  const close = () => {
    offered.value = undefined;
  };
  const unsaved = discardedBy(drafts.value, examples, workspace.value.saved);
  return (
    <Dialog title={say("examples.title")} onClose={close}>
      <p>{say("examples.how")}</p>
      {unsaved > 0 && (
        <p class="banner" role="alert">
          {say("examples.unsaved", { count: unsaved })}
        </p>
      )}
      <ul class="examples">
        {examples.map((example) => (
          <Choice key={example.name} example={example} isReplacing={unsaved > 0} onStart={onStart} />
        ))}
      </ul>
      <p class="actions end">
        <Button onClick={close}>{say("move.cancel")}</Button>
      </p>
    </Dialog>
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
    <li class="card">
      <h3 id={id}>{title}</h3>
      <p>{summary.replaceAll("`", "")}</p>
      {replaced.length > 0 && <p class="quiet">{say("examples.replaced", { paths: replaced.join(", ") })}</p>}
      <Button aria-describedby={id} onClick={() => onStart(example)}>
        {say(isReplacing ? "examples.discard" : "examples.start")}
      </Button>
    </li>
  );
}
