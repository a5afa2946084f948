// `outrigger package`: what `outrigger deploy` deploys, as a template for CloudFormation itself, StackSets, Terraform or the CDK.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { partitionOf } from "@outrigger/aws";
import { defined, type JsonObject, objectOf, textOf, usageError } from "@outrigger/base";
import type { Command } from "commander";
import { inputFault } from "../../manifests/input-fault.ts";
import { settingsOptions, stageOf, stageWords } from "../../options/aws-options.ts";
import { parseBucketName } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { makeFolder } from "../../project/make-folder.ts";
import { runOsls } from "../../project/run-osls.ts";
import { KEYS, type SelfContained, selfContained } from "../../project/self-contained.ts";
import type { Io } from "../../terminal/io.ts";
import { shellWords } from "../../terminal/shell-words.ts";

const NOTES = `
Writes a template that needs nothing else but the code in a bucket of the stack's Region:

  template.json         the template; the bucket is its parameter ArtifactBucket
  configuration.json    parameters and tags of the stack, as CodePipeline takes them
  outrigger/            the code, and the template again, under keys that name their content

With --bucket, uploads outrigger/ to the bucket, and refuses a change of settings that would interrupt calls, as
"outrigger deploy" does. Without it, no call is made and no credentials are needed.

Examples:
  outrigger package --stage prod --bucket my-artifacts
  outrigger package --stage prod --region eu-west-1 --output out`;

const PACKAGE_OPTIONS = optionTable({
  ...settingsOptions,
  bucket: {
    argument: "<name>",
    about: "upload the code to this bucket, which is in the stack's Region",
    parse: parseBucketName,
  },
  output: { argument: "<dir>", about: "the directory to write", default: "outrigger-package" },
});

type PackageOptions = OptionsOf<typeof PACKAGE_OPTIONS>;

export function addPackageCommand(program: Command, io: Io): void {
  takes(program.command("package"), PACKAGE_OPTIONS)
    .description("write what would be deployed, for CloudFormation, Terraform or the CDK")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const { bucket, output, profile } = options;
      const env = bucket === undefined ? io.env : { ...io.env, OUTRIGGER_COMPARE: "on" };
      const packaged = await packageWithOsls(stageWords(options, io), { ...io, env });
      const { region, tags } = packaged;
      const made = selfContained(packaged.template, packaged.zips, bucket);
      const configuration = { Parameters: defined({ ArtifactBucket: bucket }), Tags: tags };
      await write(resolve(io.cwd, output), made, configuration);
      io.stdout.write(`Wrote ${output}: template.json, configuration.json, ${made.objects.size} files in ${KEYS}\n`);
      if (bucket !== undefined) {
        const { uploadObjects } = await import("../../connect/bucket-store.ts");
        await uploadObjects(bucket, made.objects, { region, ...defined({ profile }) }, io);
        io.stdout.write(`Uploaded ${KEYS} to s3://${bucket}/${KEYS}\n`);
      }
      io.stdout.write(nextSteps(packaged, made, options, `outrigger-${stageOf(options, io)}`));
    });
}

/**
 * Writes the package. What an earlier version left in the directory under other keys is removed: everything there has
 * to be uploaded.
 */
async function write(folder: string, made: SelfContained, configuration: JsonObject): Promise<void> {
  try {
    await makeFolder(join(folder, KEYS));
    const earlier = (await readdir(join(folder, KEYS))).filter((name) => OWN_FILE.test(name));
    for (const name of earlier) if (!made.objects.has(KEYS + name)) await rm(join(folder, KEYS, name));
    for (const [key, bytes] of made.objects) await writeFile(join(folder, key), bytes);
    await writeFile(join(folder, "template.json"), made.template);
    await writeFile(join(folder, "configuration.json"), `${JSON.stringify(configuration, undefined, 2)}\n`);
  } catch (cause) {
    const path = cause instanceof Error && "path" in cause ? String(cause.path) : folder;
    throw usageError(`Cannot write ${path}: ${inputFault(cause)}`, { path, cause });
  }
}

const OWN_FILE = /^[a-z]+-[0-9a-f]{64}\.(zip|json)$/;

function nextSteps(
  { region, tags, role }: PackagedByOsls,
  { templateKey }: SelfContained,
  { bucket = "BUCKET", output, profile }: PackageOptions,
  stack: string,
): string {
  const where = ["--region", region, ...(profile === undefined ? [] : ["--profile", profile])];
  const upload = ["aws", "s3", "cp", "--recursive", join(output, KEYS), `s3://${bucket}/${KEYS}`, ...where];
  const deploy = [
    ...["aws", "cloudformation", "deploy", "--stack-name", stack, "--template-file", join(output, "template.json")],
    ...["--s3-bucket", bucket, "--s3-prefix", KEYS.slice(0, -1), "--parameter-overrides", `ArtifactBucket=${bucket}`],
    ...["--capabilities", "CAPABILITY_NAMED_IAM"],
    ...(role === undefined ? [] : ["--role-arn", role]),
    ...["--tags", ...Object.entries(tags).map(([key, value]) => `${key}=${value}`)],
    ...where,
  ];
  const commands = bucket === "BUCKET" ? [upload, deploy] : [deploy];
  return [
    "\nDeploy it with the AWS CLI:\n\n",
    ...commands.map((words) => `  ${shellWords(words)}\n`),
    "\nStackSets, Terraform and the console take it from:\n\n",
    `  https://${bucket}.s3.${region}.${partitionOf(region).domain}/${templateKey}\n`,
  ].join("");
}

type PackagedByOsls = Awaited<ReturnType<typeof packageWithOsls>>;

/** Reads what osls packages into memory: the template, each function's zip, and what a deploy of them needs to know. */
async function packageWithOsls(words: readonly string[], io: Io) {
  const folder = await mkdtemp(join(tmpdir(), "outrigger-package-"));
  try {
    await runOsls(["package", "--package", folder, ...words], io);
    const bytes = (name: string) => readFile(join(folder, name));
    const json = async (name: string) => objectOf(JSON.parse((await bytes(name)).toString("utf8")));
    const names = (await readdir(folder)).filter((name) => name.endsWith(".zip")).toSorted();
    const zips = names.map(async (name) => [basename(name, ".zip"), new Uint8Array(await bytes(name))] as const);
    const { service } = await json("serverless-state.json");
    const { region, stackTags, iam } = objectOf(objectOf(service)["provider"]);
    const tags = Object.entries(objectOf(stackTags)).map(([key, value]) => [key, String(value)] as const);
    return {
      template: await json("cloudformation-template-update-stack.json"),
      zips: new Map(await Promise.all(zips)),
      region: textOf(region) ?? "",
      tags: Object.fromEntries(tags),
      role: textOf(objectOf(iam)["deploymentRole"]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
