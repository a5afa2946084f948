// `outrigger off`: when everything burns. Needs a kubeconfig and nothing of AWS.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { openKube } from "../../lib/cluster/kube-access.ts";
import { readKubeconfig } from "../../lib/cluster/kubeconfig.ts";
import { switchOff } from "../../lib/cluster/switch-off.ts";
import type { Io } from "../io.ts";

interface OffOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly remove?: true;
}

const NOTES = `
Every pod is let in from now on, with a sidecar where the webhook answers within a second and without one where it does
not. With --remove nothing is called at all. Pods that run are not touched. Put it back with outrigger register.

Examples:
  outrigger off
  outrigger off --context prod --remove`;

export function addOffCommand(program: Command, io: Io): void {
  program
    .command("off")
    .description("let every pod in, whatever becomes of the webhook; from a kubeconfig alone")
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)")
    .option("--context <name>", "the context (default: the current one)")
    .option("--remove", "remove the webhooks instead")
    .addHelpText("after", NOTES)
    .action((options: OffOptions) => runOff(options, io));
}

async function runOff(options: OffOptions, io: Io): Promise<void> {
  const access = await readKubeconfig({
    files: kubeconfigFiles(options, io),
    ...(options.context === undefined ? {} : { context: options.context }),
    readText: (file, besides) => readFile(besides === undefined ? file : resolve(dirname(besides), file), "utf8"),
    run: (command, args, env) => runPlugin(command, args, { ...io.env, ...env }),
  });
  const pause = async (milliseconds: number) => void (await sleep(milliseconds));
  const at = new Date().toISOString();
  const changed = await switchOff(openKube(access, pause), { remove: options.remove === true, at });
  for (const line of changed) io.stdout.write(`${line}\n`);
  const nothing = `Nothing of Outrigger is in ${access.name}`;
  io.stdout.write(changed.length === 0 ? `${nothing}\n` : `${access.name} no longer waits for Outrigger\n`);
}

function kubeconfigFiles({ kubeconfig }: OffOptions, io: Io): readonly string[] {
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
