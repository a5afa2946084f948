// The editors, which come after the first preview: until then their place is empty.

import { signal } from "@preact/signals";
import type { DiffViewProps } from "../editor/diff-view.tsx";
import type { PodViewProps } from "../editor/pod-view.tsx";
import type { TextViewProps } from "../editor/text-view.tsx";
import type { Named } from "../model/state.ts";

const loaded = signal<typeof import("../editor/editors.ts").editors | undefined>(undefined);

export async function loadEditors(): Promise<void> {
  loaded.value = (await import("../editor/editors.ts")).editors;
}

export function SourceEditor() {
  const editors = loaded.value;
  return editors === undefined ? <Place /> : <editors.SourceEditor />;
}

export function PodView(props: PodViewProps) {
  const editors = loaded.value;
  return editors === undefined ? <Place /> : <editors.PodView {...props} />;
}

export function TextView(props: TextViewProps) {
  const editors = loaded.value;
  return editors === undefined ? <Place /> : <editors.TextView {...props} />;
}

export function ConflictView(props: { readonly path: string }) {
  const editors = loaded.value;
  return editors === undefined ? <Place /> : <editors.ConflictView {...props} />;
}

export function DiffView(props: DiffViewProps) {
  const editors = loaded.value;
  return editors === undefined ? <Place /> : <editors.DiffView {...props} />;
}

export function Usages(props: { readonly named: Named }) {
  const editors = loaded.value;
  return editors === undefined ? <Place /> : <editors.Usages {...props} />;
}

function Place() {
  return <div class="code" />;
}
