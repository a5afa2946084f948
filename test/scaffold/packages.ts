// The packages of this project and every import between its files, as Node, a bundler or the compiler would load them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { parseSync } from "oxc-parser";

export interface Package {
  readonly name: string;
  /** The folder, relative to the project. */
  readonly folder: string;
  /** The files that `exports` names, relative to the project. */
  readonly faces: readonly string[];
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

export interface Import {
  readonly specifier: string;
  /** Whether only a type is imported, so that nothing is loaded. */
  readonly isType: boolean;
}

/** The imports of each file. */
export type Sources = ReadonlyMap<string, readonly Import[]>;

const FUNCTIONS = ["functions", ...["inject", "publish", "register", "canary"].map((name) => `functions/${name}`)];

/** The parts of the root package, which have no `package.json` of their own, each with the parts that it may import. */
export const ROOT_PARTS: Readonly<Record<string, readonly string[]>> = {
  "functions/inject": ["functions"],
  "functions/publish": ["functions"],
  "functions/register": ["functions"],
  "functions/canary": ["functions"],
  functions: [],
  infra: [],
  scripts: ["infra", "test", "tools"],
  test: [...FUNCTIONS, "infra", "scripts", "tools"],
  tools: [...FUNCTIONS, "infra", "scripts", "test"],
};

/**
 * The packages that run in a function, a terminal and a browser alike: they use no module of Node, and no platform
 * global (biome.json).
 */
export const PURE: readonly string[] = ["base", "yaml", "pod", "mesh", "template", "injector", "import", "webhook"];

const FOLDERS = ["lib", "cli", "studio", "functions", "infra", "scripts", "test", "tools"];

export function readPackages(root = "."): readonly Package[] {
  const folders = [...readdirSync(join(root, "lib")).map((name) => `lib/${name}`), "cli", "studio"];
  return folders.map((folder) => readPackage(root, folder));
}

function readPackage(root: string, folder: string): Package {
  const { name, exports = {}, dependencies = {}, devDependencies = {} } = readManifest(join(root, folder));
  const faces = Object.values(exports).map((file) => join(folder, file));
  return {
    name,
    folder,
    faces,
    dependencies: Object.keys(dependencies),
    devDependencies: Object.keys(devDependencies),
  };
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Every file that Node, a bundler or the compiler can load. */
export function readSources(root = "."): Sources {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(file) && !file.includes("node_modules/")),
  );
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), "utf8"))]));
}

/** Imports, exports from, `import()` of a text, `require` of a text, and types by `import("…")`. */
export function importsOf(file: string, text: string): readonly Import[] {
  const { module } = parseSync(file, text);
  const imported = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isType: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, isType }],
    ),
  );
  const called = [...text.matchAll(/\b(import|require)\(\s*"([^"]+)"\s*\)(\.\w)?/g)].map(
    ([, word, specifier = "", member]) => ({ specifier, isType: word === "import" && member !== undefined }),
  );
  return [...imported, ...exported, ...called];
}

/** The package of a file, or undefined for what belongs to the root package. */
export function packageOf(packages: readonly Package[], file: string): Package | undefined {
  return packages.find(({ folder }) => file.startsWith(`${folder}/`));
}

/** Returns the package's name in a specifier: `@scope/name` of `@scope/name/file`. */
export function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

/** The longest of {@link ROOT_PARTS} that holds the file. */
export function rootPart(file: string): string | undefined {
  return Object.keys(ROOT_PARTS)
    .filter((part) => file.startsWith(`${part}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** The file that a relative import names. */
export const targetOf = (file: string, specifier: string): string =>
  join(dirname(file), specifier.replace(/\?.*$/, ""));
