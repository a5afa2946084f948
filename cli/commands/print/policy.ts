// `outrigger print policy`: prints the IAM policy that a person needs for one deployment, and the guardrails that bound it. Makes no calls.
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { partitionOf, policyFor, policyKinds, regionOf, splitPolicy } from "@outrigger/aws";
import { defined, type JsonObject, usageError } from "@outrigger/base";
import type { Command } from "commander";
import { readIfThere } from "../../connect/read-if-there.ts";
import { deploymentOptions, stageOf } from "../../options/aws-options.ts";
import { matching, parseBucketName, parseRegionName, parseRoleArn } from "../../options/names.ts";
import { choiceOf, optionTable, takes } from "../../options/option.ts";
import { makeFolder } from "../../project/make-folder.ts";
import { readSettings } from "../../project/read-settings.ts";
import type { Io } from "../../terminal/io.ts";
import { printable } from "../../terminal/printable.ts";

type PolicyKind = (typeof policyKinds)[number];

/** The policies of the role that a person uses, in place of the person. */
const ROLES: Readonly<Record<string, PolicyKind>> = { "deployer-role": "deployer", "registrar-role": "registrar" };

const NOTES = `
deployer   outrigger deploy and undeploy; with --role-arn through CloudFormation's service role,
           deployer-role prints what this role needs; without a role a deployer needs both
editor     pull, push and edits in Parameter Store
publisher  publish, promote, rollback, pin
registrar  register, token, status and unregister; with --role-arn for clusters in another account
oncall     what docs/operations.md asks for: logs, alarms, dead letters, and what a publisher may

Where outrigger.STAGE.yml is in the current directory, its guardrails are printed too, on standard error: they bound what templates
may add to pods, which IAM does not (docs/guardrails.md).

The stack has editor, publisher and registrar as managed policies too.

Examples:
  outrigger print policy deployer --account 123456789012 --region eu-west-1 --role-arn arn:aws:iam::123456789012:role/cfn
  outrigger print policy deployer-role policies --account 123456789012 --region eu-west-1
  outrigger print policy registrar --account 123456789012 --region eu-west-1 --role-arn arn:aws:iam::210987654321:role/eks
  outrigger print policy registrar-role --account 123456789012 --role-arn arn:aws:iam::210987654321:role/eks`;

const BOUNDED: readonly PolicyKind[] = ["editor", "publisher", "registrar"];

const parseAccount = matching(/^\d{12}$/, "An account is a number of 12 digits.");

const parseBoundary = matching(
  /^arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/,
  "A permissions boundary is the ARN of an IAM policy.",
);

const POLICY_OPTIONS = optionTable({
  deployment: deploymentOptions.deployment,
  account: { argument: "<id>", about: "the deployment's account", parse: parseAccount, isRequired: true },
  region: { argument: "<region>", about: "the deployment's Region", parse: parseRegionName },
  roleArn: {
    argument: "<arn>",
    about: "the role a registrar assumes in another account, or a deployer passes",
    parse: parseRoleArn,
  },
  permissionsBoundary: {
    argument: "<arn>",
    about: "deployer-role: the setting permissionsBoundary",
    parse: parseBoundary,
  },
  bucket: {
    argument: "<name>",
    about:
      "the bucket that the setting releaseBucket names (default: the stack's own); deployer, deployer-role: that of outrigger package",
    parse: parseBucketName,
  },
});

export function addPrintPolicyCommand(print: Command, io: Io): void {
  takes(print.command("policy"), POLICY_OPTIONS)
    .description("print the IAM policy of a person, for one deployment")
    .addArgument(choiceOf("<kind>", "what a person or role does", [...policyKinds, ...Object.keys(ROLES)]))
    .argument(
      "[part]",
      "of a policy longer than IAM takes in one: the part to print (default: 1), or a directory for a file of each",
    )
    .addHelpText("after", NOTES)
    .action(async (name, part = "1", options) => {
      const { account, roleArn, bucket, permissionsBoundary } = options;
      const kind = ROLES[name] ?? (name as PolicyKind);
      const forRole = kind === name ? undefined : true;
      if (roleArn !== undefined && kind !== "registrar" && kind !== "deployer")
        throw usageError(`Cannot use --role-arn with ${kind}: only a registrar and a deployer have a role`);
      if (name === "registrar-role" && roleArn === undefined)
        throw usageError("Cannot print registrar-role without the role: give it with --role-arn");
      if (permissionsBoundary !== undefined && name !== "deployer-role")
        throw usageError("Cannot use --permissions-boundary here: it is for deployer-role");
      const region = regionOf({ option: options.region, env: io.env, readText: readIfThere });
      if (region === undefined) {
        throw usageError("Cannot write a policy without a Region: give it with --region, or set AWS_REGION");
      }
      const partition = partitionOf(region).id;
      const stage = stageOf(options, io);
      const asked = defined({ roleArn, forRole, bucket, permissionsBoundary });
      const parts = splitPolicy(policyFor(kind, { partition, region, account, stage }, asked));
      if (!/^\d+$/.test(part)) return writeParts(parts, resolve(io.cwd, part), name, io);
      const policy = parts[Number(part) - 1];
      if (policy === undefined) throw usageError(`Cannot print part ${part}: the policy has ${parts.length}`);
      io.stdout.write(`${JSON.stringify(policy, undefined, 2)}\n`);
      if (parts.length > 1)
        io.stderr.write(
          `Part ${part} of ${parts.length}: a role needs all of them (${name} PART; ${name} DIRECTORY writes a file for each)\n`,
        );
      if (BOUNDED.includes(kind)) await sayGuardrails(stage, io);
    });
}

async function writeParts(parts: readonly JsonObject[], directory: string, name: string, io: Io): Promise<void> {
  await makeFolder(directory);
  for (const [index, policy] of parts.entries()) {
    const file = join(directory, `${name}-${index + 1}.json`);
    await writeFile(file, `${JSON.stringify(policy, undefined, 2)}\n`);
    io.stdout.write(printable(`Wrote ${file}\n`));
  }
}

/** IAM does not say what an editor's templates may add to pods. */
async function sayGuardrails(stage: string, io: Io): Promise<void> {
  const guardrails = (await readSettings(io.cwd, stage, []))("guardrails");
  if (guardrails === undefined) return;
  const bounds = guardrails === "" || guardrails === "off" ? "anything" : `what the guardrails admit: ${guardrails}`;
  io.stderr.write(printable(`By outrigger.${stage}.yml, templates may add to pods ${bounds}\n`));
}
