// What the first preview does not need: all that CodeMirror draws, and the pages of a deployment's releases. Most of the page's script,
// which is loaded when that preview is on the screen.

import { PodView } from "../editor/pod-view.tsx";
import { SourceEditor } from "../editor/source-editor.tsx";
import { ConflictView, DiffView, TextView } from "../editor/text-views.tsx";
import { Usages } from "../editor/usages.tsx";
import { ChangePage } from "./change/change-page.tsx";
import { ReleasesPage } from "./releases/releases-page.tsx";
import { RestartSheet } from "./releases/restart-sheet.tsx";

export const parts = {
  ChangePage,
  ConflictView,
  DiffView,
  PodView,
  ReleasesPage,
  RestartSheet,
  SourceEditor,
  TextView,
  Usages,
} as const;
