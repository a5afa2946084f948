// Runs the `serverless` command as a user does, with an environment of the test's own.
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { runProgram } from "../../support/run-program.ts";

const command = fileURLToPath(import.meta.resolve("serverless/bin/serverless.js"));
const project = fileURLToPath(new URL("../../..", import.meta.url));
const noNetwork = fileURLToPath(new URL("no-network.cjs", import.meta.url));

export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/**
 * Nothing of AWS: no credentials, no Region, no home with a profile in it. What checks settings is made once for all, and the framework's
 * modules are compiled once.
 */
export function bareEnvironment(home: string): NodeJS.ProcessEnv {
  const cache = join(project, "dist");
  return {
    ...{ PATH: process.env["PATH"] ?? "", HOME: home, CI: "true" },
    ...{ SLS_SCHEMA_CACHE_BASE_DIR: cache, NODE_COMPILE_CACHE: join(cache, ".compiled") },
  };
}

/** The bare environment, in which an attempt to connect is an error. */
export function offlineEnvironment(home: string): NodeJS.ProcessEnv {
  return { ...bareEnvironment(home), NODE_OPTIONS: `--require=${noNetwork}` };
}

/**
 * The files that the command reads in addition to `serverless.yml`, which must not be a link. The plugin finds what it
 * builds.
 */
const READ = ["infra", "scripts", "package.json", "node_modules"];

/**
 * A directory in which the project is deployed from: the command keeps everything that it makes in `.serverless` there, so
 * that two of them continue at the same time, and neither touches what a user has packaged.
 */
export function serviceDirectory(place: string, read: readonly string[] = READ): string {
  const directory = join(place, "service");
  mkdirSync(directory);
  copyFileSync(join(project, "serverless.yml"), join(directory, "serverless.yml"));
  for (const name of read) symlinkSync(join(project, name), join(directory, name));
  return directory;
}

/** A service directory with the functions as they were built once for all tests, which are those of the npm package. */
export function builtServiceDirectory(place: string): string {
  const directory = serviceDirectory(place, ["package.json", "node_modules"]);
  symlinkSync(join(project, "infra"), join(directory, "infra"));
  const scripts = join(directory, "scripts");
  mkdirSync(scripts);
  const plugin = JSON.stringify(join(project, "infra", "packaged-plugin.ts"));
  const lines = [
    'const { register } = require("tsx/cjs/api");',
    "const unregister = register();",
    `module.exports = require(${plugin}).OutriggerPlugin;`,
    "unregister();",
  ];
  writeFileSync(join(scripts, PLUGIN), lines.join("\n"));
  symlinkSync(inject("artifacts"), join(directory, "artifacts"));
  return directory;
}

const PLUGIN = "serverless-plugin.cjs";

export async function runServerless(
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const { code, out, err } = await runProgram(process.execPath, [command, ...words], { cwd, env, timeout: 580_000 });
  return { status: code, output: `${out}${err}` };
}

const many = fileURLToPath(new URL("package-many.cjs", import.meta.url));

export interface ServerlessRun {
  readonly words: readonly string[];
  /** Over the environment of all runs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the framework for many settings, one after the other in one process. */
export async function runServerlessOften(
  runs: readonly ServerlessRun[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly CommandResult[]> {
  const words = [many, JSON.stringify(runs)];
  const { code, out, err } = await runProgram(process.execPath, words, { cwd, env, timeout: 580_000 });
  if (code !== 0) throw new Error(`Cannot run serverless: ${err}`);
  return JSON.parse(out);
}
