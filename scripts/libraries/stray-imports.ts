// Imports of a staged package that would find nothing once it is installed.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { importsOf, packageName } from "../../test/scaffold/packages.ts";

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
