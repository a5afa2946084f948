// The types of schemas by short names, in a function's bundle: nothing asks for most of them by name, and the names are a third of the
// tables.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import { rewrite } from "./leave-out-unused.ts";

/** A message of another name is empty for who asks for it, so the test looks for names in the code. */
export const KEPT_MESSAGES: ReadonlySet<string> = new Set([
  "mesh.MeshConfig",
  "mesh.MeshConfig.DefaultProviders",
  "mesh.ProxyConfig",
  "networking.ProxyConfig",
]);

/**
 * Tables whose types refer to each other: the names that code asks for, where a table defines a type, and where it names one. Names of
 * scalars are in lower case or have no package.
 */
const TABLES = [
  {
    files: ["pod-schema.ts"],
    kept: new Set(["Pod"]),
    definition: /^ {2}([A-Z]\w*):/gm,
    name: /(?<=^ {2}|=[[{]*)[A-Z]\w*/gm,
  },
  {
    files: ["proxy-schema.ts", "mesh-schema.ts"],
    kept: KEPT_MESSAGES,
    definition: /^ {4}"((?:[a-z]\w*\.)+[A-Z][\w.]*)":/gm,
    name: /(?<=[" ])(?:[a-z]\w*\.)+[A-Z][\w.]*/g,
  },
];

/** The esbuild plugin that shortens them. */
export function shortTypeNames(): Plugin {
  return rewrite(/[\\/]generated[\\/](?:pod|proxy|mesh)-schema\.ts$/, shortened, "ts");
}

/** The generated module with each type renamed where it is defined, and where a field is of it. */
async function shortened(text: string, path: string): Promise<string> {
  const tables = TABLES.find(({ files }) => files.some((file) => path.endsWith(file)));
  if (tables === undefined) throw new Error(`${path} is not among the tables with types`);
  const texts = await Promise.all(tables.files.map((file) => readFile(join(dirname(path), file), "utf8")));
  const names = texts.flatMap((text) => [...text.matchAll(tables.definition)].map(([, name = ""]) => name));
  const shortNames = new Map(names.map((name, at) => [name, tables.kept.has(name) ? name : `T${at.toString(36)}`]));
  return text.replace(tables.name, (name) => {
    const short = shortNames.get(name);
    if (short === undefined) throw new Error(`${path} has no type ${name}`);
    return short;
  });
}
