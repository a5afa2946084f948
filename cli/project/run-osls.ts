// Runs osls on the packaged service: in a copy of it, with the settings of the current directory next to it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isObject, OutriggerError, usageError } from "@outrigger/base";
import { inputFault } from "../manifests/input-fault.ts";
import type { Io, RunProgram } from "../terminal/io.ts";

/**
 * Runs a command of osls. It writes to where it runs, so it runs in a folder that is removed afterwards.
 *
 * @throws OutriggerError `aws-unavailable` where it cannot run, or fails
 */
export async function runOsls(words: readonly string[], io: Io): Promise<void> {
  await buildInClone(io);
  if (!existsSync(join(io.service, "serverless.yml"))) {
    const message = `Cannot ${words[0]}: this copy of Outrigger was not packaged for deploying; install the npm package, or deploy from a clone`;
    throw new OutriggerError("aws-unavailable", message);
  }
  const tested = (await readFile(join(io.service, "osls-version"), "utf8")).trim();
  const osls = findOsls(tested, io);
  const folder = await mkdtemp(join(tmpdir(), "outrigger-deploy-"));
  try {
    await cp(io.service, folder, { recursive: true });
    const settings = (await readdir(io.cwd)).filter((name) => /^outrigger\.[A-Za-z0-9-]+\.ya?ml$/.test(name));
    for (const file of settings) await cp(join(io.cwd, file), join(folder, file));
    io.yieldTerminal?.();
    const run = io.run ?? runProgram;
    const code = await run(osls.command, [...osls.words, ...words], { cwd: folder, env: io.env }).catch((cause) => {
      const message = `Cannot run ${osls.command}: ${inputFault(cause)}; install osls in this project: npm install --save-dev osls@${tested}`;
      throw new OutriggerError("aws-unavailable", message, { cause });
    });
    if (code !== 0)
      throw new OutriggerError("aws-unavailable", `osls ${words[0]} ended with ${code}: see its output above`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds in a clone first: what is checked out is deployed, and not an earlier build of it. */
async function buildInClone(io: Io): Promise<void> {
  const root = join(io.service, "../..");
  if (!existsSync(join(root, "scripts/build.ts"))) return;
  const words = ["--import", "tsx", "scripts/build.ts", "deploy", "--quiet"];
  const code = await (io.run ?? runProgram)(process.execPath, words, { cwd: root, env: io.env });
  if (code !== 0)
    throw new OutriggerError("aws-unavailable", `Cannot build what is deployed in ${root}: see the output above`);
}

/** osls in a project, and the name under which a clone of this project has it. */
const NAMES = ["osls", "serverless"] as const;

/**
 * The osls of the user's project, or by npx the version that this package is tested with.
 *
 * @param tested the version that the packaged service is tested with
 * @throws OutriggerError `usage` where the project has another major version
 */
function findOsls(tested: string, io: Io) {
  const found = foldersAbove(resolve(io.cwd))
    .flatMap((folder) => NAMES.map((name) => join(folder, "node_modules", name)))
    .find((folder) => packageOf(folder)?.name === "osls");
  if (found === undefined) return { command: "npx", words: ["--yes", `osls@${tested}`] };
  const version = packageOf(found)?.version ?? "";
  if (version.split(".", 1)[0] !== tested.split(".", 1)[0]) {
    const message = `Cannot deploy with osls ${version}: this version of Outrigger is tested with ${tested}; npm install --save-dev osls@${tested}`;
    throw usageError(message);
  }
  return { command: process.execPath, words: [join(found, "bin", "serverless.js")] };
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

function packageOf(folder: string): { readonly name: string; readonly version: string } | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  return isObject(value) ? { name: String(value["name"]), version: String(value["version"]) } : undefined;
}

/**
 * Runs another program as a user would: it has the terminal until it ends. Signals reach the program directly: the terminal sends
 * Ctrl-C to both, and it is the program that has to end in order.
 */
const runProgram: RunProgram = (command, words, { cwd, env }) =>
  new Promise((resolve, reject) => {
    const ignore = () => {};
    process.on("SIGINT", ignore);
    const child = spawn(command, [...words], { cwd, env, stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("SIGINT", ignore);
      resolve(code ?? 1);
    });
  });
