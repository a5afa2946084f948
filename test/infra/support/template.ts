// CloudFormation templates as tests read them: what is in one, and what of it is the same in every build.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isObject, type JsonObject } from "@outrigger/base";
import { dump, load } from "js-yaml";

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: JsonObject;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** The variant that is kept as a whole: it has both kinds of API. Of the others, what differs from it is kept. */
const WHOLE = "changing";

const fileOf = (name: string) => fileURLToPath(new URL(`../golden/${name}.yml`, import.meta.url));
const read = (name: string) => load(readFileSync(fileOf(name), "utf8")) as JsonObject;
const textOf = (value: unknown) => dump(value, { lineWidth: -1, noRefs: true });

/** The golden template of a variant. Each call gives an object of its own. */
export function goldenTemplate(variant: string): Template {
  const difference = variant === WHOLE ? {} : read("differences")[variant];
  if (difference === undefined) throw new Error(`There is no golden template of ${variant}`);
  return patched(read(WHOLE), difference) as unknown as Template;
}

/** Keeps a template: of the whole first, because the others are kept by what differs. */
export function writeGolden(variant: string, template: Template): void {
  if (variant === WHOLE) writeFileSync(fileOf(WHOLE), textOf(template));
  else
    writeFileSync(
      fileOf("differences"),
      textOf({ ...read("differences"), [variant]: difference(read(WHOLE), template) }),
    );
}

/** RFC 7396, JSON Merge Patch, where an object patches the items of a list as well: no template has a null, or an object for a list. */
function patched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = hasEntries(target) ? Object.assign(emptyOf(target), target) : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = patched(result[key], value);
  }
  return result;
}

function difference(from: unknown, to: unknown): unknown {
  if (!hasEntries(from) || !hasEntries(to) || !isPatchable(from, to)) return to;
  const entries = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]))
    .map((key) => [key, to[key] === undefined ? null : difference(from[key], to[key])]);
  return Object.fromEntries(entries);
}

/** Of lists, only those that begin with the same text: what Fn::Sub makes of a long one. */
function isPatchable(from: object, to: object): boolean {
  if (!Array.isArray(from) || !Array.isArray(to)) return Array.isArray(from) === Array.isArray(to);
  return from.length === to.length && typeof from[0] === "string" && from[0] === to[0] && from.some(isObject);
}

function hasEntries(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function emptyOf(value: object): object {
  return Array.isArray(value) ? [] : {};
}

/** The template without what time and code make of it. */
export function normalisedTemplate(json: string): Template {
  const same = json
    .replaceAll(/serverless\/outrigger\/(\w+)\/\d+-[\dTZ:.-]+\//g, "serverless/outrigger/$1/<time>/")
    .replaceAll(/"Code": ?"[0-9a-f]{32}"/g, '"Code":"<digest of the code>"')
    .replaceAll(/"CodeSha256": ?"[\w+/]{43}="/g, '"CodeSha256":"<digest of the zip>"')
    .replaceAll(/InjectVersion[0-9a-f]{10}/g, "InjectVersion");
  return JSON.parse(same);
}
