// `outrigger deploy` and `outrigger undeploy`: the packaged service, by osls, from a folder with the settings. Needs no clone.
import type { Command } from "commander";
import { type StageOptions, stageWords, withSettings, withStage } from "../../options/stage-options.ts";
import { runOsls } from "../../project/run-osls.ts";
import type { Io } from "../../terminal/io.ts";

const NOTES = `
Makes or updates the stack outrigger-STAGE: API, functions, roles, alarms. Settings are read from outrigger.STAGE.yml in the
current directory. The first line printed is the account, Region and stage. What is deployed was built with this version of
Outrigger: the same version deploys the same code anywhere.

The work is done by osls, the open-source Serverless Framework: the one in the node_modules of the project, or npx fetches it.
To deploy with CloudFormation, Terraform or the CDK instead: outrigger package.

Examples:
  outrigger deploy --stage prod
  outrigger undeploy --stage dev`;

export function addDeployCommand(program: Command, io: Io): void {
  withSettings(program.command("deploy"))
    .description("deploy Outrigger to an AWS account")
    .addHelpText("after", NOTES)
    .action((options: StageOptions) => runOsls(["deploy", ...stageWords(options, io)], io));
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
