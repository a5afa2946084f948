// `outrigger deploy` and `outrigger undeploy`: the packaged service, by osls, from a folder with the settings. Needs no clone.
import { defined, OutriggerError, ownError, usageError } from "@outrigger/base";
import { parseGuardrails } from "@outrigger/guardrails";
import { previewDeploy, readSettledSource } from "@outrigger/publisher";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import {
  type AwsOptions,
  awsFlags,
  settingsOptions,
  stageOf,
  stageOptions,
  stageWords,
} from "../../options/aws-options.ts";
import { optionTable, takes } from "../../options/option.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import { readSettings } from "../../project/read-settings.ts";
import { runOsls } from "../../project/run-osls.ts";
import { askYes } from "../../terminal/ask-yes.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, warn } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { shippedTree } from "../../tree/read-trees.ts";

const NOTES = `
Makes or updates the stack outrigger-STAGE: API, functions, roles, alarms. Settings are read from outrigger.STAGE.yml in the
current directory. The first line printed is the account, Region and stage. What is deployed was built with this version of
Outrigger: the same version deploys the same code anywhere.

A new version changes the shipped templates. Before it begins, deploy says what pods of each channel would get that they do
not get now, by class of change (docs/releases.md#what-an-edit-may-do-by-itself), and asks where a class is held. Such a change
is deployed and not served: the channel keeps its release until a person accepts the new one. Without a terminal, say --yes.
--dry-run says it alone, and exits 1 if something would change.

The work is done by osls, the open-source Serverless Framework: the one in the node_modules of the project, or npx fetches it.
To deploy with CloudFormation, Terraform or the CDK instead: outrigger package.

Examples:
  outrigger deploy --stage prod --dry-run
  outrigger deploy --stage prod
  outrigger undeploy --stage dev`;

const DEPLOY_OPTIONS = optionTable({
  ...settingsOptions,
  ...resultOptions,
  dryRun: { ...sharedOptions.dryRun, about: "say what pods would get that they do not get now, and deploy nothing" },
  yes: { ...sharedOptions.yes, about: "deploy without asking" },
});

export function addDeployCommand(program: Command, io: Io): void {
  takes(program.command("deploy"), DEPLOY_OPTIONS)
    .description("deploy Outrigger to an AWS account")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const { param = [], dryRun: isPlan, json, region, profile } = options;
      if (json === true && isPlan !== true) throw usageError("Cannot use --json without --dry-run");
      const plan = () => planDeploy({ deployment: stageOf(options, io), ...defined({ region, profile }) }, param, io);
      if (isPlan !== true) {
        await confirmPlan(plan, options.yes === true, io);
        return runOsls(["deploy", ...stageWords(options, io)], io);
      }
      const made = await plan();
      const { flags: _, ...said } = made;
      printResult(io, json, said, describePlan(made));
      if (!isEmptyPlan(made)) throw new OutriggerError("findings", "A deploy would change what pods get, or may get");
    });
}

const UNDEPLOY_OPTIONS = optionTable({ ...stageOptions });

export function addUndeployCommand(program: Command, io: Io): void {
  takes(program.command("undeploy"), UNDEPLOY_OPTIONS)
    .description("remove a deployment; unregister its clusters first")
    .addHelpText(
      "after",
      "\nTemplates and values below source/ stay in Parameter Store; what is derived from them goes with the stack.",
    )
    .action((options) => runOsls(["remove", ...stageWords(options, io)], io));
}

// What `outrigger deploy` says before it begins: what the pods of each channel would get that they do not get now.
type DeployPlan = Awaited<ReturnType<typeof planDeploy>>;

/**
 * What a deploy would come to: no channels where nothing is served yet, and guardrails where it changes what injections may add to pods;
 * with the version of Outrigger that would be deployed, and the options that name the deployment, for a command that is proposed.
 *
 * @param params settings of the command line, `name=value`
 */
async function planDeploy(options: AwsOptions, params: readonly string[], io: Io) {
  const deployment = await openDeployment(options, io, { mayBeNew: true });
  const { store, target } = deployment;
  const { stage, layout } = target;
  const setting = await readSettings(io.cwd, stage, params);
  const [{ tree }, shipped] = [await readSettledSource(store, layout), await shippedTree(io)];
  // Undefined where nothing is deployed, or nobody may look.
  const now = await deployment.guardrails().catch((error: unknown) => void ownError(error));
  const then = setting("guardrails") ?? now ?? "";
  const guardrails = parseGuardrails(then);
  const isReplica = (setting("replicaOf") ?? "") !== "";
  const channels = await previewDeploy({ tree, shipped, guardrails, isReplica }, { store, layout });
  const isChanged = channels.length > 0 && now !== undefined && now !== then;
  const changed = isChanged ? { now, then } : undefined;
  return { stage, version: io.version, channels, flags: awsFlags(target), ...defined({ guardrails: changed }) };
}

/** Whether a deploy would change what pods get or may get, or be refused. */
function isEmptyPlan({ channels, guardrails }: DeployPlan): boolean {
  if (guardrails !== undefined) return false;
  return channels.every(({ effects, refused }) => effects.length === 0 && refused === undefined);
}

function describePlan(plan: DeployPlan): string {
  const { stage, version, channels, guardrails, flags } = plan;
  if (channels.length === 0) {
    return `Nothing is served by ${stage} yet: this is a first deploy, which changes nothing for pods\n`;
  }
  const head = `What pods would get from Outrigger ${version} on ${stage} that they do not get now:\n`;
  const lines = channels.flatMap(({ channel, effects, held, refused, warnings }) => [
    `  ${channel}: ${effects.length === 0 ? "nothing" : effects.map(({ name, example }) => `${name} (${example})`).join(", ")}`,
    ...[held, refused, ...warnings].flatMap((note) => (note === undefined ? [] : [`    ${note}`])),
  ]);
  const [changed] = channels.filter(({ effects }) => effects.length > 0);
  const look = changed === undefined ? "" : `Pods and fields: outrigger diff ${changed.channel} source${flags}\n`;
  const bounds =
    guardrails === undefined ? "" : `Guardrails: ${guardrails.now || "off"} now, ${guardrails.then || "off"} then\n`;
  return printable(`${head}${lines.join("\n")}\n${bounds}${look}`);
}

/**
 * Says what an ordinary deploy would change, and asks where a person has to look at it.
 *
 * @throws OutriggerError `edit-held` where there is nobody to ask, `usage` where the answer is no
 */
async function confirmPlan(plan: () => Promise<DeployPlan>, yes: boolean, io: Io): Promise<void> {
  const made = await plan().catch((error: unknown) =>
    warn(`What changes for pods is not known: ${ownError(error).message}`, io),
  );
  if (!made) return;
  io.stderr.write(describePlan(made));
  const open = made.channels.filter(({ held, refused }) => held !== undefined || refused !== undefined);
  if (open.length === 0 || yes) return;
  const names = open.map(({ channel }) => channel).join(", ");
  const unasked = new OutriggerError(
    "edit-held",
    `Cannot deploy without an answer: a person has to look at what changes for ${names}, as shown above, and there is no terminal; say --yes to deploy all the same: what is held waits, and is not served`,
  );
  const question = `Deploy to ${made.stage}? What is held waits, and is not served.`;
  await askYes(io, question, "Nothing was deployed", unasked);
}
