// Runs the `serverless` command as a user does, with an environment of the test's own.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(import.meta.resolve("serverless/bin/serverless.js"));
const project = fileURLToPath(new URL("../../..", import.meta.url));
const noNetwork = fileURLToPath(new URL("no-network.cjs", import.meta.url));

export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** Nothing of AWS: no credentials, no Region, no home with a profile in it. What checks settings is made once for all. */
export function bareEnvironment(home: string): NodeJS.ProcessEnv {
  const cache = join(project, "dist");
  return { PATH: process.env["PATH"] ?? "", HOME: home, CI: "true", SLS_SCHEMA_CACHE_BASE_DIR: cache };
}

/** The same, where a connection that is tried is an error. */
export function offlineEnvironment(home: string): NodeJS.ProcessEnv {
  return { ...bareEnvironment(home), NODE_OPTIONS: `--require=${noNetwork}` };
}

/** What the command reads in addition to `serverless.yml`, which must not be a link. What it builds the plugin finds. */
const READ = ["infra", "package.json", "node_modules"];

/**
 * A directory in which the project is deployed from: the command keeps everything that it makes in `.serverless` there, so
 * that two of them go on at the same time, and neither touches what a user has packaged.
 */
export function serviceDirectory(place: string): string {
  const directory = join(place, "service");
  mkdirSync(directory);
  copyFileSync(join(project, "serverless.yml"), join(directory, "serverless.yml"));
  for (const name of READ) symlinkSync(join(project, name), join(directory, name));
  return directory;
}

export function runServerless(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...words], { cwd, env, timeout: 110_000 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ status, output: `${stdout}${stderr}` });
    });
  });
}
