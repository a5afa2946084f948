// Makes of the TypeScript below lib/ what other people install: a folder for each package, with JavaScript, declarations and a
// package.json that says so. The shipped source tree is one more package, of data. Nothing here decides what is published:
// `private` in a package.json does.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSourceTree } from "@outrigger/publisher";
import { importsOf, packageName } from "../../test/scaffold/packages.ts";
import { projectRoot } from "../build/bundled-release.ts";

/** A private one, npm refuses to publish. */
type StagedPackage = ReturnType<typeof finish>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly private?: boolean;
  readonly repository?: { readonly url: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Writes `<folder>/<name>` for every package, in the order of their names. Throws for an import that would find nothing there. */
export async function stageLibraries(folder: string): Promise<readonly StagedPackage[]> {
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(projectRoot, "node_modules/.bin/tsc");
  execFileSync(tsc, ["-p", join(projectRoot, "scripts/libraries"), "--outDir", folder], { stdio: "inherit" });
  const names = readdirSync(join(projectRoot, "lib")).sort();
  const libraries = names.map((name) => stageLibrary(`lib/${name}`, join(folder, name)));
  return [...libraries, await stageShippedTree(join(folder, "shipped-tree"))];
}

function stageLibrary(source: string, folder: string): StagedPackage {
  const { devDependencies: _tests, ...manifest } = manifestOf(source);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".d.ts"))
      writeFileSync(join(folder, file), declarationsOf(readFileSync(join(folder, file), "utf8")));
  }
  const strays = strayImports(folder, Object.keys(manifest.dependencies ?? {}));
  if (strays.length > 0) throw new Error(`Cannot pack ${manifest.name}:\n${strays.join("\n")}`);
  return finish(folder, manifest, source);
}

/** A line for each import that leaves the folder, names no file in it, or names a package that is not in `dependencies`. */
export function strayImports(folder: string, dependencies: readonly string[]): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(?:js|d\.ts)$/.test(file),
  );
  return files.flatMap((file) =>
    importsOf(file, readFileSync(join(folder, file), "utf8"))
      .map(({ specifier }) => specifier)
      .filter((specifier) => !(specifier.startsWith(".") ? isPacked(file, specifier) : isDeclared(specifier)))
      .map((specifier) => `${file} imports ${specifier}`),
  );

  function isPacked(file: string, specifier: string): boolean {
    const target = join(dirname(file), specifier);
    if (target.startsWith("..") || !specifier.endsWith(".js")) return false;
    const needed = file.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target;
    return existsSync(join(folder, needed));
  }

  function isDeclared(specifier: string): boolean {
    const name = packageName(specifier);
    return specifier.startsWith("node:") || dependencies.some((one) => one === name || one === `@types/${name}`);
  }
}

/** tsc names the TypeScript files in declarations: they are not packed. */
export function declarationsOf(text: string): string {
  return text.replaceAll(/((?:\bfrom |\bimport\()")(\.{1,2}\/[^"]*)\.ts"/g, '$1$2.js"');
}

/** No package in the checkout: what the command and the functions bundle comes from templates/ itself. */
async function stageShippedTree(folder: string): Promise<StagedPackage> {
  const { version, license, engines } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const tree = await readSourceTree(join(projectRoot, "templates"));
  mkdirSync(folder);
  writeFileSync(join(folder, "index.js"), `export const shippedTree = ${JSON.stringify(tree, undefined, 2)};\n`);
  const docstring = "/** The shipped source tree, path → text: the lowest layer of every release. */";
  const type = "Readonly<Record<string, string>>";
  writeFileSync(join(folder, "index.d.ts"), `${docstring}\nexport declare const shippedTree: ${type};\n`);
  const description = "The source tree that Outrigger ships: Istio's injection templates and their settings, as data.";
  const named = { name: "@outrigger/shipped-tree", version, description, license, type: "module", sideEffects: false };
  return finish(folder, { ...named, engines }, "scripts/libraries/shipped-tree");
}

function finish(folder: string, manifest: Manifest, source: string) {
  const { repository } = manifestOf(".");
  const staged = {
    ...manifest,
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    ...(repository === undefined ? {} : { repository: { ...repository, directory: source } }),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(staged, undefined, 2)}\n`);
  cpSync(join(projectRoot, source, "README.md"), join(folder, "README.md"));
  for (const file of ["LICENSE", "NOTICE"]) cpSync(join(projectRoot, file), join(folder, file));
  return { name: manifest.name, folder, isPrivate: manifest.private === true };
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(projectRoot, folder, "package.json"), "utf8"));

/** Packs each into `<destination>/*.tgz`, and returns the names of the files in the same order. */
export function packStaged(packages: readonly StagedPackage[], destination: string): readonly string[] {
  mkdirSync(destination, { recursive: true });
  const words = ["pack", "--silent", "--pack-destination", destination, ...packages.map(({ folder }) => folder)];
  const printed = execFileSync("npm", words, { cwd: dirname(destination), encoding: "utf8" });
  return printed.trim().split("\n");
}
