// The options that name a cluster by a kubeconfig.
import type { Command } from "commander";

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
