// `outrigger policy`: prints the IAM policy that a person needs for one deployment. Makes no calls.
import { partitionOf, policyFor, policyKinds, regionOf } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { Argument, type Command, InvalidArgumentError } from "commander";
import { readIfThere } from "../../connect/read-if-there.ts";
import { withStageOption } from "../../options/aws-options.ts";
import { parseRegionName, parseRoleArn } from "../../options/names.ts";
import type { Io } from "../../terminal/io.ts";

type PolicyKind = (typeof policyKinds)[number];

interface PolicyCommandOptions {
  readonly deployment?: string;
  readonly account: string;
  readonly region?: string;
  readonly roleArn?: string;
  readonly forRole?: true;
  readonly bucket?: string;
}

const NOTES = `
deployer   outrigger deploy and undeploy
editor     pull, push and edits in Parameter Store
publisher  publish, promote, rollback, pin
registrar  register, token, status and unregister; with --role-arn for clusters in another account
oncall     what docs/operations.md asks for: logs, alarms, dead letters, and what a publisher may

The stack has editor, publisher and registrar as managed policies too.

Examples:
  outrigger policy deployer --account 123456789012 --region eu-west-1
  outrigger policy registrar --account 123456789012 --region eu-west-1 --role-arn arn:aws:iam::210987654321:role/eks
  outrigger policy registrar --account 123456789012 --role-arn arn:aws:iam::210987654321:role/eks --for-role`;

export function addPolicyCommand(program: Command, io: Io): void {
  withStageOption(program.command("policy"))
    .description("print the IAM policy of a person, for one deployment")
    .addArgument(new Argument("<kind>", "what the person does").choices(policyKinds))
    .requiredOption("--account <id>", "the deployment's account", parseAccount)
    .option("--region <region>", "the deployment's Region", parseRegionName)
    .option("--role-arn <arn>", "the role that a registrar assumes for clusters in another account", parseRoleArn)
    .option("--for-role", "print the policy of that role, instead of the registrar's")
    .option("--bucket <name>", "the release bucket, where the deployment has one (output ReleaseBucket)", parseBucket)
    .addHelpText("after", NOTES)
    .action((kind: PolicyKind, options: PolicyCommandOptions) => runPolicy(kind, options, io));
}

function runPolicy(kind: PolicyKind, options: PolicyCommandOptions, io: Io): void {
  const { account, roleArn, forRole, bucket } = options;
  if (roleArn !== undefined && kind !== "registrar") {
    throw new OutriggerError("usage", `Cannot use --role-arn with ${kind}: only a registrar assumes a role`);
  }
  const region = regionOf({ option: options.region, env: io.env, readText: readIfThere });
  if (region === undefined) {
    throw new OutriggerError(
      "usage",
      "Cannot write a policy without a Region: give it with --region, or set AWS_REGION",
    );
  }
  const partition = partitionOf(region).id;
  const stage = options.deployment ?? (io.env["OUTRIGGER_STAGE"] || "dev");
  if (forRole === true && roleArn === undefined) {
    throw new OutriggerError("usage", "Cannot use --for-role alone: give the role with --role-arn");
  }
  const policy = policyFor(kind, { partition, region, account, stage }, defined({ roleArn, forRole, bucket }));
  io.stdout.write(`${JSON.stringify(policy, undefined, 2)}\n`);
}

function parseBucket(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text)) return text;
  throw new InvalidArgumentError("A bucket has 3 to 63 lower-case letters, digits and dashes.");
}

function parseAccount(text: string): string {
  if (/^\d{12}$/.test(text)) return text;
  throw new InvalidArgumentError("An account is a number of 12 digits.");
}
