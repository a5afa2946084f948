// A link that was opened, next to what is here. It becomes one's own edits only on request.

import { takeShared } from "../actions/sharing.ts";
import { Button, setting } from "../component/controls.tsx";
import { Sheet } from "../component/sheet.tsx";
import { currentText, linked } from "../model/state.ts";
import { say } from "../text/say.ts";
import { DiffView } from "./editors.tsx";

export function LinkSheet() {
  const edits = Object.entries(linked.value);
  if (edits.length === 0) return null;
  const close = setting(linked, {});
  return (
    <Sheet
      title={say("shared.title", { count: edits.length })}
      onClose={close}
      foot={
        <p class="row end">
          <Button onClick={close}>{say("close")}</Button>
          <Button tone="primary" onClick={takeShared}>
            {say("shared.take", { count: edits.length })}
          </Button>
        </p>
      }
    >
      {edits.map(([path, { text }]) => (
        <section key={path} aria-label={path}>
          <h3 class="mono">{path}</h3>
          <DiffView label={path} before={currentText(path)} after={text ?? ""} />
        </section>
      ))}
    </Sheet>
  );
}
