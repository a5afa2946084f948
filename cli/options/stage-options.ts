// The options of the commands that osls carries out, and the words that osls takes for them.
import { OutriggerError } from "@outrigger/base";
import { type Command, Option } from "commander";
import type { Io } from "../terminal/io.ts";
import { collect } from "./collect.ts";
import { parseRegionName, parseStageName } from "./names.ts";

export interface StageOptions {
  readonly stage?: string;
  readonly deployment?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly param?: readonly string[];
}

/** Gives a command the options that name a stage and where it is. */
export function withStage(command: Command): Command {
  return (
    command
      .option("--stage <stage>", "the stage (default: $OUTRIGGER_STAGE, or dev)", parseStageName)
      // What every other command calls it.
      .addOption(new Option("--deployment <stage>", "the same").argParser(parseStageName).hideHelp())
      .option("--region <region>", "the AWS Region (default: $AWS_REGION, or the profile's)", parseRegionName)
      .option("--profile <profile>", "the AWS profile (default: $AWS_PROFILE)")
  );
}

/** Gives a command that makes a template the option for its settings. */
export function withSettings(command: Command): Command {
  return withStage(command).option("--param <name=value>", "a setting for this deploy only; repeatable", collect);
}

/** The stage that is named.
 *
 * @throws OutriggerError `usage` where two are
 */
export function stageOf({ stage, deployment }: StageOptions, { env }: Io): string {
  if (stage !== undefined && deployment !== undefined && stage !== deployment) {
    throw new OutriggerError("usage", "Cannot use both --stage and --deployment: they are the same");
  }
  return stage ?? deployment ?? (env["OUTRIGGER_STAGE"] || "dev");
}

/** The options as osls takes them. */
export function stageWords(options: StageOptions, io: Io): readonly string[] {
  const { region, profile, param = [] } = options;
  return [
    "--stage",
    stageOf(options, io),
    ...(region === undefined ? [] : ["--region", region]),
    ...(profile === undefined ? [] : ["--aws-profile", profile]),
    ...param.flatMap((text) => ["--param", text]),
  ];
}
