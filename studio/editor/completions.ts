// Completions: helpers with their arguments, blocks, partials, names and paths inside tags; fields of a Pod outside of them.

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { TemplateNames } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { LONGEST_TAG } from "./call-tooltip.ts";
import { BLOCKS, type Callable, describeCallable, HELPERS } from "./callables.ts";
import { localNames, type OpenCall, openCall } from "./open-call.ts";
import { podFieldsAt } from "./pod-fields.ts";

/**
 * @param names given anew for each completion, because values change while they are edited
 * @param kind `template` completes tags and Pod fields, `other` nothing
 * @param partials the names of the partials
 */
export function completionsFor(
  kind: () => "template" | "other",
  names: () => TemplateNames,
  partials: () => readonly string[],
): CompletionSource {
  return (context) => {
    if (kind() !== "template") return null;
    const before = context.state.sliceDoc(Math.max(0, context.pos - LONGEST_TAG), context.pos);
    const call = openCall(before);
    return call === undefined ? fieldCompletion(context) : tagCompletion(context, call, names(), partials);
  };
}

function tagCompletion(
  context: CompletionContext,
  { sigil, argument }: OpenCall,
  names: TemplateNames,
  partials: () => readonly string[],
): CompletionResult | null {
  const isName = argument < 0;
  const word = context.matchBefore(isName && sigil === ">" ? /[\w-]*/ : /[@\w.]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  if (isName && sigil === ">") {
    return { from: word.from, options: partials().map((label) => ({ label, type: "class" })), validFor: /^[\w-]*$/ };
  }
  if (isName && (sigil === "#" || sigil === "/")) {
    return { from: word.from, options: callables(BLOCKS, sigil === "#"), validFor: /^\w*$/ };
  }
  const locals = localNames(context.state.sliceDoc(0, word.from));
  const options: readonly Completion[] = [
    ...locals.map((label) => ({ label, type: "variable", boost: 1 })),
    ...(sigil === "(" && isName ? [] : names.paths.map((label) => ({ label, type: "variable" }))),
    // Among arguments, a call is a subexpression.
    ...callables(HELPERS, true).map((option) => (isName ? option : { ...option, apply: `(${option.label} ` })),
  ];
  return { from: word.from, options, validFor: /^[@\w.]*$/ };
}

/** @param isCalled whether the name is followed by arguments */
function callables(known: ReadonlyMap<string, Callable>, isCalled: boolean): readonly Completion[] {
  return [...known].map(([label, callable]) => ({
    label,
    type: "function",
    detail: callable.args.map(([name]) => (name.endsWith("?") ? `[${name.slice(0, -1)}]` : name)).join(" "),
    info: () => describeCallable(label, callable),
    apply: isCalled ? `${label} ` : label,
  }));
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
