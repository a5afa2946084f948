// The way from a kubeconfig to an API server: which files count, how plugins are run.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "@outrigger/base";
import { exchangeOfKubeconfig, type KubeClient, kubeconfigContexts, openKubeconfig } from "@outrigger/cluster";
import type { KubeconfigOptions } from "../options/cluster-options.ts";
import type { Io } from "../terminal/io.ts";
import { proxyAgents } from "./choose-proxy.ts";

export async function connectContext(options: KubeconfigOptions, io: Io): Promise<KubeClient> {
  return openKubeconfig({ ...kubeconfigPorts(options, io), sleep: io.sleep ?? sleep });
}

/** The API server of a context, for passing requests on to it. */
export function contextExchange(options: KubeconfigOptions, io: Io): ReturnType<typeof exchangeOfKubeconfig> {
  return exchangeOfKubeconfig(kubeconfigPorts(options, io));
}

/** The contexts that the kubeconfig has. */
export function contextNames(options: KubeconfigOptions, io: Io): Promise<readonly string[]> {
  return kubeconfigContexts(kubeconfigPorts(options, io));
}

function kubeconfigPorts(options: KubeconfigOptions, io: Io): Parameters<typeof exchangeOfKubeconfig>[0] {
  return {
    files: kubeconfigFiles(options, io),
    isExplicit: options.kubeconfig !== undefined,
    env: io.env,
    ...defined({ context: options.context }),
    readText: (file, nextTo) => readFile(nextTo === undefined ? file : resolve(dirname(nextTo), file), "utf8"),
    run: (command, args, env, plugin) => {
      if (plugin.isInteractive) io.yieldTerminal?.();
      // A command with a slash is relative to the kubeconfig; one without is looked for on the path.
      const program = command.includes("/") ? resolve(dirname(plugin.nextTo), command) : command;
      return runPlugin(program, args, { ...io.env, ...env }, plugin, io);
    },
    isInteractive: io.isTerminal,
    agentFor: (proxyUrl) => proxyAgents(io.env, proxyUrl),
  };
}

export function kubeconfigFiles({ kubeconfig }: KubeconfigOptions, io: Io): readonly string[] {
  const named = kubeconfig === undefined ? (io.env["KUBECONFIG"] ?? "").split(":") : [kubeconfig];
  const files = named.filter((file) => file !== "").map((file) => resolve(io.cwd, file));
  return files.length > 0 ? files : [join(io.env["HOME"] ?? io.cwd, ".kube", "config")];
}

type PluginRun = Parameters<Parameters<typeof openKubeconfig>[0]["run"]>[3];

/** A person may have to sign in. */
const PLUGIN_TIMEOUT = 120_000;

/** A plugin's questions go to standard error; what it prints is the credential. */
function runPlugin(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { isInteractive }: PluginRun,
  { stderr }: Io,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      env,
      timeout: PLUGIN_TIMEOUT,
      stdio: [isInteractive ? "inherit" : "ignore", "pipe", isInteractive ? "inherit" : "pipe"],
    });
    // What it says while it fails is for people, as with kubectl.
    child.stderr?.on("data", (chunk: Uint8Array) => void stderr.write(Buffer.from(chunk).toString("utf8")));
    const chunks: Uint8Array[] = [];
    child.stdout?.on("data", (chunk: Uint8Array) => void chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else reject(new Error(`it ended with ${code}`));
    });
  });
}
