// `outrigger off`: the emergency switch. Needs a kubeconfig and nothing of AWS.
import { OutriggerError, usageError } from "@outrigger/base";
import { type KubeClient, losesInjection, switchOff } from "@outrigger/cluster";
import type { Command } from "commander";
import { connectContext } from "../../connect/kubeconfig-access.ts";
import { kubeconfigOptions } from "../../options/cluster-options.ts";
import { optionTable, takes } from "../../options/option.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import { askYes } from "../../terminal/ask-yes.ts";
import type { Io } from "../../terminal/io.ts";
import { printable } from "../../terminal/printable.ts";

const NOTES = `
Every pod is admitted from now on: with a sidecar if the webhook answers within a second, without one otherwise. With
--remove, nothing is called at all: the namespaces that lose injection are listed, and you are asked. Running pods do not
change. The command continues after an error; it then lists what is still on with the kubectl command that removes it. Run
outrigger register to switch on again.

Exit codes: 0 everything is off, 1 something is still on, 2 the command line is wrong, 3 the kubeconfig cannot be used.

Examples:
  outrigger off
  outrigger off --context prod --remove
  outrigger off --context prod --remove --yes`;

const OFF_OPTIONS = optionTable({
  ...kubeconfigOptions,
  remove: { about: "remove the webhooks and the safety net instead" },
  yes: { ...sharedOptions.yes, about: "do not ask" },
  revision: {
    argument: "<revision>",
    about: "a revision to find by name if listing is not allowed; repeatable",
    isRepeatable: true,
  },
  tag: { argument: "<tag>", about: "a tag to find by name if listing is not allowed; repeatable", isRepeatable: true },
});

export function addOffCommand(program: Command, io: Io): void {
  takes(program.command("off"), OFF_OPTIONS)
    .description("admit every pod, whatever happens to the webhook; needs a kubeconfig only")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const kube = await connectContext(options, io);
      const at = new Date().toISOString();
      const { revision: revisions = [], tag: tags = [], remove = false } = options;
      if (remove) await askToRemove(kube, options.yes, io);
      const { done, left } = await switchOff(kube, { remove, at, revisions, tags });
      for (const line of done) io.stdout.write(`${line}\n`);
      if (left.length === 0) {
        io.stdout.write(`${kube.name} no longer waits for Outrigger\n`);
        return;
      }
      // A cluster that cannot be reached says nothing of what is on in it.
      const [first] = left;
      const isUnreached = done.length === 0 && left.every(({ cause }) => cause?.code === "cluster-unreachable");
      if (isUnreached && first?.cause !== undefined) throw first.cause;
      const context = options.context === undefined ? "" : ` --context ${options.context}`;
      const lines = left.map(({ what, problem, kubectl }) => `  ${what}: ${problem}\n    ${kubectl}${context}`);
      const message = `Not everything is off in ${kube.name}. Still on, with the command that removes it:\n${lines.join("\n")}`;
      throw new OutriggerError("findings", message);
    });
}

/** What is called no more injects nothing: unlike a call that fails, that does not pass by itself. */
async function askToRemove(kube: KubeClient, yes: true | undefined, io: Io): Promise<void> {
  for (const line of await losesInjection(kube, {})) io.stderr.write(printable(`${line}\n`));
  const unasked = usageError(
    "Cannot ask whether to remove the webhooks: there is no terminal; say --yes, or leave out --remove: every pod is admitted then, too",
  );
  if (yes !== true) await askYes(io, `Remove the webhooks from ${kube.name}?`, "Nothing was removed", unasked);
}
