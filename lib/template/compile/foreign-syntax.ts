// Recognizes what other languages write in a tag, or in place of one, and says how it is written here: operators and Jinja, then
// Go template syntax, which Helm and Istio use.

import { entryOf, lineIndex } from "@outrigger/base";
import { TEMPLATE_ROOTS } from "../compiled-templates.ts";
import type { Finding } from "../finding.ts";
import { blankComments } from "./handlebars-syntax.ts";
import { REFUSED_HELPERS } from "./needless-helpers.ts";

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

/** What is wrong with a tag, as far as its form shows. Texts in quotes are not looked at. */
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

/** A finding for each tag in Go template syntax; other tags are for Handlebars' parser. */
export function goSyntaxFindings(text: string, source: string): readonly Finding[] {
  const at = lineIndex(text);
  return [...blankComments(text).matchAll(GO_TAG)].flatMap((match) => {
    const message = goTag(match[1], match[2] as string, match[3]);
    if (message === undefined) return [];
    return [{ code: "go-syntax", severity: "error", template: source, ...at(match.index), message }];
  });
}

/**
 * Whether a text has tags that only Go templates have, as a chart that was not rendered does.
 *
 * @example
 * ```ts
 * isGoTemplate("image: {{ .Values.image }}") // => true
 * isGoTemplate("image: {{values.image}}") // => false
 * ```
 */
export function isGoTemplate(text: string): boolean {
  return goSyntaxFindings(text, "").length > 0;
}

const GO_TAG = /\{\{(?![!{&>^]|\/[^*])(-(?=\s))?((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^}"']|\}(?!\}))*?)(-)?\}\}/g;

const GO_PATH = /(?:^|[\s(])\$?\.[A-Za-z_]/;

function goTag(trimLeft: string | undefined, content: string, trimRight: string | undefined): string | undefined {
  const tag = content.trim();
  const code = tag.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`/g, '""');
  const is = (fix: string) => `this is Go template syntax: ${fix}`;
  if (tag.startsWith("/*")) return is("write a comment as {{! … }}");
  if (/^(?:end|break|continue)$/.test(tag))
    return is("write {{/if}}, {{/each}}, {{/with}} or {{/let}}, the name of the block");
  if (/^(?:define|template|include|block)\s/.test(code)) return is(partialFix(tag));
  if (/:=|(?:^|[\s(])\$(?!\.)/.test(code)) return is(variableFix(tag));
  const helms = HELMS.exec(code)?.[1];
  if (helms !== undefined)
    return is(`${helms} is known to Helm only: put what you need into the values, and write {{values.x}}`);
  const isBlock = /^(if|else if|range|with)\s/.exec(code);
  const isGo = trimLeft !== undefined || trimRight !== undefined || GO_PATH.test(code) || /^range\s/.test(code);
  if (isBlock !== null && isGo) return is(blockFix(isBlock[1] as string, tag));
  if (/(?<!\bas )(?<!\|)\|(?!\|)/.test(code.replace(/\bas \|[^|]*\|/, "")))
    return is(`write the helper before its argument${pipeFix(tag)}, not a pipe`);
  if (GO_PATH.test(code)) return is(pathFix(translatePaths(tag)));
  if (trimLeft !== undefined) return is(`white space is trimmed with {{~ … ~}}: write {{~${tag}}}`);
  if (trimRight !== undefined) return is(`white space is trimmed with {{~ … ~}}: write {{${tag}~}}`);
  return undefined;
}

const HELMS = /(?:^|[\s(])\$?(\.(?:Release|Chart|Capabilities|Files|Template|Subcharts))\b/;

function partialFix(tag: string): string {
  const name = /^\w+\s+"([\w-]+)"/.exec(tag)?.[1] ?? "name";
  return `write {{> ${name}}} for a partial; its file is partials/${name}.hbs`;
}

/** `range $k, $v := .Values.x`, `if $x := .Values.x`, `$x := .Values.x`, `$x`. */
function variableFix(tag: string): string {
  const loop = /^range\s+(?:\$(\w+)\s*,\s*)?\$(\w+)\s*:=\s*(\S.*)$/.exec(tag);
  if (loop !== null) {
    const [, key, item, list = ""] = loop;
    const names = key === undefined || key === "_" ? item : `${item} ${key}`;
    return `write {{#each ${argumentOf(list)} as |${names}|}} … {{/each}}`;
  }
  const set = /^(?:if\s+|with\s+)?\$(\w+)\s*:=\s*(\S.*)$/.exec(tag);
  if (set !== null && !set[2]?.includes("|")) {
    return `write {{#let ${argumentOf(set[2] as string)} as |${set[1]}|}} … {{/let}} for a variable`;
  }
  const used = /^\$(\w+)$/.exec(tag)?.[1];
  return used === undefined
    ? "write {{#let value as |name|}} … {{/let}} for a variable"
    : `write {{${used}}}, and {{#let value as |${used}|}} … {{/let}} around it`;
}

/** A call is in parentheses where it is an argument. */
function argumentOf(expression: string): string {
  const translated = translatePaths(expression.trim());
  return translated.includes(" ") && !translated.startsWith("(") ? `(${translated})` : translated;
}

function pathFix(translated: string): string {
  const [helper = ""] = translated.split(" ", 1);
  const refused = REFUSED_HELPERS.get(helper);
  if (refused === undefined || /^toYaml$/i.test(helper)) return `write {{${whole(translated)}}}`;
  return `"${helper}" is not needed: ${refused}`;
}

function blockFix(name: string, tag: string): string {
  const rest = (translatePaths(tag.slice(name.length).trim()).split("|", 1)[0] as string).trimEnd();
  const argument = argumentOf(rest);
  if (name === "else if") return `write {{else if ${argument}}}`;
  const block = name === "range" ? "each" : name;
  return `write {{#${block} ${argument}}} … {{/${block}}}`;
}

/** `: {{trunc 63 (lower values.x)}}` for `.Values.x | lower | trunc 63`. */
function pipeFix(tag: string): string {
  const [value = "", ...calls] = tag.split("|").map((part) => translatePaths(part.trim()));
  const needed = calls.filter((call) => !REFUSED_HELPERS.has(call.split(" ", 1)[0] as string));
  const tagged = needed.reduce((inner, call) => `${call} ${argumentOf(inner)}`, whole(value));
  return `: {{${tagged}}}`;
}

/** An object is inserted whole: `toYaml values.x` is `values.x`. */
function whole(expression: string): string {
  return expression.replace(/^toYaml\s+/i, "");
}

/** Roots of Istio's template data that differ from those here by more than their first letter. */
const ROOTS: Readonly<Record<string, string>> = { ObjectMeta: "metadata", DeploymentMeta: "owner", TypeMeta: "owner" };

/** `.Values.global.hub` → `values.global.hub`; fields of the pod lose their capital letter. */
function translatePaths(tag: string): string {
  const quoted = tag.replaceAll(/`([^`"]*)`/g, '"$1"');
  return quoted.replaceAll(/(^|[\s(])\$?\.([A-Za-z_][\w.]*)/g, (_, before: string, path: string) => {
    const [root = "", ...fields] = path.split(".");
    const known = entryOf(ROOTS, root) ?? withSmallLetter(root);
    if (known === root || !TEMPLATE_ROOTS.includes(known)) return `${before}this.${path}`;
    return before + [known, ...(known === "values" ? fields : fields.map(withSmallLetter))].join(".");
  });
}

function withSmallLetter(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
