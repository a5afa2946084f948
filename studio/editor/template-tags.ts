// Marks Handlebars tags in YAML, which the YAML highlighting knows nothing of.

import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";

const tags = new MatchDecorator({
  regexp: /\{\{[^}]*\}\}/g,
  decoration: (match) => Decoration.mark({ class: match[0].startsWith("{{!") ? "tag-comment" : "tag" }),
});

export const templateTags = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = tags.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = tags.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
