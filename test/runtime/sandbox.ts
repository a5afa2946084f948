// A Lambda sandbox: the zip that is deployed, unpacked, on the deployed Node with Lambda's flags, under Lambda's own runtime
// interface client (npm `aws-lambda-ric`), which takes its work from an emulated Runtime API. It is frozen and thawed as Lambda
// does between two invocations, and is ended when a handler outlives the function's timeout.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { DEFAULT_MEMORY, lambdaFlags } from "../../tools/bench/lambda-node.ts";
import { deployedNode } from "../../tools/support/node24.ts";
import { endProcess } from "../support/end-process.ts";
import { type Outcome, startRuntimeApi } from "./runtime-api.ts";

const RIC_VERSION = "4.0.2";

export interface Sandbox {
  /** An invocation; one that takes longer than the timeout ends the process, and the next begins with a new one. */
  readonly invoke: (event: unknown, timeout?: number) => Promise<Outcome>;
  /** Stops the process as soon as it has asked for work. The next invocation thaws it. */
  readonly freeze: () => Promise<void>;
  /** All that the function has written, a line each. */
  readonly log: () => readonly string[];
  /** Returns the number of processes that were started. */
  readonly starts: () => number;
  readonly initErrors: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** Returns why functions cannot be run here as Lambda runs them, or undefined if they can. */
export function missingRuntime(): string | undefined {
  if (process.platform !== "linux") return "the runtime interface client runs on Linux only";
  const { reason } = deployedNode();
  if (reason !== undefined) return reason;
  try {
    runtimeClient();
    return undefined;
  } catch (error) {
    return `aws-lambda-ric@${RIC_VERSION} cannot be fetched: ${String(error).split("\n", 1)[0]}`;
  }
}

/** Fetched once from the npm registry. Its compiled part is not built: rapid-client.cjs replaces it. */
export function runtimeClient(): string {
  const directory = join(projectRoot, ".runtime", `ric-${RIC_VERSION}`);
  const file = join(directory, "node_modules", "aws-lambda-ric", "index.mjs");
  if (!existsSync(file)) {
    mkdirSync(directory, { recursive: true });
    const npm = ["install", "--prefix", directory, "--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
    const engines = ["--ignore-scripts", "--engine-strict=false"];
    execFileSync("npm", [...npm, ...engines, `aws-lambda-ric@${RIC_VERSION}`], { cwd: directory, stdio: "pipe" });
  }
  return file;
}

/** The command of a container: the deployed Node as Lambda starts it, with the client that takes work from a Runtime API. */
export function runtimeCommand(): readonly [command: string, ...words: string[]] {
  const preload = join(projectRoot, "test/runtime/rapid-client.cjs");
  return [deployedNode().path, ...lambdaFlags(DEFAULT_MEMORY), "--require", preload, runtimeClient()];
}

/**
 * @param zip of the function, `index.cjs` in it
 * @param traceId of its invocations, as X-Ray's header has it
 */
export async function startSandbox(
  zip: string,
  env: Readonly<Record<string, string>>,
  traceId?: string,
): Promise<Sandbox> {
  const task = mkdtempSync(join(tmpdir(), "outrigger-task-"));
  for (const [file, bytes] of Object.entries(unzipSync(readFileSync(zip)))) writeFileSync(join(task, file), bytes);
  const api = await startRuntimeApi(traceId);
  let log = "";
  let starts = 0;
  let child: ChildProcess | undefined;

  const start = () => {
    starts += 1;
    const [command, ...words] = runtimeCommand();
    const started = spawn(command, words, {
      cwd: task,
      env: { ...ENVIRONMENT, LAMBDA_TASK_ROOT: task, AWS_LAMBDA_RUNTIME_API: api.address, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        log += text;
      });
    }
    started.once("exit", () => {
      if (child !== started) return;
      child = undefined;
      api.processEnded(log.slice(-1000));
    });
    return started;
  };

  return {
    invoke: async (event, timeout = 30_000) => {
      child ??= start();
      child.kill("SIGCONT");
      const outcome = await api.invoke(event, timeout);
      if (outcome.kind === "timeout" && child !== undefined) await endProcess(child, "SIGKILL");
      return outcome;
    },
    freeze: async () => {
      await api.idle();
      child?.kill("SIGSTOP");
    },
    log: () => log.split("\n").filter((line) => line !== ""),
    starts: () => starts,
    initErrors: api.initErrors,
    stop: async () => {
      if (child !== undefined) await endProcess(child, "SIGKILL");
      await api.close();
      rmSync(task, { recursive: true });
    },
  };
}

/** The environment that Lambda sets for every function on Node. */
export const ENVIRONMENT = {
  PATH: process.env["PATH"] ?? "",
  _HANDLER: "index.handler",
  AWS_LAMBDA_FUNCTION_NAME: "outrigger",
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(DEFAULT_MEMORY),
  AWS_LAMBDA_FUNCTION_VERSION: "1",
  AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/outrigger",
  AWS_LAMBDA_LOG_STREAM_NAME: "stream",
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_SESSION_TOKEN: "session",
};
