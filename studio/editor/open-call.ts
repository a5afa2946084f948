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
