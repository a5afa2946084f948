// Recognizes Go template syntax, which Helm and Istio use, and says how it is written here.

import { entryOf, lineIndex } from "@outrigger/base";
import { TEMPLATE_ROOTS } from "../compiled-templates.ts";
import type { Finding } from "../finding.ts";
import { blankComments } from "./handlebars-syntax.ts";
import { REFUSED_HELPERS } from "./needless-helpers.ts";

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
