// `npm run lock`: fills in digests that package-lock.json lacks. npm writes none for packages of other platforms where the
// registry in use does not have them. Needs a registry that does; what it does not find it names.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, objectOf } from "@outrigger/base";
import { projectRoot } from "../build/bundled-release.ts";

const file = join(projectRoot, "package-lock.json");
const lock: unknown = JSON.parse(readFileSync(file, "utf8"));
const packages = objectOf(objectOf(lock)["packages"]);
const entries = Object.entries(packages).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
const completed = entries.map(
  ([path, one]) => [path, isOwn(path, one) || one["integrity"] ? one : complete(path, one)] as const,
);
writeFileSync(
  file,
  `${JSON.stringify({ ...(lock as object), packages: Object.fromEntries(completed) }, undefined, 2)}\n`,
);

/** The packages of this project are folders and links to them. */
function isOwn(path: string, one: JsonObject): boolean {
  return !path.includes("node_modules/") || one["link"] === true;
}

/** With the digest after the version, where npm writes it. */
function complete(path: string, one: JsonObject): JsonObject {
  const name = `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${String(one["version"])}`;
  const integrity = digestOf(name);
  if (integrity === undefined) {
    console.error(`Cannot find ${name}: this registry does not have it. Run this again with another`);
    process.exitCode = 1;
    return one;
  }
  const { version, ...rest } = one;
  return { version: version ?? "", integrity, ...rest };
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
