// How the words of a `serverless` command become settings: the stage, --param and the Region.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { regionOf } from "@outrigger/aws";
import { objectOf, textOf } from "@outrigger/base";
import { readSettings, type Settings } from "./read.ts";

/** The settings that a command is about. The stage's file is in the folder that the command runs in. */
export function settingsFromCommand(options: unknown): Settings {
  const { stage, param } = objectOf(options);
  return readSettings({ stage: textOf(stage) || "dev", params: [param ?? []].flat().map(String), readText });
}

/** The Region that a command is about, or null where none is given: the framework's word for nothing. */
export function regionFromCommand(options: unknown): string | null {
  const { region, "aws-profile": profile } = objectOf(options);
  return regionOf({ option: textOf(region), profile: textOf(profile), env: process.env, readText }) ?? null;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
