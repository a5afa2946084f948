// Records such as helpers, keys and error codes carry their documentation in a property `doc`. No code of the inject function
// reads it, so that function's bundle leaves it out. The other functions read some of it, and none of what lib/base and lib/webhook have.
import type { Plugin } from "esbuild";
import { parseSync, Visitor } from "oxc-parser";
import { rewrite } from "./leave-out-unused.ts";

/** Returns the esbuild plugin that leaves documentation out of the modules of these folders: by default, of all packages. */
export function leaveOutDocs(folders: RegExp = /[\\/](?:lib|functions)[\\/].*\.ts$/): Plugin {
  return rewrite(folders, withoutDocs, "ts");
}

/**
 * Returns the text of a module without the property `doc` of any object literal. Types are left as they are.
 *
 * @example
 * ```ts
 * withoutDocs('const a = { b: 1, doc: { text: "one" } };') // => "const a = { b: 1 };"
 * ```
 */
export function withoutDocs(text: string, path = "module.ts"): string {
  if (!/\bdoc:/.test(text)) return text;
  const found: { readonly from: number; readonly to: number }[] = [];
  new Visitor({
    ObjectExpression({ properties, end }) {
      for (const [index, property] of properties.entries()) {
        if (property.type !== "Property" || property.key.type !== "Identifier" || property.key.name !== "doc") continue;
        if (property.computed || property.shorthand) continue;
        // With the comma that separates it: the one before it, or the one after the first property. After the only one, it may trail.
        const before = properties[index - 1];
        const after = properties[index + 1];
        if (before !== undefined) found.push({ from: before.end, to: property.end });
        else found.push({ from: property.start, to: after?.start ?? end - 1 });
      }
    },
  }).visit(parseSync(path, text).program);
  // Documentation in documentation goes with the outer one.
  const outer = found.filter(
    (one) => !found.some((other) => other !== one && other.from <= one.from && one.to <= other.to),
  );
  return outer.reduceRight((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text);
}
