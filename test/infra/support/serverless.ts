// Runs the `serverless` command as a user does, with an environment of the test's own.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(import.meta.resolve("serverless/bin/serverless.js"));
const noNetwork = fileURLToPath(new URL("no-network.cjs", import.meta.url));

export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** Nothing of AWS: no credentials, no Region, no home with a profile in it. */
export function bareEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "", HOME: home, CI: "true" };
}

/** The same, where a connection that is tried is an error. */
export function offlineEnvironment(home: string): NodeJS.ProcessEnv {
  return { ...bareEnvironment(home), NODE_OPTIONS: `--require=${noNetwork}` };
}

export function runServerless(words: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...words], { env, timeout: 110_000 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ status, output: `${stdout}${stderr}` });
    });
  });
}

/** `--param a=1 --param b=2`. */
export function parameterWords(parameters: readonly string[]): readonly string[] {
  return parameters.flatMap((parameter) => ["--param", parameter]);
}
