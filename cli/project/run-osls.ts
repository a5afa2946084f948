// Runs osls on the packaged service: in a copy of it, with the settings of the current directory next to it.
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { fileFault } from "../manifests/read-input.ts";
import type { Io } from "../terminal/io.ts";
import { findOsls } from "./find-osls.ts";
import { runProgram } from "./run-program.ts";

/**
 * Runs a command of osls. It writes to where it runs, so it runs in a folder that is removed afterwards.
 *
 * @throws OutriggerError `aws-unavailable` where it cannot run, or fails
 */
export async function runOsls(words: readonly string[], io: Io): Promise<void> {
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
