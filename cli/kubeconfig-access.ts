// Owns the way from a kubeconfig to an API server: which files count, how plugins are run.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { type KubeAccess, openKube } from "../lib/cluster/kube-access.ts";
import type { KubeClient } from "../lib/cluster/kube-client.ts";
import { readKubeconfig } from "../lib/cluster/kubeconfig.ts";
import { defined } from "../lib/defined.ts";
import type { Io } from "./io.ts";

export interface KubeconfigOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Gives a command the options of a kubeconfig. */
export function withKubeconfigOptions(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)")
    .option("--context <name>", "the context (default: the current one)");
}

export interface KubeconfigConnection {
  readonly access: KubeAccess;
  readonly kube: KubeClient;
}

/** Connects to the API server of a context. */
export async function connectContext(options: KubeconfigOptions, io: Io): Promise<KubeconfigConnection> {
  const access = await readKubeconfig({
    files: kubeconfigFiles(options, io),
    ...defined({ context: options.context }),
    readText: (file, nextTo) => readFile(nextTo === undefined ? file : resolve(dirname(nextTo), file), "utf8"),
    run: (command, args, env) => runPlugin(command, args, { ...io.env, ...env }),
  });
  return { access, kube: openKube(access, async (milliseconds) => void (await sleep(milliseconds))) };
}

function kubeconfigFiles({ kubeconfig }: KubeconfigOptions, io: Io): readonly string[] {
  const named = kubeconfig === undefined ? (io.env["KUBECONFIG"] ?? "").split(":") : [kubeconfig];
  const files = named.filter((file) => file !== "");
  return files.length > 0
    ? files.map((file) => resolve(io.cwd, file))
    : [join(io.env["HOME"] ?? io.cwd, ".kube", "config")];
}

const PLUGIN_TIMEOUT = 30_000;

/** Plugins may ask their questions on standard error; what they print is the credential. */
function runPlugin(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { env, timeout: PLUGIN_TIMEOUT }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
