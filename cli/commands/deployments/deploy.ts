// `outrigger deploy` and `outrigger undeploy`: the packaged service, by osls, from a folder with the settings. Needs no clone.
import { defined, OutriggerError, usageError } from "@outrigger/base";
import type { Command } from "commander";
import { type StageOptions, stageOf, stageWords, withSettings, withStage } from "../../options/aws-options.ts";
import { runOsls } from "../../project/run-osls.ts";
import { confirmPlan, describePlan, isEmptyPlan, planDeploy } from "../../releases/plan-deploy.ts";
import type { Io } from "../../terminal/io.ts";
import { withResult } from "../../terminal/output-format.ts";
import { printResult } from "../../terminal/print.ts";

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

export function addDeployCommand(program: Command, io: Io): void {
  withResult(withSettings(program.command("deploy")))
    .description("deploy Outrigger to an AWS account")
    .option("--dry-run", "say what pods would get that they do not get now, and deploy nothing")
    .option("-y, --yes", "deploy without asking")
    .addHelpText("after", NOTES)
    .action(async (options: StageOptions) => {
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

export function addUndeployCommand(program: Command, io: Io): void {
  withStage(program.command("undeploy"))
    .description("remove a deployment; unregister its clusters first")
    .addHelpText(
      "after",
      "\nTemplates and values below source/ stay in Parameter Store; what is derived from them goes with the stack.",
    )
    .action((options: StageOptions) => runOsls(["remove", ...stageWords(options, io)], io));
}
