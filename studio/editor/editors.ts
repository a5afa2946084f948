// All that CodeMirror draws.

import { PodView } from "./pod-view.tsx";
import { SourceEditor } from "./source-editor.tsx";
import { ConflictView, DiffView, TextView } from "./text-views.tsx";
import { Usages } from "./usages.tsx";

export const editors = { ConflictView, DiffView, PodView, SourceEditor, TextView, Usages } as const;
