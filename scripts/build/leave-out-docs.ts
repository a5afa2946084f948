// What entries of tables say for other functions. Records such as helpers, keys and error codes carry their documentation in a property
// `doc`. No code of the inject function reads it, so that function's bundle leaves it out. The other functions read none of what lib/base
// and lib/webhook have, and of helpers only the arguments, which lint counts.
import type { Plugin } from "esbuild";
import { type ObjectExpression, parseSync, Visitor } from "oxc-parser";
import { rewrite } from "./leave-out-unused.ts";

/** Returns the esbuild plugin that leaves documentation out of the modules of these folders: by default, of all packages. */
export function leaveOutDocs(folders: RegExp = /[\\/](?:lib|functions)[\\/].*\.ts$/): Plugin {
  return rewrite(folders, withoutDocs, "ts");
}

/** Returns the esbuild plugin that leaves out what kinds of guardrails say for publishing, which asks whether a person is needed. */
export function leaveOutClasses(): Plugin {
  const names = ["doc", "effect", "isHeld", "isAnyValueJudged"];
  return rewrite(/[\\/]lib[\\/]guardrails[\\/]kinds\.ts$/, (text, path) => withoutProperties(text, path, names), "ts");
}

/** Returns the esbuild plugin that leaves of the helpers' documentation what is for people. */
export function leaveOutHelperTexts(): Plugin {
  const folders = /[\\/]lib[\\/](?:template[\\/]helpers|injector[\\/]render)[\\/].*\.ts$/;
  return rewrite(folders, (text, path) => withoutDocs(text, path, ["text", "result", "examples"]), "ts");
}

/**
 * Returns the text of a module without the property `doc` of any object literal, or without these parts of it. Types are left as they
 * are.
 *
 * @example
 * ```ts
 * withoutDocs('const a = { b: 1, doc: { text: "one" } };') // => "const a = { b: 1 };"
 * ```
 */
export function withoutDocs(text: string, path = "module.ts", parts?: readonly string[]): string {
  if (!/\bdoc:/.test(text)) return text;
  if (parts === undefined) return withoutProperties(text, path, ["doc"]);
  const found: Span[] = [];
  new Visitor({
    ObjectExpression(object) {
      for (const property of object.properties) {
        if (nameOf(property) !== "doc" || property.type !== "Property") continue;
        if (property.value.type === "ObjectExpression") found.push(...spansOf(property.value, parts));
      }
    },
  }).visit(parseSync(path, text).program);
  return withoutSpans(text, found);
}

/** Returns the text of a module without the properties of these names of any object literal. */
function withoutProperties(text: string, path: string, names: readonly string[]): string {
  const found: Span[] = [];
  new Visitor({ ObjectExpression: (object) => void found.push(...spansOf(object, names)) }).visit(
    parseSync(path, text).program,
  );
  return withoutSpans(text, found);
}

function withoutSpans(text: string, found: readonly Span[]): string {
  // Documentation in documentation goes with the outer one.
  const outer = found.filter(
    (one) => !found.some((other) => other !== one && other.from <= one.from && one.to <= other.to),
  );
  return outer.reduceRight((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The properties of these names, each with the comma that separates it: the one before it, or the one behind the first. */
function spansOf({ properties, end }: ObjectExpression, names: readonly string[]): readonly Span[] {
  return properties.flatMap((property, index): readonly Span[] => {
    if (!names.includes(nameOf(property) ?? "")) return [];
    const isFirst = properties.slice(0, index).every((before) => names.includes(nameOf(before) ?? ""));
    const [before, after] = [properties[index - 1], properties[index + 1]];
    if (before !== undefined && !isFirst) return [{ from: before.end, to: property.end }];
    // After the only one, a comma may trail.
    return [{ from: property.start, to: after?.start ?? end - 1 }];
  });
}

function nameOf(property: ObjectExpression["properties"][number]): string | undefined {
  if (property.type !== "Property" || property.key.type !== "Identifier") return undefined;
  return property.computed || property.shorthand ? undefined : property.key.name;
}
