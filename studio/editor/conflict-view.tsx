// Two people have edited one entry: both texts next to each other, to be merged by hand.

import { MergeView } from "@codemirror/merge";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../component/controls.tsx";
import { textOf, withDraft } from "../model/drafts.ts";
import { drafts, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";
import { editable, readOnly } from "./extensions.ts";

export function ConflictView({ path }: { readonly path: string }) {
  const host = useRef<HTMLDivElement>(null);
  const mine = useRef<() => string>(() => "");
  const theirs = textOf(workspace.value.saved, path);
  const conflict = say("conflict", { path });
  useEffect(() => {
    const view = new MergeView({
      a: { doc: drafts.peek()[path]?.text ?? "", extensions: [...editable(say("conflict.mine"))] },
      b: { doc: theirs ?? "", extensions: [...readOnly(say("conflict.theirs"))] },
      parent: host.current as HTMLDivElement,
      revertControls: "b-to-a",
    });
    mine.current = () => view.a.state.doc.toString();
    return () => view.destroy();
  }, [path, theirs]);
  return (
    <section class="column fill conflict" aria-label={conflict}>
      <p class="banner" role="alert">
        {say("conflict.merge", { conflict })}
      </p>
      <p class="row">
        <Button onClick={() => keep(path, mine.current())}>{say("conflict.mine")}</Button>
        <Button onClick={() => keep(path, theirs)}>{say("conflict.theirs")}</Button>
      </p>
      <div class="fill merge" ref={host} />
    </section>
  );
}

/** The text becomes an edit of what is saved now. */
function keep(path: string, text: string | null): void {
  const { [path]: _settled, ...others } = drafts.value;
  drafts.value = withDraft(others, workspace.value.saved, path, text);
}
