// Completions: helpers with their arguments, blocks, partials, names and paths inside tags; outside of them, fields of a Pod, and
// settings with what they may be.

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { paths, templateNames } from "../model/state.ts";
import { say } from "../text/say.ts";
import { LONGEST_TAG, localNames, type OpenCall, openCall } from "./call-tooltip.ts";
import { BLOCKS, type Callable, describeCallable, HELPERS } from "./callables.ts";
import { isPod, isTemplate, settingsBelow } from "./settings.ts";
import { PARTIALS } from "./symbols.ts";

/**
 * Completes tags, and Pod fields and settings outside of them.
 *
 * @param entry the path of the entry that is edited
 */
export function completionsFor(entry: () => string): CompletionSource {
  return (context) => {
    const path = entry();
    const tagged = context.state.sliceDoc(Math.max(0, context.pos - LONGEST_TAG), context.pos);
    const call = isTemplate(path) ? openCall(tagged) : undefined;
    return call === undefined ? fieldCompletion(context, path) : tagCompletion(context, call);
  };
}

function tagCompletion(context: CompletionContext, { sigil, argument }: OpenCall): CompletionResult | null {
  const isName = argument < 0;
  const word = context.matchBefore(isName && sigil === ">" ? /[\w-]*/ : /[@\w.]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  if (isName && sigil === ">") {
    const partials = paths.peek().filter((path) => path.startsWith(PARTIALS));
    const options = partials.map((path) => ({ label: path.slice(PARTIALS.length), type: "class" }));
    return { from: word.from, options, validFor: /^[\w-]*$/ };
  }
  if (isName && (sigil === "#" || sigil === "/")) {
    return { from: word.from, options: callables(BLOCKS, sigil === "#"), validFor: /^\w*$/ };
  }
  const locals = localNames(context.state.sliceDoc(0, word.from));
  const options: readonly Completion[] = [
    ...locals.map((label) => ({ label, type: "variable", boost: 1 })),
    ...(sigil === "(" && isName ? [] : templateNames.peek().paths.map((label) => ({ label, type: "variable" }))),
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

function fieldCompletion(context: CompletionContext, path: string): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const value = /^((?:\s|- )*)([A-Za-z][\w./-]*):\s+(["']?[\w-]*)$/.exec(before);
  if (value !== null) {
    const [, indent = "", key = "", written = ""] = value;
    // What is behind the cursor is replaced too, where it is the end of the value.
    const isEnd = /^["']?\s*$/.test(line.text.slice(before.length));
    if (!isEnd || (written === "" && !context.explicit)) return null;
    const above = context.state.sliceDoc(0, line.from) + indent;
    const options = valuesAt(path, above, indent.length, key);
    return { from: context.pos - written.length, to: line.to, options, validFor: /^["']?[\w-]*$/ };
  }
  const [, key] = /^[\s-]*((?:[A-Za-z][\w./-]*)?)$/.exec(before) ?? [];
  if (key === undefined || (key === "" && !context.explicit)) return null;
  const from = context.pos - key.length;
  const options = keysAt(path, context.state.sliceDoc(0, from), from - line.from);
  return { from, options, validFor: /^[\w./-]*$/ };
}

/**
 * The keys that fit at the end of a text that is being written: by indentation, which YAML under edit still has when it cannot be parsed.
 *
 * @param path the entry's
 * @param text from its beginning to the start of the key
 * @param indent columns before the key, with the `- ` of a list item
 */
export function keysAt(path: string, text: string, indent: number): readonly Completion[] {
  const settings = settingsBelow(path, ancestors(text.split("\n"), indent)).map(
    ({ name, use, about }): Completion => ({
      label: name,
      type: "property",
      apply: `${name}: `,
      ...(use !== undefined && { detail: use }),
      ...(about !== undefined && { info: about }),
    }),
  );
  return settings.length > 0 || !isPod(path) ? settings : podFieldsAt(text, indent);
}

/** What the value of a key may be, where that is a short list. */
export function valuesAt(path: string, text: string, indent: number, key: string): readonly Completion[] {
  const setting = settingsBelow(path, ancestors(text.split("\n"), indent)).find(({ name }) => name === key);
  return (setting?.texts ?? []).map((label) => ({ label, type: "constant" }));
}

/** The fields of a Pod that fit there. */
function podFieldsAt(text: string, indent: number): readonly Completion[] {
  const type = typeAt(ancestors(text.split("\n"), indent));
  if (type?.kind !== "object") return [];
  return [...type.fields].map(([label, field]) => ({
    label,
    detail: typeName(field.type) + (type.required.includes(label) ? `, ${say("field.required")}` : ""),
    type: "property",
    apply: `${label}: `,
  }));
}

/** `string`, `list of object`, `map of quantity`. */
function typeName({ kind, element }: TypeSchema): string {
  return element === undefined ? kind : `${kind} of ${typeName(element)}`;
}

/** The keys that enclose a place, the outermost first. */
function ancestors(lines: readonly string[], indent: number): readonly string[] {
  const keys: string[] = [];
  let below = indent;
  for (const line of lines.slice(0, -1).reverse()) {
    const match = /^(\s*)((?:- )*)([A-Za-z][\w./-]*):(?:\s|$)/.exec(line);
    if (match === null) continue;
    const [, spaces = "", dashes = "", key = ""] = match;
    const column = spaces.length + dashes.length;
    // kubectl does not indent a list below its key: the key of a list item may be in the dash's own column.
    const isListAbove = column === below - 2 && dashes === "";
    if (column < below || (isListAbove && below > 0)) {
      keys.unshift(key);
      below = column;
    }
    if (column === 0 && dashes === "") break;
  }
  return keys;
}

function typeAt(keys: readonly string[]): TypeSchema | undefined {
  let type: TypeSchema | undefined = POD_TYPE;
  for (const key of keys) {
    type = type?.kind === "map" ? type.element : type?.fields.get(key)?.type;
    while (type?.kind === "list") type = type.element;
  }
  return type;
}
