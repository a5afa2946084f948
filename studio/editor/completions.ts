// Completions: helpers and paths inside tags, fields of a Pod outside of them.

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { TemplateNames } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { podFieldsAt } from "./pod-fields.ts";

/**
 * @param names given anew for each completion, because values change while they are edited
 * @param kind `template` completes tags and Pod fields, `other` nothing
 */
export function completionsFor(kind: () => "template" | "other", names: () => TemplateNames): CompletionSource {
  return (context) =>
    kind() === "template" ? (inTag(context) ? tagCompletion(context, names()) : fieldCompletion(context)) : null;
}

function inTag({ state, pos }: CompletionContext): boolean {
  const before = state.sliceDoc(Math.max(0, pos - 500), pos);
  return before.lastIndexOf("{{") > before.lastIndexOf("}}");
}

function tagCompletion(context: CompletionContext, { helpers, paths }: TemplateNames): CompletionResult | null {
  const word = context.matchBefore(/[\w.]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const options: readonly Completion[] = [
    ...paths.map((label) => ({ label, type: "variable" })),
    ...helpers.map((label) => ({ label, type: "function" })),
  ];
  return { from: word.from, options, validFor: /^[\w.]*$/ };
}

function fieldCompletion(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/^[\s-]*[A-Za-z]*/);
  if (word === null) return null;
  const key = /[A-Za-z]*$/.exec(word.text)?.[0] ?? "";
  if (key === "" && !context.explicit) return null;
  const from = context.pos - key.length;
  const indent = from - context.state.doc.lineAt(from).from;
  const fields = podFieldsAt(context.state.sliceDoc(0, from), indent);
  return {
    from,
    options: fields.map(({ name, type, isRequired }) => ({
      label: name,
      detail: isRequired ? `${type}, ${say("field.required")}` : type,
      type: "property",
      apply: `${name}: `,
    })),
    validFor: /^[A-Za-z]*$/,
  };
}
