// YAML with Handlebars tags, of which the grammar of YAML knows nothing: a tag there would begin a map in braces.

import { yamlLanguage } from "@codemirror/lang-yaml";
import { LanguageSupport } from "@codemirror/language";
import type { DecorationSet, EditorView, ViewUpdate } from "@codemirror/view";
import { Decoration, MatchDecorator, ViewPlugin } from "@codemirror/view";

const { parser } = yamlLanguage;

/** YAML, read as if each tag were a word, or blank where its lines have nothing else. */
export const templateLanguage = new LanguageSupport(
  yamlLanguage.configure({
    wrap(yaml, input) {
      const text = input.read(0, input.length);
      // Nothing is kept of the text before: a tag that is closed changes how the line before it reads.
      return text.includes("{{") ? parser.startParse(withoutTags(text)) : yaml;
    },
  }),
);

const CLOSED = String.raw`\{\{(?:(?!\}\}).)*\}\}`;
/** A tag that is being written ends before what may be around it. */
const OPEN = String.raw`\{\{[^"'\]{},\n]*\}?`;
const TAG = new RegExp(`${CLOSED}|${OPEN}`, "g");
const ONLY_TAGS = new RegExp(`^[ \\t]*(?:${CLOSED}[ \\t]*)*(?:${OPEN})?$`, "gm");

/** The text with something else in place of its tags. It keeps its length, so that places in it stay what they are. */
function withoutTags(text: string): string {
  return text.replace(ONLY_TAGS, (line) => " ".repeat(line.length)).replace(TAG, (tag) => "x".repeat(tag.length));
}

const tagMarks = new MatchDecorator({
  regexp: new RegExp(CLOSED, "g"),
  decoration: (match) => Decoration.mark({ class: match[0].startsWith("{{!") ? "tag-comment" : "tag" }),
});

export const templateTags = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = tagMarks.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = tagMarks.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
