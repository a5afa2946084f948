// The editors, which come after the first preview: until then their place is empty.

import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";

type Editors = typeof import("../editor/editors.ts").editors;

const loaded = signal<Editors | undefined>(undefined);

export async function loadEditors(): Promise<void> {
  loaded.value = (await import("../editor/editors.ts")).editors;
}

function late<Name extends keyof Editors>(name: Name) {
  type Props = Parameters<Editors[Name]> extends [infer Given extends object] ? Given : object;
  return (props: Props) => {
    const Editor = loaded.value?.[name] as FunctionComponent<Props> | undefined;
    return Editor === undefined ? <div class="column fill" /> : <Editor {...props} />;
  };
}

export const SourceEditor = late("SourceEditor");
export const PodView = late("PodView");
export const TextView = late("TextView");
export const ConflictView = late("ConflictView");
export const DiffView = late("DiffView");
export const Usages = late("Usages");
