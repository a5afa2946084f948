// Tables of texts that tests and tools go through: YAML files, next to what reads them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";

/** @param file below the project */
export function readTable<T>(file: string): T {
  return load(readFileSync(join(import.meta.dirname, "../..", file), "utf8")) as T;
}
