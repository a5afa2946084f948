// `outrigger register`: has an EKS cluster call the webhook, a stage at a time.
import type { Command } from "commander";
import { registerCluster } from "../../lib/cluster/register-cluster.ts";
import { withoutToken } from "../../lib/webhook/webhook-url.ts";
import {
  askedSettings,
  type ClusterOptions,
  type WebhookOptions,
  withClusterOptions,
  withWebhookOptions,
} from "../cluster-options.ts";
import { causeOf, openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { parseChannelName } from "../names.ts";
import { printResult } from "../print.ts";

interface RegisterOptions extends ClusterOptions, WebhookOptions {
  readonly channel?: string;
  /** False with --no-self-test. */
  readonly selfTest: boolean;
  readonly message?: string;
  readonly json?: true;
}

const NOTES = `
Stages, each of which can be gone back from:
  audit      only server-side dry runs are sent: nothing that runs is changed (default of a first registration)
  namespace  pods of the --namespace given are injected; where a call fails, the pod is let in
  cluster    pods of the whole cluster are injected; where a call fails, the pod is let in
  enforce    the same; where a call fails, the pod is rejected

Before anything is applied, the webhook is called from here; afterwards, a pod is created as a dry run to see that the
API server gets its answer. Where either fails, everything is put back. What is left out stays as it is, so run without
options it mends what somebody has changed.

Examples:
  outrigger register --cluster shop
  outrigger register --cluster shop --stage namespace --namespace checkout
  outrigger register --cluster shop --stage enforce
  outrigger register --cluster shop --revision 1-30 --tag prod --role-arn arn:aws:iam::111122223333:role/registrar`;

export function addRegisterCommand(program: Command, io: Io): void {
  withWebhookOptions(withClusterOptions(program.command("register")))
    .description("have an EKS cluster call the webhook, or mend how it does")
    .option(
      "--channel <channel>",
      "the channel that the revision is served from (default: as it is, or stable)",
      parseChannelName,
    )
    .option("--no-self-test", "do not call the webhook from here, as where only the cluster reaches it")
    .option("-m, --message <text>", "why: kept with the change")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action((options: RegisterOptions) => runRegister(options, io));
}

async function runRegister(options: RegisterOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, watchDeployment } = await import("../connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const watch = await watchDeployment(deployment, io.env);
  const url = await watch.findUrl(options.url);
  const asked = await askedSettings(options, url, io);
  const { description, kube } = await connectCluster(deployment, options);
  const cluster = options.as ?? options.cluster;
  const { settings, warnings } = await registerCluster(
    {
      cluster,
      arn: description.arn,
      kubernetesVersion: description.kubernetesVersion,
      deployment: deployment.target.stage,
      cause: await causeOf(deployment, options.message),
      asked,
      withSelfTest: options.selfTest,
      isCanaryFailing: watch.isCanaryFailing,
      ...(options.channel === undefined ? {} : { channel: options.channel }),
    },
    registrationPorts(deployment, kube, watch, io),
  );
  for (const warning of warnings) io.stderr.write(`Warning: ${withoutToken(warning)}\n`);
  const text = `${cluster} is registered with ${deployment.target.stage}: revision ${settings.revision}, stage ${settings.stage}`;
  printResult(
    io,
    options.json,
    { cluster, arn: description.arn, settings, warnings },
    `${text}\n${nextStep(options, settings.stage)}`,
  );
}

const NEXT = {
  audit: "namespace --namespace …",
  namespace: "cluster",
  cluster: "enforce",
  enforce: undefined,
} as const;

function nextStep({ cluster, revision }: RegisterOptions, stage: keyof typeof NEXT): string {
  const next = NEXT[stage];
  const flags = revision === "default" ? "" : ` --revision ${revision}`;
  return next === undefined ? "" : `Next: outrigger register --cluster ${cluster}${flags} --stage ${next}`;
}
