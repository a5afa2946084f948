// Which names of a face have no docstring.
import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { targetOf } from "./packages.ts";

interface Shown {
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
}

/** Names whose declaration has no docstring above it. */
export function undocumented(face: string): readonly string[] {
  return shownBy(face)
    .filter(({ name, file }) => !hasDocstring(readFileSync(file, "utf8"), name))
    .map(({ name, file }) => `${name} (${file})`);
}

function shownBy(face: string): readonly Shown[] {
  const text = readFileSync(face, "utf8");
  const { module } = parseSync(face, text);
  return module.staticExports.flatMap(({ entries }) =>
    entries.map(({ moduleRequest, importName, exportName }) => ({
      name: exportName.name ?? "*",
      file: moduleRequest === null ? face : declaringFile(targetOf(face, moduleRequest.value), importName.name ?? ""),
    })),
  );
}

/** Follows a name that a file only passes on. */
function declaringFile(file: string, name: string): string {
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  const passed = module.staticExports
    .flatMap(({ entries }) => entries)
    .find(({ exportName, moduleRequest }) => exportName.name === name && moduleRequest?.value.startsWith("."));
  return passed === undefined || passed.moduleRequest === null
    ? file
    : declaringFile(targetOf(file, passed.moduleRequest.value), passed.importName.name ?? name);
}

function hasDocstring(text: string, name: string): boolean {
  return new RegExp(
    `\\*/\\n(?:export )(?:declare )?(?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`,
  ).test(text);
}
