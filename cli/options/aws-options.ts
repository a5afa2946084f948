// The options by which every command names a deployment in AWS, and what they come to. Talks to nothing.
import { layoutOf } from "@outrigger/aws";
import { defined, usageError } from "@outrigger/base";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AwsTarget } from "../connect/aws-connection.ts";
import { MAX_MESSAGE } from "../releases/action-request.ts";
import type { Io } from "../terminal/io.ts";
import { collect } from "./collect.ts";
import { parseRegionName, parseStageName, stagePattern } from "./names.ts";

export interface AwsOptions {
  readonly deployment?: string;
  readonly prefix?: string;
  readonly publisher?: string;
  readonly region?: string;
  readonly profile?: string;
  // Of several commands each: an option has the same type in all of them.
  readonly json?: true;
  readonly message?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly force?: true;
  readonly unpin?: true;
  readonly advanced?: true;
  readonly dir?: string;
  readonly output?: string;
  readonly channel?: string;
  readonly revision?: string;
  readonly selector?: string;
}

const PREFIX = /^(\/[A-Za-z0-9_.-]{1,100}){1,8}$/;

export const DEPLOYMENT_OPTIONS = "Deployment:";

const OPTIONS: readonly (readonly [flags: string, description: string, parse?: (text: string) => string])[] = [
  [
    "--deployment <stage>",
    "the deployment's stage, also as --stage (default: $OUTRIGGER_STAGE, or dev if no other exists)",
  ],
  ["--prefix <path>", "where its parameters are (default: /outrigger/<stage>)"],
  ["--publisher <function>", "its publish function (default: outrigger-<stage>-publish)"],
  ["--region <region>", "the AWS Region (default: $AWS_REGION, or the profile's)", parseRegionName],
  ["--profile <profile>", "the AWS profile (default: $AWS_PROFILE)"],
];

export function withAwsOptions(command: Command, names: RegExp = /./): Command {
  return OPTIONS.filter(([flags]) => names.test(flags)).reduce((made, [flags, description, parse]) => {
    const option = new Option(flags, description).helpGroup(DEPLOYMENT_OPTIONS);
    return made.addOption(parse === undefined ? option : option.argParser(parse));
  }, command);
}

/** Gives a command the option that names a deployment, for one that does not talk to it. */
export function withStageOption(command: Command): Command {
  return withAwsOptions(command, /^--deployment/);
}

export function withMessage(command: Command, about = "why: kept in the channel's history"): Command {
  return command.option("-m, --message <text>", about, (text: string) => {
    if (text.length <= MAX_MESSAGE) return text;
    throw new InvalidArgumentError(`A message has at most ${MAX_MESSAGE} characters.`);
  });
}

/** `--stage` is `--deployment`: a deploy has stages. */
export function withoutAliases(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return words.map((word, at) => (end >= 0 && at > end ? word : word.replace(/^--stage(?==|$)/, "--deployment")));
}

/** Of the commands that osls carries out. */
export interface StageOptions extends Omit<AwsOptions, "prefix" | "publisher"> {
  readonly param?: readonly string[];
}

export function withStage(command: Command): Command {
  const made = withAwsOptions(command, /^--(?:deployment|region|profile)/);
  made.options.find(({ long }) => long === "--deployment")?.argParser(parseOneStage);
  return made;
}

function parseOneStage(text: string, before?: string): string {
  if (before === undefined || before === text) return parseStageName(text);
  throw new InvalidArgumentError("It is named twice: --stage and --deployment are the same.");
}

export function withSettings(command: Command): Command {
  return withStage(command).option("--param <name=value>", "a setting for this deploy only; repeatable", collect);
}

export function stageOf({ deployment }: Pick<AwsOptions, "deployment">, { env }: Pick<Io, "env">): string {
  return deployment ?? (env["OUTRIGGER_STAGE"] || "dev");
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

/**
 * What the options come to.
 *
 * @throws OutriggerError `usage` for a stage or prefix that cannot be one
 */
export function awsTarget(options: AwsOptions, env: Io["env"]): AwsTarget {
  const stage = stageOf(options, { env });
  if (!stagePattern.test(stage)) {
    throw usageError(`Cannot use ${JSON.stringify(stage)} as a deployment: a stage has letters, digits and dashes`);
  }
  const prefix = (options.prefix ?? `/outrigger/${stage}`).replace(/\/$/, "");
  if (!PREFIX.test(prefix)) {
    throw usageError(
      `Cannot use ${JSON.stringify(prefix)} as a prefix: it begins with a slash, as /outrigger/dev does`,
    );
  }
  const defaultRegion = env["AWS_REGION"] ? undefined : env["AWS_DEFAULT_REGION"] || undefined;
  return {
    stage,
    layout: layoutOf(prefix),
    publisher: options.publisher ?? `outrigger-${stage}-publish`,
    ...defined({ region: options.region, profile: options.profile, defaultRegion }),
  };
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
