// The options by which every command names a deployment in AWS, and the deployment that they name. Makes no calls.
import { layoutOf } from "@outrigger/aws";
import { defined, usageError } from "@outrigger/base";
import { InvalidArgumentError } from "commander";
import type { AwsTarget } from "../connect/aws-connection.ts";
import type { Io } from "../terminal/io.ts";
import { parseRegionName, parseStageName, stagePattern } from "./names.ts";
import { type OptionsOf, optionTable } from "./option.ts";

export type AwsOptions = OptionsOf<typeof deploymentOptions>;

const PREFIX = /^(\/[A-Za-z0-9_.-]{1,100}){1,8}$/;

export const DEPLOYMENT_OPTIONS = "Deployment:";

/** The options by which a command names a deployment. */
export const deploymentOptions = optionTable({
  deployment: {
    argument: "<stage>",
    about: "the deployment's stage, also as --stage (default: $OUTRIGGER_STAGE, or dev if no other exists)",
    group: DEPLOYMENT_OPTIONS,
  },
  prefix: {
    argument: "<path>",
    about: "where its parameters are (default: /outrigger/<stage>)",
    group: DEPLOYMENT_OPTIONS,
  },
  publisher: {
    argument: "<function>",
    about: "its publish function (default: outrigger-<stage>-publish)",
    group: DEPLOYMENT_OPTIONS,
  },
  region: {
    argument: "<region>",
    about: "the AWS Region (default: $AWS_REGION, or the profile's)",
    parse: parseRegionName,
    group: DEPLOYMENT_OPTIONS,
  },
  profile: {
    argument: "<profile>",
    about: "the AWS profile (default: $AWS_PROFILE)",
    group: DEPLOYMENT_OPTIONS,
  },
});

/** `--stage` is `--deployment`: a deploy has stages. */
export function withoutAliases(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return words.map((word, at) => (end >= 0 && at > end ? word : word.replace(/^--stage(?==|$)/, "--deployment")));
}

/** The options of a command that osls carries out. */
export const stageOptions = optionTable({
  deployment: { ...deploymentOptions.deployment, parse: parseOneStage },
  region: deploymentOptions.region,
  profile: deploymentOptions.profile,
});

/** The options of a command that osls carries out with the settings of a stage. */
export const settingsOptions = optionTable({
  ...stageOptions,
  param: { argument: "<name=value>", about: "a setting for this deploy only; repeatable", isRepeatable: true },
});

export type StageOptions = OptionsOf<typeof stageOptions> & Pick<OptionsOf<typeof settingsOptions>, "param">;

function parseOneStage(text: string, before?: string): string {
  if (before === undefined || before === text) return parseStageName(text);
  throw new InvalidArgumentError("It is named twice: --stage and --deployment are the same.");
}

export function stageOf({ deployment }: Pick<AwsOptions, "deployment">, { env }: Pick<Io, "env">): string {
  return deployment ?? (env["OUTRIGGER_STAGE"] || "dev");
}

/** The words by which osls takes the options. */
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
 * The deployment that the options name.
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
