// What a text became: one column, words marked, what is the same folded.

import { unifiedMergeView } from "@codemirror/merge";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { readOnly } from "./extensions.ts";

export interface DiffViewProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

export function DiffView({ label, before, after }: DiffViewProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: 2, minSize: 4 },
    });
    const view = new EditorView({
      parent: host.current as HTMLDivElement,
      doc: after,
      extensions: [...readOnly(label), merge],
    });
    return () => view.destroy();
  }, [label, before, after]);
  return <div class="diff" ref={host} />;
}
