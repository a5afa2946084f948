// Recognizes what other languages write in a tag, or in place of one, and says how it is written here: operators and Jinja.

import { lineIndex } from "@outrigger/base";
import { TEMPLATE_ROOTS } from "../compiled-templates.ts";
import type { Finding } from "../finding.ts";
import { blankComments } from "./handlebars-syntax.ts";

/** Errors for what is no Handlebars, and warnings for text that looks like a tag and is none. */
export function foreignSyntaxFindings(text: string, source: string): readonly Finding[] {
  const plain = blankComments(text);
  const at = lineIndex(text);
  const finding = (severity: Finding["severity"], index: number, message: string): Finding => {
    return { code: "syntax", severity, template: source, ...at(index), message };
  };
  return [
    ...[...plain.matchAll(TAG)].flatMap((match) => {
      const message = tagFault((match[1] as string).replace(/^~|~$/g, ""));
      return message === undefined ? [] : [finding("error", match.index, message)];
    }),
    ...[...plain.matchAll(JINJA)].map(({ index }) =>
      finding("warning", index, "this is Jinja and text here: write {{#if …}} … {{/if}} or {{#each …}} … {{/each}}"),
    ),
    ...[...plain.matchAll(SINGLE_BRACES)].map((match) =>
      finding(
        "warning",
        match.index,
        `this is text and no tag: write {{${match[1]?.replace(/^\.?Values/, "values")}}}`,
      ),
    ),
  ];
}

const TAG = /\{\{(?![!{])((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^}"']|\}(?!\}))*?)\}\}/g;

const JINJA = /\{%-?\s*(?:if|elif|else|endif|for|endfor|set|block|endblock|macro|include)\b/g;

/** `{values.x}` and `${values.x}`; a leading period is for Helm's `.Values` alone, as `{.metadata.name}` is a JSONPath. */
const SINGLE_BRACES = new RegExp(
  String.raw`(?<!\{)\$?\{\s*(\.?Values(?:\.\w+)+|(?:${TEMPLATE_ROOTS.join("|")})(?:\.\w+)+)\s*\}(?!\})`,
  "g",
);

/** Returns what is wrong with a tag, as far as its form shows. Texts in quotes are ignored. */
function tagFault(content: string): string | undefined {
  if (content.trim() === "") return "the tag is empty: write a path or a helper in it";
  const code = content.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|\[[^[\]]*\]/g, (quoted) =>
    /^\[(?:\d+|["'].*)\]$/.test(quoted) ? quoted : "_",
  );
  for (const [pattern, explain] of FAULTS) {
    const match = pattern.exec(code);
    if (match === null) continue;
    const before = code.slice(0, match.index).trimEnd().split(/[\s(]/).at(-1) ?? "";
    const [after = ""] = code.slice(match.index + match[0].length).split(/[\s()]/, 1);
    return explain(before, after, match[1] ?? match[0]);
  }
  return undefined;
}

type Explain = (before: string, after: string, found: string) => string;

const FAULTS: readonly (readonly [RegExp, Explain])[] = [
  [/[“”„‘’]/, () => "these quotes are typographic: write \" or '"],
  [/`/, () => 'texts are in quotes: write "…" in place of the backticks'],
  [/&&/, () => "there are no operators: write (and a b)"],
  [/\|\|/, () => "there are no operators: write (or a b)"],
  [/==/, (before) => `there are no operators: write (eq ${before} …)`],
  [/!=/, (before) => `there are no operators: write (ne ${before} …)`],
  [/!(?=[\w(@.])/, (_, path) => `there are no operators: write (not ${path})`],
  [
    /(?<=[\w)\s])([<>]=?)(?=[\w(\s])/,
    (_before, _after, sign) => `there are no operators: write (${COMPARISONS[sign]} a b)`,
  ],
  [
    /(?<=\w)\(/,
    (helper) =>
      `a helper is called as {{${helper.replace(/^#/, "")} value}}, and inside another call as (${helper} value)`,
  ],
  [/,/, () => "arguments are separated by spaces: remove the comma"],
  [/(?<=[\w\]])\[(\d+)\]/, (path, _, index) => `write ${path}.[${index}] for an item of a list`],
  [/(?<=[\w\]])\[["']/, (path) => `write (index ${path} "…") for a key with other characters`],
  [/(?<=\w)\.\.(?=\w)/, () => "two periods in a row: a path has one between names"],
  [/(?<=\w)\.\s+(?=\w)/, () => "there is a space in the path: remove it"],
];

const COMPARISONS: Readonly<Record<string, string>> = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" };
