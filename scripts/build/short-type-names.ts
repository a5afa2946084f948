// The Pod schema's types by short names, in a function's bundle: nothing asks for a type by its name but for the Pod's, and the names
// are a third of the table.
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** The names that code asks for. */
const KEPT: ReadonlySet<string> = new Set(["Pod"]);

/** The esbuild plugin that shortens them. */
export function shortTypeNames(): Plugin {
  return {
    name: "short-type-names",
    setup(builder) {
      builder.onLoad({ filter: /[\\/]generated[\\/]pod-schema\.ts$/ }, async ({ path }) => ({
        contents: shortened(await readFile(path, "utf8")),
        loader: "ts",
      }));
    },
  };
}

/** The generated module with each type renamed where it is defined, and where a field is of it. Names of scalars are in lower case. */
function shortened(text: string): string {
  const names = [...text.matchAll(/^ {2}([A-Z]\w*):/gm)].map(([, name = ""]) => name);
  const shortNames = new Map(names.map((name, at) => [name, KEPT.has(name) ? name : `T${at.toString(36)}`]));
  return text.replace(/(?<=^ {2}|=[[{]*)[A-Z]\w*/gm, (name) => {
    const short = shortNames.get(name);
    if (short === undefined) throw new Error(`The Pod schema has no type ${name}`);
    return short;
  });
}
