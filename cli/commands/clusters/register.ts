// `outrigger register`: makes an EKS cluster call the webhook, one phase at a time.

import { defined } from "@outrigger/base";
import { registerCluster } from "@outrigger/cluster";
import { withoutToken } from "@outrigger/webhook";
import type { Command } from "commander";
import { causeOf, openDeployment } from "../../connect/deployment.ts";
import {
  type ClusterOptions,
  requestedSettings,
  type WebhookOptions,
  withClusterOptions,
  withWebhookOptions,
} from "../../options/cluster-options.ts";
import { parseChannelName } from "../../options/names.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

interface RegisterOptions extends ClusterOptions, WebhookOptions {
  readonly channel?: string;
  /** False with --no-self-test. */
  readonly selfTest: boolean;
  readonly force?: true;
}

const NOTES = `
Phases of a rollout; you can return to an earlier one at any time:
  audit      only server-side dry runs are sent: no running pod changes (default of a first registration)
  namespace  pods in the namespaces given with --namespace are injected; if a call fails, the pod is admitted
  cluster    pods in the whole cluster are injected; if a call fails, the pod is admitted
  enforce    the same, but if a call fails, the pod is rejected

The webhook is called from this machine before anything is applied. Afterwards a pod is created as a dry run, to check
that the API server gets an answer. If either check fails, everything is restored. Options that you leave out keep their
current values: without options, the command repairs what has been changed in the cluster.

Examples:
  outrigger register --cluster shop
  outrigger register --cluster shop --phase namespace --namespace checkout
  outrigger register --cluster shop --phase enforce
  outrigger register --cluster shop --revision 1-30 --tag prod --role-arn arn:aws:iam::111122223333:role/registrar`;

export function addRegisterCommand(program: Command, io: Io): void {
  withWebhookOptions(withClusterOptions(program.command("register")))
    .description("make an EKS cluster call the webhook, or repair its registration")
    .option(
      "--channel <channel>",
      "the channel that serves the revision (default: the current one, or stable)",
      parseChannelName,
    )
    .option("--no-self-test", "do not call the webhook from this machine: for one that only the cluster can reach")
    .option("--force", "enforce even if no pod can be created as a dry run")
    .option("-m, --message <text>", "the reason, recorded with the change")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action((options: RegisterOptions) => runRegister(options, io));
}

/** Registers a revision as the options say: what is left out stays. */
export async function runRegister(options: RegisterOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, watchDeployment } = await import("../../connect/connect-cluster.ts");
  const { readServed } = await import("../../releases/read-served.ts");
  const deployment = await openDeployment(options, io);
  const watch = await watchDeployment(deployment, io.env);
  const url = await watch.findUrl(options.url);
  const requested = await requestedSettings(options, url, io);
  const { description, kube } = await connectCluster(deployment, options);
  const cluster = options.as ?? options.cluster;
  const { settings, warnings } = await registerCluster(
    {
      cluster,
      arn: description.arn,
      kubernetesVersion: description.kubernetesVersion,
      deployment: deployment.target.stage,
      cause: await causeOf(deployment, options.message),
      requested,
      withSelfTest: options.selfTest,
      allowUnproven: options.force === true,
      isCanaryFailing: watch.isCanaryFailing,
      injectionOf: async (channel) => (await readServed(deployment))(channel)?.config,
      ...defined({ channel: options.channel }),
    },
    registrationPorts(deployment, kube, watch, io),
  );
  for (const warning of warnings) io.stderr.write(`Warning: ${withoutToken(warning)}\n`);
  const text = `${cluster} is registered with ${deployment.target.stage}: revision ${settings.revision}, phase ${settings.phase}`;
  const registered = { cluster, arn: description.arn, settings, warnings };
  printResult(io, options.json, registered, `${text}\n${nextStep(options, settings.phase)}`);
}

const NEXT = {
  audit: "namespace --namespace …",
  namespace: "cluster",
  cluster: "enforce",
  enforce: undefined,
} as const;

function nextStep({ cluster, revision }: RegisterOptions, phase: keyof typeof NEXT): string {
  const next = NEXT[phase];
  const flags = revision === "default" ? "" : ` --revision ${revision}`;
  return next === undefined ? "" : `Next: outrigger register --cluster ${cluster}${flags} --phase ${next}`;
}
