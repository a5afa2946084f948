// What every editor on the page has in common: keys, highlighting, theme.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { goToNextChunk, goToPreviousChunk } from "@codemirror/merge";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { texts } from "../text/say.ts";
import { templateLanguage, templateTags } from "./template-language.ts";

/** CodeMirror makes style elements; the page's policy allows those with this word. */
const nonce = document.querySelector<HTMLMetaElement>("meta[name=style-nonce]")?.content ?? "";

const shared = (): readonly Extension[] => [
  EditorState.phrases.of(texts.peek().editorPhrases),
  EditorView.cspNonce.of(nonce),
  lineNumbers(),
  templateLanguage,
  // Colours come from the style sheet, which knows light and dark.
  syntaxHighlighting(classHighlighter),
  templateTags,
  highlightSelectionMatches(),
  EditorView.lineWrapping,
  // Where two texts are compared.
  keymap.of([{ key: "F7", run: goToNextChunk, shift: goToPreviousChunk }]),
];

/** The extensions for texts that are edited. Tab leaves the editor, as it leaves any field; Ctrl+] indents. */
export function editable(label: string): readonly Extension[] {
  return [
    ...shared(),
    history(),
    highlightActiveLine(),
    indentUnit.of("  "),
    lintGutter(),
    autocompletion({ icons: false }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  ];
}

/** The extensions for texts that are only shown. They have a cursor, for the keyboard to choose a line with; no key changes them. */
export function readOnly(label: string): readonly Extension[] {
  return [
    ...shared(),
    EditorState.readOnly.of(true),
    highlightActiveLine(),
    keymap.of([...standardKeymap, ...searchKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", inputmode: "none" }),
  ];
}
