// `npm run acceptance -- --help` prints the options. Runs Outrigger in an AWS account, from a deploy to its removal, and reports what only AWS
// can confirm. It says what it costs and how long it takes, and asks. Ctrl-C ends it: what it has made is removed.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { projectRoot } from "../scripts/build/bundled-release.ts";
import { acceptanceReport } from "./acceptance/report.ts";
import { type Ended, runSteps } from "./acceptance/run-steps.ts";
import { REMOVAL_MINUTES, STEPS } from "./acceptance/steps.ts";
import { toolOptions } from "./support/tool-options.ts";

const values = toolOptions({
  command: "npm run acceptance --",
  says: [
    "Deploys a stage of its own to an AWS account, tries there what only AWS can confirm, and removes all that it has made.",
    "It says first what it costs and how long it takes, and asks. Exits 1 where something was not seen.",
  ].join("\n"),
  options: {
    cluster: { type: "string", value: "CLUSTER", says: "the EKS cluster, in which it registers one namespace; needed" },
    profile: { type: "string", value: "PROFILE", says: "the profile of the AWS CLI" },
    region: { type: "string", value: "REGION", says: "the Region, if it is not the profile's" },
    deployer: {
      type: "string",
      value: "PROFILE",
      says: "deploy as a role that has only the policies of outrigger print policy deployer --stage STAGE",
    },
    stage: {
      type: "string",
      value: "STAGE",
      says: "acceptance- and 9 lower-case letters or digits; needed with --deployer",
    },
    yes: { type: "boolean", short: "y", says: "do not ask" },
  },
  example: "npm run acceptance -- --profile test --cluster staging",
});
const { profile, region, cluster, deployer } = values;
if (cluster === undefined) {
  console.error("Cannot begin without a cluster: npm run acceptance -- --profile PROFILE --cluster CLUSTER");
  process.exit(2);
}

// 20 characters: names that CloudFormation makes of it are cut.
const stage = values.stage ?? `acceptance-${randomBytes(5).toString("hex").slice(0, 9)}`;
if (!/^acceptance-[a-z0-9]{9}$/.test(stage)) {
  console.error(`Cannot use the stage ${stage}: it is acceptance- and 9 lower-case letters or digits`);
  process.exit(2);
}
const folder = join(projectRoot, ".runtime", stage);
const minutes = STEPS.reduce((sum, step) => sum + step.minutes, REMOVAL_MINUTES);
console.log(`Deploys the stage ${stage}, and registers a namespace of its own in the cluster ${cluster}.`);
console.log(
  `Takes about ${minutes} minutes, and costs less than $12: what AWS charges for a month of it (docs/cost.md).`,
);
console.log(
  "Needs outrigger's own checkout, the AWS CLI and kubectl. Everything is removed at the end, and after Ctrl-C.",
);
if (!values.yes && !(await isConfirmed())) process.exit(2);

mkdirSync(folder, { recursive: true });
let isStopped = false;
process.on("SIGINT", () => {
  isStopped = true;
  console.log("Stopping: what was made is removed first");
});
const about = `Stage ${stage}, cluster ${cluster}, ${new Date().toISOString()}.`;
const results = await runSteps(
  { stage, cluster, namespace: stage },
  {
    run,
    writeSettings: (settings) => {
      const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
      writeFileSync(join(folder, `outrigger.${stage}.yml`), lines.join(""));
    },
    has: () => deployer !== undefined,
    print: (line) => console.log(line),
    sleep: (milliseconds) => setTimeout(milliseconds),
    now: Date.now,
    isStopped: () => isStopped,
  },
);
const file = join(folder, "report.md");
writeFileSync(file, acceptanceReport(results, about));
console.log(`Report: ${file}`);
process.exitCode = results.every(({ outcome }) => outcome === "seen") ? 0 : 1;

async function isConfirmed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Begin? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** A process group of its own: Ctrl-C is for this script, which lets the command that runs end. */
function run([program = "", ...words]: readonly string[]): Promise<Ended> {
  const own =
    program === "outrigger" ? [process.execPath, "--import", "tsx", join(projectRoot, "cli/bin.ts")] : [program];
  const [command = "", ...before] = own;
  const isDeploy = program === "outrigger" && ["deploy", "undeploy"].includes(words[0] ?? "");
  const used = isDeploy ? (deployer ?? profile) : profile;
  const env = {
    ...process.env,
    KUBECONFIG: join(folder, "kubeconfig"),
    AWS_PAGER: "",
    ...(used === undefined ? {} : { AWS_PROFILE: used }),
    ...(region === undefined ? {} : { AWS_REGION: region }),
  };
  return new Promise((resolve) => {
    const child = spawn(command, [...before, ...words], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (out += String(text)));
    child.once("error", (error) => resolve({ code: 127, out: error.message }));
    child.once("close", (code) => resolve({ code: code ?? 1, out }));
  });
}
