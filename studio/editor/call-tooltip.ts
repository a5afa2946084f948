// While a call is written: its arguments above it, the one that is written in bold, with what it means. Escape closes it.

import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { BLOCKS, describeCallable, HELPERS } from "./callables.ts";

/** Characters before the cursor that are looked at: longer tags have no tooltip. */
export const LONGEST_TAG = 2000;

const close = StateEffect.define<null>();

/** @param isTemplate whether the text has tags */
export function callTooltip(isTemplate: () => boolean): Extension {
  const field = StateField.define<Tooltip | null>({
    create: () => null,
    update(shown, transaction) {
      const { state, docChanged, selection, effects } = transaction;
      if (effects.some((effect) => effect.is(close))) return null;
      const isTyped = docChanged && (transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
      if (isTyped || (shown !== null && (docChanged || selection !== undefined))) {
        return isTemplate() ? tooltipAt(state) : null;
      }
      return shown;
    },
    provide: (value) => showTooltip.from(value),
  });
  const onEscape = (view: EditorView) => {
    if (view.state.field(field) !== null) view.dispatch({ effects: close.of(null) });
    // What completes a name closes as well.
    return false;
  };
  // Before the keys of the editor: Escape closes this first.
  return [field, Prec.highest(keymap.of([{ key: "Escape", run: onEscape }]))];
}

function tooltipAt(state: EditorState): Tooltip | null {
  const { head, empty } = state.selection.main;
  if (!empty) return null;
  const first = Math.max(0, head - LONGEST_TAG);
  const call = openCall(state.sliceDoc(first, head));
  if (call === undefined || call.argument < 0) return null;
  const { name, sigil, argument } = call;
  const callable = (sigil === "#" ? BLOCKS : HELPERS).get(name);
  if (callable === undefined || callable.args.length === 0) return null;
  return { pos: first + call.from, above: true, create: () => ({ dom: describeCallable(name, callable, argument) }) };
}

// The call in a tag that is being written: which helper it is, and which of its arguments. Works on texts that cannot be
// parsed yet.
export interface OpenCall {
  /** `if` of `{{#if`; empty in front of the name. */
  readonly name: string;
  /** What the tag begins with; `(` in a subexpression. */
  readonly sigil: "" | "#" | "/" | ">" | "(";
  /** 0-based; -1 while the name is written. */
  readonly argument: number;
  /** Offset of the name in the text. */
  readonly from: number;
}

/** The innermost call around the end of a text; undefined if its end is not in a tag. */
export function openCall(text: string): OpenCall | undefined {
  const start = tagStart(text);
  if (start === undefined) return undefined;
  const opening = /^\{\{~?\s*(?:else\s+)?([#/>]?)\s*/.exec(text.slice(start)) as RegExpExecArray;
  // `{{else if x}}` calls as `{{#if x}}` does.
  const sigil = opening[0].includes("else ") ? "#" : (opening[1] as OpenCall["sigil"]);
  const calls: OpenCall[] = [{ name: "", sigil, argument: -1, from: start + opening[0].length }];
  let at = start + opening[0].length;
  while (at < text.length) {
    const [token] = /^(?:\s+|"[^"]*"?|'[^']*'?|[()]|[^\s()"']+)/.exec(text.slice(at)) as RegExpExecArray;
    const call = calls.at(-1) as OpenCall;
    if (token === "(") calls.push({ name: "", sigil: "(", argument: -1, from: at + 1 });
    else if (token === ")") {
      if (calls.length > 1) calls.pop();
    } else if (token.trim() === "") {
      if (call.name !== "") calls[calls.length - 1] = { ...call, argument: call.argument + 1 };
    } else if (call.name === "") calls[calls.length - 1] = { ...call, name: token, from: at };
    at += token.length;
  }
  return calls.at(-1);
}

/** Offset of the tag that the text ends in; a `}}` in a string ends it too, as it does for Handlebars' own scanner. */
function tagStart(text: string): number | undefined {
  const start = text.lastIndexOf("{{");
  if (start === -1 || text.lastIndexOf("}}") > start || text.startsWith("{{!", start)) return undefined;
  return start;
}

/** Names that blocks around the end of a text give to values: block parameters, and those of `each`. The innermost first. */
export function localNames(text: string): readonly string[] {
  const open: (readonly string[])[] = [];
  for (const [, sigil, name, rest = ""] of text.matchAll(/\{\{~?(#\*?|\/)\s*(\w+)([^}]*)\}\}/g)) {
    const [, parameters = ""] = /\bas\s*\|([^|]*)\|/.exec(rest) ?? [];
    if (sigil === "/") open.pop();
    else open.push([...parameters.trim().split(/\s+/), ...(name === "each" ? EACH : name === "with" ? ["this"] : [])]);
  }
  return [...new Set(open.reverse().flat())].filter((name) => name !== "");
}

const EACH: readonly string[] = ["this", "@key", "@index", "@first", "@last"];
