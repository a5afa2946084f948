// `outrigger deploy` and `outrigger undeploy`: the packaged service, by osls, from a folder with the settings. Needs no clone.
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { defined, OutriggerError } from "@outrigger/base";
import { type Command, Option } from "commander";
import { fileFault } from "../../manifests/read-input.ts";
import { collect } from "../../options/cluster-options.ts";
import { parseRegionName, parseStageName } from "../../options/names.ts";
import { findOsls } from "../../project/find-osls.ts";
import { runProgram } from "../../project/run-program.ts";
import { confirmPlan, describePlan, isEmptyPlan, planDeploy } from "../../releases/plan-deploy.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

interface UndeployOptions {
  readonly stage?: string;
  readonly deployment?: string;
  readonly region?: string;
  readonly profile?: string;
}

interface DeployOptions extends UndeployOptions {
  readonly param?: readonly string[];
  readonly package?: string;
  readonly plan?: true;
  readonly yes?: true;
  readonly json?: true;
}

const NOTES = `
Makes or updates the stack outrigger-STAGE: API, functions, roles, alarms. Settings are read from outrigger.STAGE.yml in the
current directory. The first line printed is the account, Region and stage. What is deployed was built with this version of
Outrigger: the same version deploys the same code anywhere.

A new version changes the shipped templates. Before it begins, deploy says what pods of each channel would get that they do
not get now, by class of change (docs/publishing.md#what-an-edit-may-do-by-itself), and asks where a class is held. Such a change
is deployed and not served: the channel keeps its release until a person accepts the new one. Without a terminal, say --yes.
--plan says it alone, and exits 1 if something would change.

The work is done by osls, the open-source Serverless Framework: the one in the node_modules of the project, or npx fetches it.

Examples:
  outrigger deploy --stage prod --plan
  outrigger deploy --stage prod
  outrigger deploy --stage prod --package out      # only write the CloudFormation template and the functions
  outrigger undeploy --stage dev`;

export function addDeployCommand(program: Command, io: Io): void {
  withStage(program.command("deploy"))
    .description("deploy Outrigger to an AWS account")
    .option("--param <name=value>", "a setting for this deploy only; repeatable", collect)
    .option("--package <dir>", "write what would be deployed into a directory, and deploy nothing")
    .option("--plan", "say what pods would get that they do not get now, and deploy nothing")
    .option("-y, --yes", "deploy without asking")
    .option("--json", "with --plan: print it as JSON")
    .addHelpText("after", NOTES)
    .action((options: DeployOptions) => runDeploy(options, io));
}

export function addUndeployCommand(program: Command, io: Io): void {
  withStage(program.command("undeploy"))
    .description("remove a deployment; unregister its clusters first")
    .addHelpText(
      "after",
      "\nTemplates and values below source/ stay in Parameter Store; what is derived from them goes with the stack.",
    )
    .action((options: UndeployOptions) => runOsls(["remove", ...stageWords(options, io)], io));
}

function withStage(command: Command): Command {
  return (
    command
      .option("--stage <stage>", "the stage (default: $OUTRIGGER_STAGE, or dev)", parseStageName)
      // What every other command calls it.
      .addOption(new Option("--deployment <stage>", "the same").argParser(parseStageName).hideHelp())
      .option("--region <region>", "the AWS Region (default: $AWS_REGION, or the profile's)", parseRegionName)
      .option("--profile <profile>", "the AWS profile (default: $AWS_PROFILE)")
  );
}

async function runDeploy(options: DeployOptions, io: Io): Promise<void> {
  const { param = [], package: output, plan: isPlan, json } = options;
  if (output !== undefined && isPlan === true) {
    throw new OutriggerError("usage", "Cannot use both --package and --plan: each deploys nothing, in its own way");
  }
  if (json === true && isPlan !== true) throw new OutriggerError("usage", "Cannot use --json without --plan");
  const stage = stageOf(options, io);
  const words = [...stageWords(options, io), ...param.flatMap((text) => ["--param", text])];
  if (output !== undefined) return runOsls(["package", "--package", resolve(io.cwd, output), ...words], io);
  const plan = () =>
    planDeploy({ deployment: stage, ...defined({ region: options.region, profile: options.profile }) }, param, io);
  if (isPlan !== true) {
    await confirmPlan(plan, options.yes === true, io);
    return runOsls(["deploy", ...words], io);
  }
  const made = await plan();
  const { flags: _, ...said } = made;
  printResult(io, json, said, describePlan(made));
  if (!isEmptyPlan(made)) throw new OutriggerError("findings", "A deploy would change what pods get");
}

function stageOf({ stage, deployment }: UndeployOptions, { env }: Io): string {
  if (stage !== undefined && deployment !== undefined && stage !== deployment) {
    throw new OutriggerError("usage", "Cannot use both --stage and --deployment: they are the same");
  }
  return stage ?? deployment ?? (env["OUTRIGGER_STAGE"] || "dev");
}

function stageWords(options: UndeployOptions, io: Io): readonly string[] {
  const { region, profile } = options;
  return [
    "--stage",
    stageOf(options, io),
    ...(region === undefined ? [] : ["--region", region]),
    ...(profile === undefined ? [] : ["--aws-profile", profile]),
  ];
}

/** In a copy of the packaged service, with the settings of the current directory next to it: osls writes to where it runs. */
async function runOsls(words: readonly string[], io: Io): Promise<void> {
  await buildInClone(io);
  if (!existsSync(join(io.service, "serverless.yml"))) {
    throw new OutriggerError(
      "aws-unavailable",
      `Cannot ${words[0]}: this copy of Outrigger was not packaged for deploying; install the npm package, or deploy from a clone`,
    );
  }
  const tested = (await readFile(join(io.service, "osls-version"), "utf8")).trim();
  const osls = findOsls(tested, io);
  const folder = await mkdtemp(join(tmpdir(), "outrigger-deploy-"));
  try {
    await cp(io.service, folder, { recursive: true });
    for (const file of await settingsFiles(io.cwd)) await cp(join(io.cwd, file), join(folder, file));
    io.yieldTerminal?.();
    const run = io.run ?? runProgram;
    const code = await run(osls.command, [...osls.words, ...words], { cwd: folder, env: io.env }).catch((cause) => {
      throw notRun(osls.command, tested, cause);
    });
    if (code !== 0)
      throw new OutriggerError("aws-unavailable", `osls ${words[0]} ended with ${code}: see its output above`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In a clone, what is checked out is deployed, and not an earlier build of it. */
async function buildInClone(io: Io): Promise<void> {
  const root = join(io.service, "../..");
  if (!existsSync(join(root, "scripts/build.ts"))) return;
  const words = ["--import", "tsx", "scripts/build.ts", "deploy", "--quiet"];
  const code = await (io.run ?? runProgram)(process.execPath, words, { cwd: root, env: io.env });
  if (code !== 0)
    throw new OutriggerError("aws-unavailable", `Cannot build what is deployed in ${root}: see the output above`);
}

function notRun(command: string, tested: string, cause: unknown): OutriggerError {
  return new OutriggerError(
    "aws-unavailable",
    `Cannot run ${command}: ${fileFault(cause)}; install osls in this project: npm install --save-dev osls@${tested}`,
    { cause },
  );
}

async function settingsFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => /^outrigger\.[A-Za-z0-9-]+\.ya?ml$/.test(name));
}
