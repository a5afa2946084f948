// The options by which every command names a deployment in AWS, and what they come to. Talks to nothing.

import { layoutOf } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { type Command, Option } from "commander";
import type { AwsTarget } from "../connect/aws-connection.ts";
import type { Io } from "../terminal/io.ts";
import { parseRegionName } from "./names.ts";

/** As given on the command line. */
export interface AwsOptions {
  readonly deployment?: string;
  readonly prefix?: string;
  readonly publisher?: string;
  readonly region?: string;
  readonly profile?: string;
}

const PREFIX = /^(\/[A-Za-z0-9_.-]{1,100}){1,8}$/;
const STAGE = /^[a-zA-Z][a-zA-Z0-9-]{0,31}$/;

/** Heading of these options in the help. */
export const DEPLOYMENT_OPTIONS = "Deployment:";

const STAGE_OPTION = "the deployment's stage, also as --stage (default: $OUTRIGGER_STAGE, or dev)";

const OPTIONS: readonly (readonly [flags: string, description: string, parse?: (text: string) => string])[] = [
  ["--prefix <path>", "where its parameters are (default: /outrigger/<stage>)"],
  ["--publisher <function>", "its publish function (default: outrigger-<stage>-publish)"],
  ["--region <region>", "the AWS Region (default: $AWS_REGION, or the profile's)", parseRegionName],
  ["--profile <profile>", "the AWS profile (default: $AWS_PROFILE)"],
];

/** Gives a command the options of a deployment. */
export function withAwsOptions(command: Command): Command {
  return OPTIONS.reduce(
    (made, [flags, description, parse]) => {
      const option = new Option(flags, description).helpGroup(DEPLOYMENT_OPTIONS);
      return made.addOption(parse === undefined ? option : option.argParser(parse));
    },
    withStageOption(command, DEPLOYMENT_OPTIONS),
  );
}

/** Gives a command the option that names a deployment, under both its names: `deploy` says `--stage`. */
export function withStageOption(command: Command, group?: string): Command {
  const option = new Option("--deployment <stage>", STAGE_OPTION);
  return command
    .addOption(group === undefined ? option : option.helpGroup(group))
    .addOption(new Option("--stage <stage>", STAGE_OPTION).hideHelp())
    .on("option:stage", (stage: string) => command.setOptionValueWithSource("deployment", stage, "cli"));
}

/**
 * What the options come to.
 *
 * @throws OutriggerError `usage` for a stage or prefix that cannot be one
 */
export function awsTarget(options: AwsOptions, env: Io["env"]): AwsTarget {
  const stage = options.deployment ?? (env["OUTRIGGER_STAGE"] || "dev");
  if (!STAGE.test(stage)) {
    throw usage(`Cannot use ${JSON.stringify(stage)} as a deployment: a stage has letters, digits and dashes`);
  }
  const prefix = (options.prefix ?? `/outrigger/${stage}`).replace(/\/$/, "");
  if (!PREFIX.test(prefix)) {
    throw usage(`Cannot use ${JSON.stringify(prefix)} as a prefix: it begins with a slash, as /outrigger/dev does`);
  }
  return {
    stage,
    layout: layoutOf(prefix),
    publisher: options.publisher ?? `outrigger-${stage}-publish`,
    ...defined({ region: options.region, profile: options.profile, defaultRegion: defaultRegionIn(env) }),
  };
}

/** AWS_DEFAULT_REGION, unless AWS_REGION overrides it. */
function defaultRegionIn(env: Io["env"]): string | undefined {
  return env["AWS_REGION"] ? undefined : env["AWS_DEFAULT_REGION"] || undefined;
}

/** The settings of an SDK client. */
export function awsClientConfig({
  region,
  defaultRegion,
  profile,
}: Pick<AwsTarget, "region" | "defaultRegion" | "profile">): { readonly region?: string; readonly profile?: string } {
  return defined({ region: region ?? defaultRegion, profile });
}

/** The options again, as they are written in a command that a message proposes. */
export function awsFlags({ stage, layout, region, profile }: AwsTarget): string {
  const flags = [
    stage === "dev" ? "" : ` --deployment ${stage}`,
    layout.prefix === `/outrigger/${stage}` ? "" : ` --prefix ${layout.prefix}`,
    region === undefined ? "" : ` --region ${region}`,
    profile === undefined ? "" : ` --profile ${profile}`,
  ];
  return flags.join("");
}

function usage(message: string): OutriggerError {
  return new OutriggerError("usage", message);
}
