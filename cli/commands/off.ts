// `outrigger off`: the emergency switch. Needs a kubeconfig and nothing of AWS.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { openKube } from "../../lib/cluster/kube-access.ts";
import { readKubeconfig } from "../../lib/cluster/kubeconfig.ts";
import { switchOff } from "../../lib/cluster/switch-off.ts";
import { defined } from "../../lib/defined.ts";
import { OutriggerError } from "../../lib/errors.ts";
import { collect } from "../cluster-options.ts";
import type { Io } from "../io.ts";

interface OffOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly remove?: true;
  readonly revision?: readonly string[];
  readonly tag?: readonly string[];
}

const NOTES = `
Every pod is admitted from now on: with a sidecar if the webhook answers within a second, without one otherwise. With
--remove, nothing is called at all. Running pods do not change. The command continues after an error; it then lists what is
still on with the kubectl command that removes it, and exits with 1. Run outrigger register to switch on again.

Examples:
  outrigger off
  outrigger off --context prod --remove`;

export function addOffCommand(program: Command, io: Io): void {
  program
    .command("off")
    .description("admit every pod, whatever happens to the webhook; needs a kubeconfig only")
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)")
    .option("--context <name>", "the context (default: the current one)")
    .option("--remove", "remove the webhooks and the safety net instead")
    .option("--revision <revision>", "a revision to find by name if listing is not allowed; repeatable", collect)
    .option("--tag <tag>", "a tag to find by name if listing is not allowed; repeatable", collect)
    .addHelpText("after", NOTES)
    .action((options: OffOptions) => runOff(options, io));
}

async function runOff(options: OffOptions, io: Io): Promise<void> {
  const access = await readKubeconfig({
    files: kubeconfigFiles(options, io),
    ...defined({ context: options.context }),
    readText: (file, besides) => readFile(besides === undefined ? file : resolve(dirname(besides), file), "utf8"),
    run: (command, args, env) => runPlugin(command, args, { ...io.env, ...env }),
  });
  const pause = async (milliseconds: number) => void (await sleep(milliseconds));
  const at = new Date().toISOString();
  const { revision: revisions = [], tag: tags = [] } = options;
  const kube = openKube(access, pause);
  const { done, left } = await switchOff(kube, { remove: options.remove === true, at, revisions, tags });
  for (const line of done) io.stdout.write(`${line}\n`);
  if (left.length === 0) {
    const nothing = `${access.name} has no objects of Outrigger`;
    io.stdout.write(done.length === 0 ? `${nothing}\n` : `${access.name} no longer waits for Outrigger\n`);
    return;
  }
  const context = options.context === undefined ? "" : ` --context ${options.context}`;
  const lines = left.map(({ what, problem, kubectl }) => `  ${what}: ${problem}\n    ${kubectl}${context}`);
  throw new OutriggerError(
    "cluster-conflict",
    `Not everything is off in ${access.name}. Still on, with the command that removes it:\n${lines.join("\n")}`,
  );
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
