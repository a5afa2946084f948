// A file next to the inject function's bundle, with what a release calls whose templates ask for more than the shipped ones do: Node reads
// it in the first such call, and not in every start. The choice is the release's: a stranger's pod cannot make many containers read it.
// What is in it is pure, and keeps nothing between calls, as the part has a copy of its own of the small modules that it uses.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { projectRoot, shared } from "./bundled-release.ts";

export const RARE_FILE = "rare.cjs";

/** Files that export nothing but functions: the bundle has a call of each in its place. */
const FILES: readonly string[] = [
  "lib/pod/merge/directives.ts",
  "lib/template/helpers/format-duration.ts",
  "lib/template/helpers/format-text.ts",
  "lib/template/helpers/regex-parser.ts",
  "lib/template/helpers/regex.ts",
  "lib/template/helpers/sha256.ts",
];

const MODULE = `outrigger:${RARE_FILE}`;

interface RarePart {
  /** Puts the part next to the bundle, and calls in place of its files. */
  readonly plugin: Plugin;
  /** What is in the part, as esbuild's metafile says it of an output. */
  readonly inputs: Metafile["outputs"][string]["inputs"];
}

/**
 * Makes the part.
 *
 * @param options of the bundle that calls it
 */
export async function rarePart(options: BuildOptions): Promise<RarePart> {
  const functions = new Map(
    FILES.map((file) => [file, functionsOf(file, readFileSync(join(projectRoot, file), "utf8"))]),
  );
  const exported = [...functions].map(([file, names]) => `export { ${names.join(", ")} } from "./${file}";`);
  const { outputFiles, metafile } = await build({
    ...shared,
    ...options,
    stdin: { contents: exported.join("\n"), resolveDir: projectRoot },
    format: "cjs",
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  return { plugin: pluginOf(outputFiles[0]?.text ?? "", functions), inputs: output?.inputs ?? {} };
}

function pluginOf(part: string, functions: ReadonlyMap<string, readonly string[]>): Plugin {
  return {
    name: "rare part",
    setup(builder) {
      builder.onResolve({ filter: /^outrigger:rare\.cjs$/ }, () => ({ path: RARE_FILE, namespace: "rare-part" }));
      builder.onLoad({ filter: /.*/, namespace: "rare-part" }, () => ({ contents: part, loader: "copy" }));
      builder.onLoad({ filter: /[\\/]lib[\\/](?:pod|template)[\\/].*\.ts$/ }, ({ path }) => {
        const names = functions.get(relative(projectRoot, path).replaceAll("\\", "/"));
        return names && { contents: callsOf(names), loader: "js" };
      });
    },
  };
}

/** A call of the part in place of each function. */
function callsOf(names: readonly string[]): string {
  return names.map((name) => `export const ${name} = (...args) => require("${MODULE}").${name}(...args);\n`).join("");
}

/** The names of the functions that a module exports, which may export nothing else but types. */
export function functionsOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(/^export (?!type |interface )(\w+) (\w+)/gm)].map(([, kind, name = ""]) => {
    if (kind === "function") return name;
    throw new Error(`${file}: ${name} is no function, which a file of the rare part must export`);
  });
}
