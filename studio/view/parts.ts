// What the first preview does not need: the editors, and the pages of a deployment's releases. Most of the page's script, which is loaded
// when that preview is on the screen.

import { editors } from "../editor/editors.ts";
import { chineseToolSentences } from "../text/zh-tool-sentences.ts";
import { ChangePage } from "./change/change-page.tsx";
import type { Parts } from "./late.tsx";
import { ReleasesPage } from "./releases/releases-page.tsx";
import { RestartSheet } from "./releases/restart-sheet.tsx";
import { WhoGetsIt } from "./who-gets-it.tsx";

/** The words of the languages for the tool's sentences. */
export const sentences = { zh: chineseToolSentences };

export const parts: Parts = { ...editors, ChangePage, ReleasesPage, RestartSheet, WhoGetsIt };
