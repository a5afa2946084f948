// What edits have written: each text that changed, and where in it.

import { textOf } from "../model/drafts.ts";
import { workspace } from "../model/state.ts";
import type { TextChange } from "../wire.ts";
import { DiffView } from "./late.tsx";

/** Files that are shown unfolded. */
const MOST_OPEN = 3;

interface SourceTextsProps {
  readonly title: string;
  readonly texts: readonly TextChange[];
}

/** An entry that a tree does not have is as it is shipped. */
export function SourceTexts({ title, texts }: SourceTextsProps) {
  if (texts.length === 0) return null;
  const { shipped } = workspace.value;
  const shown = (path: string, text: string | null) => text ?? textOf(shipped, path) ?? "";
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {texts.map(({ path, before, after }) => (
        <details key={path} open={texts.length <= MOST_OPEN}>
          <summary>
            <code>{path}</code>
          </summary>
          <DiffView label={path} before={shown(path, before)} after={shown(path, after)} />
        </details>
      ))}
    </section>
  );
}
