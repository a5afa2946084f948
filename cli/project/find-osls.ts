// Which osls a deploy runs: the one of the user's project, or the version that this package is tested with, by npx.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject, OutriggerError } from "@outrigger/base";
import type { Io } from "../terminal/io.ts";

export interface Osls {
  readonly command: string;
  readonly words: readonly string[];
}

/** The framework that deploys, and the name under which a clone of this project has it. */
const NAMES = ["osls", "serverless"] as const;

/**
 * @param tested the version that the packaged service is tested with
 * @throws OutriggerError `usage` where the project has another major version
 */
export function findOsls(tested: string, io: Pick<Io, "cwd">): Osls {
  const found = foldersAbove(resolve(io.cwd))
    .flatMap((folder) => NAMES.map((name) => join(folder, "node_modules", name)))
    .find((folder) => packageOf(folder)?.name === "osls");
  if (found === undefined) return { command: "npx", words: ["--yes", `osls@${tested}`] };
  const version = packageOf(found)?.version ?? "";
  if (majorOf(version) !== majorOf(tested)) {
    throw new OutriggerError(
      "usage",
      `Cannot deploy with osls ${version}: this version of Outrigger is tested with ${tested}; npm install --save-dev osls@${tested}`,
    );
  }
  return { command: process.execPath, words: [join(found, "bin", "serverless.js")] };
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

function packageOf(folder: string): { readonly name: string; readonly version: string } | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  return isObject(value) ? { name: String(value["name"]), version: String(value["version"]) } : undefined;
}

function majorOf(version: string): string {
  return version.split(".", 1)[0] ?? "";
}
