// What serverless.yml reads: the settings of the stage and the Region, each as a function of the framework's variables; and how the words
// of a `serverless` command become settings.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { regionOf } from "@outrigger/aws";
import { objectOf, textOf } from "@outrigger/base";
import { frameworkParameters, primaryStageOf, readSettings, type Settings, tagsOf } from "./read.ts";

export const params = (variables: unknown) => frameworkParameters(settingsOf(variables));
export const tags = (variables: unknown) => tagsOf(settingsOf(variables));
export const primaryStage = (variables: unknown) => primaryStageOf(settingsOf(variables));
/** Whether the bus that changes are sent to is one of the account, named without an ARN: `own`, or `other`. */
export const eventBusOwner = (variables: unknown) =>
  settingsOf(variables).values.eventBus.startsWith("arn:") ? "other" : "own";

/** The Region that a command is about, or null where none is given: the framework's word for nothing. */
export function region(variables: unknown): string | null {
  const { region, "aws-profile": profile } = objectOf(objectOf(variables)["options"]);
  return regionOf({ option: textOf(region), profile: textOf(profile), env: process.env, readText }) ?? null;
}

function settingsOf(variables: unknown): Settings {
  return settingsFromCommand(objectOf(variables)["options"]);
}

/** The settings that a command is about. The stage's file is in the folder that the command runs in. */
export function settingsFromCommand(options: unknown): Settings {
  const { stage, param } = objectOf(options);
  return readSettings({ stage: textOf(stage) || "dev", params: [param ?? []].flat().map(String), readText });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
