// All that CodeMirror draws: most of the page's script, which is loaded when the first preview is on the screen.

import { ConflictView } from "./conflict-view.tsx";
import { DiffView } from "./diff-view.tsx";
import { PodView } from "./pod-view.tsx";
import { SourceEditor } from "./source-editor.tsx";
import { TextView } from "./text-view.tsx";
import { Usages } from "./usages.tsx";

export const editors = { ConflictView, DiffView, PodView, SourceEditor, TextView, Usages } as const;
