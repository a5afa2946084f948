// Imports of a package's face, led to the files that declare the names. esbuild drops what a face names and nobody
// imports, but not where a module is loaded later, with `await import()`: all that its faces name would run with it, and
// `outrigger --version` would load the SDK.
import { readFileSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Plugin } from "esbuild";
import { readRecord } from "../tools/support/read-record.ts";
import { projectRoot } from "./build/bundled-release.ts";

/** Makes a plugin for bundles with modules that are loaded later. */
export function importPastFaces(): Plugin {
  return {
    name: "import-past-faces",
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        FOLDERS.some((folder) => path.startsWith(folder))
          ? { contents: pastFaces(await readFile(path, "utf8"), readFace), loader: "ts" }
          : undefined,
      );
    },
  };
}

const FOLDERS = ["cli", "lib"].map((folder) => join(projectRoot, folder, sep));

/** The file that has each exported name of a face, and its name there. */
export type Face = ReadonlyMap<string, { readonly file: string; readonly name: string }>;

/** The text of a module with an import for each file. What a face declares itself is still imported from it. */
export function pastFaces(text: string, face: (name: string) => Face): string {
  return text.replace(IMPORT, (whole, list: string, specifier: string) => {
    const shown = face(specifier);
    const imports = namesIn(list).map(({ name, as }) => {
      const found = shown.get(name) ?? { file: specifier, name };
      return `import { ${found.name} as ${as} } from ${JSON.stringify(found.file)};`;
    });
    // On one line: the lines below keep their numbers, as far as they can.
    return imports.join(" ") + "\n".repeat(whole.split("\n").length - 1);
  });
}

const IMPORT = /^import \{([^}]*)\} from "(@outrigger\/[a-z-]+)";/gm;
const EXPORT = /^export \{([^}]*)\} from "(\.[^"]+)";/gm;

/** Reads a list of names such as `a, b as c`. Types are left out, because they are in no bundle. */
function namesIn(list: string): readonly { readonly name: string; readonly as: string }[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "" && !item.startsWith("type "))
    .map((item) => {
      const [name = "", as = name] = item.split(" as ");
      return { name, as };
    });
}

const faces = new Map<string, Face>();

function readFace(name: string): Face {
  const known = faces.get(name);
  if (known !== undefined) return known;
  const folder = realpathSync(join(projectRoot, "node_modules", name));
  const manifest = join(folder, "package.json");
  const { exports } = readRecord<{ readonly exports: { readonly ".": string } }>(
    readFileSync(manifest, "utf8"),
    manifest,
    { exports: "object" },
  );
  const file = join(folder, exports["."]);
  const face = new Map(
    [...readFileSync(file, "utf8").matchAll(EXPORT)].flatMap(([, list = "", from = ""]) =>
      namesIn(list).map((one) => [one.as, { file: join(dirname(file), from), name: one.name }] as const),
    ),
  );
  faces.set(name, face);
  return face;
}
