// `npm run lock`: fills in digests that package-lock.json lacks. npm writes none for packages of other platforms where the
// registry in use does not have them. Needs a registry that does; what it does not find it names.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@outrigger/base";
import { readRecord } from "../../tools/support/read-record.ts";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { projectRoot } from "../build/bundled-release.ts";

toolOptions({
  command: "npm run lock --",
  says: "Fills in the digests that package-lock.json lacks. Exits 1 where the registry does not have a package.",
  example: "npm run lock",
});
const file = join(projectRoot, "package-lock.json");
const lock = readRecord<{ readonly packages: Readonly<Record<string, JsonObject>> }>(
  readFileSync(file, "utf8"),
  "package-lock.json",
  { packages: "object" },
);
const completed = Object.entries(lock.packages).map(([path, one]) => [path, complete(path, one)] as const);
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(completed) }, undefined, 2)}\n`);

/** Returns the entry with its digest after the version, where npm writes it. This project's own packages are folders and links to them, and have none. */
function complete(path: string, one: JsonObject): JsonObject {
  const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
  if (name === undefined || one["link"] === true || one["integrity"]) return one;
  const { version = "", ...rest } = one;
  const integrity = digestOf(`${name}@${version}`);
  if (integrity !== undefined) return { version, integrity, ...rest };
  console.error(`Cannot find ${name}@${version}: this registry does not have it. Run this again with another`);
  process.exitCode = 1;
  return one;
}

function digestOf(name: string): string | undefined {
  try {
    const words = ["view", name, "dist.integrity"];
    const text = execFileSync("npm", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return text.startsWith("sha512-") ? text : undefined;
  } catch {
    return undefined;
  }
}
