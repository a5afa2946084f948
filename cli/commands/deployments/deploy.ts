// `outrigger deploy` and `outrigger undeploy`: the packaged service, by osls, from a folder with the settings. Needs no clone.
import { defined, OutriggerError, usageError } from "@outrigger/base";
import type { Command } from "commander";
import { settingsOptions, stageOf, stageOptions, stageWords } from "../../options/aws-options.ts";
import { optionTable, takes } from "../../options/option.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import { runOsls } from "../../project/run-osls.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { confirmPlan, describePlan, isEmptyPlan, planDeploy } from "./deploy-plan.ts";

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

const UNDEPLOY_NOTES = `
Templates and values below source/ stay in Parameter Store; what is derived from them goes with the stack.

Example:
  outrigger undeploy --stage dev`;

export function addUndeployCommand(program: Command, io: Io): void {
  takes(program.command("undeploy"), UNDEPLOY_OPTIONS)
    .description("remove a deployment; unregister its clusters first")
    .addHelpText("after", UNDEPLOY_NOTES)
    .action((options) => runOsls(["remove", ...stageWords(options, io)], io));
}
