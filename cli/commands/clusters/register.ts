// `outrigger register`: makes an EKS cluster call the webhook, one phase at a time.
import { defined, entryOf, usageError } from "@outrigger/base";
import {
  assertNoneLost,
  findInstalled,
  hasPartInMesh,
  injectedProxyImage,
  installedAmong,
  type KubeClient,
  keptUrl,
  listKind,
  losesInjection,
  otherInjectors,
  recordOf,
  registerCluster,
  unregisterCluster,
} from "@outrigger/cluster";
import { withoutToken } from "@outrigger/webhook";
import type { Command } from "commander";
import { causeOf, type Deployment, openDeployment } from "../../connect/deployment.ts";
import { clusterOptions, requestedSettings, webhookOptions } from "../../options/cluster-options.ts";
import { choiceOf, type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import { readClusters } from "../../releases/read-records.ts";
import { askYes } from "../../terminal/ask-yes.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table, warn } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { assertOneName, revisionsToRegister } from "./registered-revisions.ts";
import { nextStep, sharedPods } from "./registration-texts.ts";

const NOTES = `
Phases of a rollout; you can return to an earlier one at any time:
  audit      only server-side dry runs are sent: no running pod changes (default of a first registration)
  namespace  pods in the namespaces given with --namespace are injected; if a call fails, the pod is admitted
  cluster    pods in the whole cluster are injected; if a call fails, the pod is admitted
  enforce    the same, but if a call fails, the pod is rejected

The webhook is called from this machine before anything is applied. Afterwards a pod is created as a dry run, to check
that the API server gets an answer; before a wider phase, one workload of each selected namespace is tried too. If a check
fails, everything is restored. Options that you leave out keep their current values: without options, the command repairs
what has been changed in the cluster, in every revision that is registered. A --url is kept too, whatever the stack's output
becomes; --url deployment goes back to the deployment's own.

Examples:
  outrigger register --cluster shop
  outrigger register --cluster shop --phase namespace --namespace checkout
  outrigger register --cluster shop --phase enforce
  outrigger register --cluster shop --revision 1-30 --tag prod --role-arn arn:aws:iam::111122223333:role/registrar`;

const REGISTER_OPTIONS = optionTable({
  ...clusterOptions,
  ...webhookOptions,
  ...resultOptions,
  channel: { ...sharedOptions.channel, about: "the revision's channel (default: the current one, or stable)" },
  selfTest: sharedOptions.selfTest,
  replaceIstio: { about: "let new pods lose the proxy that istiod injects, where the release adds none" },
  force: { about: "go on even if no pod can be created as a dry run, or a workload would be rejected" },
});

/** The value of `--url` that forgets a URL that was given. */
const OWN_URL = "deployment";

type RegisterOptions = OptionsOf<typeof REGISTER_OPTIONS>;

export function addRegisterCommand(program: Command, io: Io): void {
  takes(program.command("register"), REGISTER_OPTIONS)
    .description("make an EKS cluster call the webhook, or repair its registration")
    .addHelpText("after", NOTES)
    .action((options) => runRegister(options, io));
}

/** Registers a revision as the options say, or all that there are: what is left out stays. */
export async function runRegister(options: RegisterOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, watchDeployment } = await import("../../connect/connect-cluster.ts");
  const { readServed } = await import("../../releases/read-served.ts");
  const deployment = await openDeployment(options, io);
  const { stage } = deployment.target;
  const watch = await watchDeployment(deployment, io.env);
  const isGiven = options.url === undefined ? undefined : options.url !== OWN_URL;
  const { description, kube } = await connectCluster(deployment, options, io);
  const cluster = options.as ?? options.cluster;
  const webhooks = await listKind(kube, "MutatingWebhookConfiguration");
  const installed = installedAmong(webhooks, stage);
  const registered = { installed, records: await readClusters(deployment, io) };
  assertOneName(cluster, description.arn, registered);
  const done: object[] = [];
  let text = "";
  const served = await readServed(deployment);
  for (const revision of revisionsToRegister(options, cluster, registered)) {
    const channel = options.channel ?? entryOf(registered.records, cluster)?.revisions[revision] ?? "stable";
    const release = served(channel);
    const addsProxy = release === undefined ? undefined : injectedProxyImage(release) !== undefined;
    const kept = keptUrl(revision, registered.installed, entryOf(registered.records, cluster));
    const url = (isGiven === undefined ? kept : isGiven ? options.url : undefined) ?? (await watch.findUrl());
    const requested = await requestedSettings({ ...options, revision }, url, io);
    const injection = release?.config;
    const planned = { deployment: stage, requested, webhooks, ...defined({ injection }) };
    const others = await otherInjectors(kube, planned);
    for (const line of sharedPods(others, addsProxy)) io.stderr.write(printable(`${line}\n`));
    const replacesIstio = options.replaceIstio === true;
    const asked = { cluster, addsProxy, replacesIstio, flag: "--replace-istio" };
    assertNoneLost(others, { ...asked, served: `the release of ${channel}` });
    const { settings, warnings } = await registerCluster(
      {
        cluster,
        arn: description.arn,
        kubernetesVersion: description.kubernetesVersion,
        deployment: stage,
        cause: await causeOf(deployment, options.message),
        requested: { ...requested, ...defined({ givenUrl: isGiven }) },
        withSelfTest: options.selfTest,
        allowUnproven: options.force === true,
        isCanaryFailing: watch.isCanaryFailing,
        injectionOf: async (channel) => (await readServed(deployment))(channel)?.config,
        ...defined({ channel: options.channel, addsProxy, hasPartInMesh: release && hasPartInMesh(release) }),
      },
      registrationPorts(deployment, kube, watch, io),
    );
    for (const warning of warnings) warn(withoutToken(warning), io);
    const { phase } = settings;
    const at = settings.givenUrl ? `, at ${settings.url}` : "";
    text += `${cluster} is registered with ${stage}: revision ${revision}, phase ${phase}${at}\n${nextStep(options, revision, phase)}`;
    done.push({ cluster, arn: description.arn, settings, warnings });
  }
  printResult(io, options.json, done.length === 1 ? (done[0] ?? {}) : done, text);
}

// `outrigger tag`: the tags of a cluster's revisions, as istioctl has them: a registration underneath.
const TAG_NOTES = `
A tag is a second name of a revision: namespaces are labelled istio.io/rev=TAG. set gives it to a revision that is registered, and takes it
from the one that has it; its phase decides then which pods are sent. Both register the revision again (outrigger register --help).

Examples:
  outrigger tag list --cluster shop
  outrigger tag set prod --revision 1-30 --cluster shop
  outrigger tag remove prod --cluster shop`;

const TAG_OPTIONS = optionTable({
  ...clusterOptions,
  ...resultOptions,
  revision: { argument: "<revision>", about: "the revision that gets the tag" },
  selfTest: sharedOptions.selfTest,
});

export function addTagCommand(program: Command, io: Io): void {
  takes(program.command("tag"), TAG_OPTIONS)
    .description("list, set or remove the tags of a cluster's revisions")
    .addArgument(choiceOf("<action>", "what to do", ["list", "set", "remove"]))
    .argument("[tag]", "the tag")
    .addHelpText("after", TAG_NOTES)
    .action((action, tag, options) => runTag(action, tag, options, io));
}

async function runTag(
  action: string,
  tag: string | undefined,
  options: OptionsOf<typeof TAG_OPTIONS>,
  io: Io,
): Promise<void> {
  const { connectCluster } = await import("../../connect/connect-cluster.ts");
  if (action !== "list" && tag === undefined) {
    throw usageError(`Cannot ${action} a tag: name it, as in outrigger tag ${action} prod`);
  }
  const deployment = await openDeployment(options, io);
  const { kube } = await connectCluster(deployment, options, io);
  const installed = await findInstalled(kube, deployment.target.stage);
  const tags = installed.flatMap(({ tag, revision }) => (tag === undefined ? [] : [{ tag, revision }]));
  if (action === "list") {
    const rows = tags.map((each) => [each.tag, each.revision]);
    const none = "No revision of the cluster has a tag: outrigger tag set TAG --revision REVISION\n";
    return printResult(io, options.json, tags, rows.length === 0 ? none : table(["TAG", "REVISION"], rows));
  }
  const owner = tags.find((each) => each.tag === tag)?.revision;
  const revision = action === "set" ? options.revision : owner;
  const known = installed.flatMap((webhook) => (webhook.tag === undefined ? [webhook.revision] : []));
  if (revision === undefined) {
    const fix = action === "set" ? "name the revision with --revision" : "no revision has it (outrigger tag list)";
    throw usageError(`Cannot ${action} tag ${tag}: ${fix}`);
  }
  if (!known.includes(revision)) {
    const message = `Cannot set tag ${tag}: revision ${revision} is not registered (there is ${known.join(", ") || "none"}); outrigger register --revision ${revision} does that`;
    throw usageError(message);
  }
  const others = tags.filter((each) => each.revision === revision && each.tag !== tag).map((each) => each.tag);
  await runRegister({ ...options, revision, tag: action === "set" ? [...others, tag as string] : others }, io);
}

// `outrigger unregister`: removes the registration of a cluster, or of one of its revisions.
const UNREGISTER_NOTES = `
Says first which namespaces lose injection, and who else serves them, and asks. Then it removes the webhooks, the alarm and the record
with its tokens. Missing objects are not an error, and neither is a deleted cluster. Pods keep their sidecars.

Examples:
  outrigger unregister --cluster shop
  outrigger unregister --cluster shop --revision 1-30 --yes`;

const UNREGISTER_OPTIONS = optionTable({
  ...clusterOptions,
  revision: { argument: "<revision>", about: "only this revision and its tags" },
  keepObjects: { about: "do not contact the cluster: for one that can no longer be reached" },
  yes: { ...sharedOptions.yes, about: "do not ask" },
});

export function addUnregisterCommand(program: Command, io: Io): void {
  takes(program.command("unregister"), UNREGISTER_OPTIONS)
    .description("remove the webhooks of an EKS cluster, its alarm and its record")
    .addHelpText("after", UNREGISTER_NOTES)
    .action(async (options) => {
      const connecting = await import("../../connect/connect-cluster.ts");
      const deployment = await openDeployment(options, io);
      const watch = await connecting.watchDeployment(deployment, io.env);
      const connect = () => connecting.connectCluster(deployment, options, io).catch(connecting.unlessGone);
      const connection = options.keepObjects === true ? undefined : await connect();
      const cluster = options.as ?? options.cluster;
      const { stage } = deployment.target;
      const isOther = connection !== undefined && (await isOfAnother(cluster, connection.kube, deployment, io));
      const kube = isOther ? undefined : connection?.kube;
      const { revision } = options;
      const lost = kube === undefined ? [] : await losesInjection(kube, defined({ deployment: stage, revision }));
      for (const line of lost) io.stderr.write(printable(`${line}\n`));
      const what = revision === undefined ? cluster : `revision ${revision} of ${cluster}`;
      const unasked = usageError(`Cannot ask whether to unregister ${what}: there is no terminal; say --yes`);
      const isAsked = lost.length > 0 && options.yes !== true;
      if (isAsked) await askYes(io, `Unregister ${what}?`, "Nothing was unregistered", unasked);
      const request = defined({
        cluster,
        deployment: stage,
        cause: await causeOf(deployment, options.message),
        keepObjects: options.keepObjects === true || isOther,
        revision,
      });
      const report = (line: string) => void io.stdout.write(`${line}\n`);
      const ports = { ...connecting.registrationPorts(deployment, undefined, watch, io), report };
      await unregisterCluster(request, ports, kube);
    });
}

/** Whether the webhooks of the cluster call with the token of another registration: they are that one's. */
async function isOfAnother(cluster: string, kube: KubeClient, deployment: Deployment, io: Io): Promise<boolean> {
  const owner = recordOf(await findInstalled(kube, deployment.target.stage), await readClusters(deployment, io));
  if (owner === undefined || owner.name === cluster) return false;
  io.stderr.write(printable(`The webhooks in the cluster are those of its registration as ${owner.name}, and stay\n`));
  return true;
}
