// `outrigger start`: an injection webhook on this machine, from a source tree on disk that may be edited while it serves,
// or from a fake AWS with a cluster.
import { resolve } from "node:path";
import { clusterNamePattern, defined, usageError } from "@outrigger/base";
import type { AdmissionRecord } from "@outrigger/serving";
import { type Command, InvalidArgumentError } from "commander";
import { kubeconfigOptions } from "../../options/cluster-options.ts";
import { parsePort } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import { type Certificate, findCertificate } from "../../server/certificate.ts";
import { runDemo } from "../../server/demo.ts";
import { serveTree } from "../../server/live-injector.ts";
import { startServer } from "../../server/local-server.ts";
import { curlLine, formatRequestLine } from "../../server/request-line.ts";
import { type FakeClusterPlace, type FakeClusterPlaces, type Served, serveFake } from "../../server/serve-fake.ts";
import type { Studio } from "../../studio/studio-server.ts";
import { describeError } from "../../terminal/describe-error.ts";
import type { Io } from "../../terminal/io.ts";
import { openStudio } from "./studio.ts";

const NOTES = `
The certificate is made on first use and kept in $XDG_STATE_HOME/outrigger (~/.local/state/outrigger).
Edits in the source tree are picked up at once; a bad edit is reported, and the last good tree keeps serving.

With --fake there is a whole deployment on this machine, and a cluster: a fake Parameter Store, which starts with what --dir
holds, the publisher, which runs when something is edited there, the webhook, which serves what was published, and an API
server with Deployments whose pods istiod injects; of a tree with "mesh: none", a cluster without istiod. outrigger's own
commands, the AWS CLI and kubectl work against them with the variables that it prints; nothing outlives the command. With
--http there is no cluster: API servers call HTTPS only. An image with "crash" in its name never becomes ready.

With --fake --kubeconfig FILE, the cluster is your own in place of the fake one: kind, k3d, or any that you may change. Commands
find it in EKS as "shop", and are the kubeconfig's user there. Its API server has to reach the webhook: for one in Docker, listen
on the address of its network, as in --port 172.18.0.1:8443.

--demo serves nothing: in a minute, it shows a pod that is injected, a bad edit that is refused, a canary and a rollback,
with a deployment that is on this machine only and ends with the command.

Examples:
  outrigger start
  outrigger start --demo
  outrigger start --dir my-templates --port 9443
  outrigger start --fake --dir my-templates
  outrigger start --fake --clusters shop,stock,pay@222233334444
  outrigger start --fake --kubeconfig ~/.kube/config --context kind-kind --port 172.18.0.1:8443`;

const START_OPTIONS = optionTable({
  port: {
    argument: "<port>",
    about: "the port to listen on, or ADDRESS:PORT; 0 takes a free one",
    parse: parseAddress,
    default: { host: "127.0.0.1", port: 8443 },
    defaultText: "127.0.0.1:8443",
  },
  dir: sharedOptions.dir,
  fake: {
    argument: "[port]",
    about: "a fake AWS and a cluster to try every command on, without an account",
    parse: parsePort,
  },
  kubeconfig: {
    ...kubeconfigOptions.kubeconfig,
    about: "with --fake, the cluster of this kubeconfig in place of a fake one",
  },
  clusters: {
    argument: "<cluster,...>",
    about: "with --fake, these clusters in place of shop, in another account after an @: shop,pay@222233334444",
    parse: parseFakeClusters,
  },
  context: { ...kubeconfigOptions.context, about: "the context of that kubeconfig (default: its current one)" },
  events: {
    argument: "<file>",
    about: "with --fake, append the event of each change to this file, a line of JSON each, as EventBridge sends it",
  },
  http: { about: "serve plain HTTP" },
  studio: { isNegated: true, about: "do not serve the studio" },
  demo: { about: "show an injection, a refused edit, a canary and a rollback, and end" },
});

type StartOptions = OptionsOf<typeof START_OPTIONS>;

export function addStartCommand(program: Command, io: Io): void {
  takes(program.command("start"), START_OPTIONS)
    .alias("dev")
    .description("serve the injection webhook on this machine")
    .addHelpText("after", NOTES)
    .action((options) => (options.demo === true ? showDemo(options, io) : runStart(options, io)));
}

async function runStart(options: StartOptions, io: Io): Promise<void> {
  assertOwnCluster(options);
  const { host, port } = options.port;
  const report = (line: string) => void io.stdout.write(`${line}\n`);
  const certificate = options.http === true ? undefined : await findCertificate(host, io.env, report);
  const served = await serve(options, certificate, io, report);
  let studio: Studio | undefined;
  try {
    const log = (record: AdmissionRecord) => report(formatRequestLine(record, new Date()));
    const { find, isThrottled } = served;
    const server = await startServer({ host, port, certificate, find, isThrottled, log });
    studio = await studioOf(options, served, io, report);
    const stopped = io.stopped();
    const origin = `${certificate === undefined ? "http" : "https"}://${hostInUrl(host)}:${server.port}`;
    const url = `${origin}${served.path}`;
    served.listening?.(origin);
    const ready = `Outrigger is ready on ${url} (release ${served.release})\n\nTry it:\n\n  ${curlLine(url)}\n`;
    const hint = studio ? `\nEdit templates and preview pods in a browser:\n\n  ${studio.url}\n` : "";
    report(ready + served.hints + hint);
    await stopped;
    await server.close();
    report("Stopped");
  } finally {
    await studio?.close();
    await served.close();
  }
}

/** Somebody's cluster is changed only where it is named. */
function assertOwnCluster({ fake, http, clusters, kubeconfig, context, events }: StartOptions): void {
  if (clusters !== undefined && fake === undefined)
    throw usageError("Cannot use --clusters without --fake: they are clusters of the fake AWS");
  if (clusters !== undefined && (kubeconfig !== undefined || http === true))
    throw usageError(
      `Cannot use --clusters with ${http === true ? "--http: API servers call HTTPS only" : "--kubeconfig: it names the cluster"}`,
    );
  if (events !== undefined && fake === undefined)
    throw usageError("Cannot use --events without --fake: it is the fake AWS that sends them there");
  if (kubeconfig === undefined && context === undefined) return;
  if (kubeconfig === undefined) throw usageError("Cannot use --context alone: name the file with --kubeconfig");
  if (fake === undefined)
    throw usageError("Cannot use --kubeconfig without --fake: it names the cluster of the fake AWS");
  if (http === true) throw usageError("Cannot use --kubeconfig with --http: API servers call HTTPS only");
}

async function showDemo({ dir, fake, kubeconfig }: StartOptions, io: Io): Promise<void> {
  if (dir !== undefined || fake !== undefined || kubeconfig !== undefined)
    throw usageError("--demo has a tree and a store of its own: leave --dir, --fake and --kubeconfig out");
  // What is shown does not depend on how fast the machine is.
  const own = { dir: undefined, port: 0, certificate: undefined, publishesEdits: false };
  const served = await serveFake(own, { ...io, env: { OUTRIGGER_STAGE: "dev" } }, () => {});
  try {
    const { runCommand } = io;
    if (served.deployment !== undefined && runCommand !== undefined) await runDemo(io, served.deployment, runCommand);
  } finally {
    await served.close();
  }
}

/** The studio edits what is served: the directory, or what the fake Parameter Store holds. */
async function studioOf(
  { studio, dir }: StartOptions,
  { deployment }: Served,
  io: Io,
  report: (line: string) => void,
): Promise<Studio | undefined> {
  if (!studio) return undefined;
  try {
    return await openStudio(defined({ dir }), io, deployment);
  } catch (error) {
    // The webhook is what the command is for.
    report(describeError(error));
    return undefined;
  }
}

async function serve(
  { fake, dir, clusters, kubeconfig, context, events }: StartOptions,
  certificate: Certificate | undefined,
  io: Io,
  report: (line: string) => void,
): Promise<Served> {
  if (fake !== undefined) {
    const own = kubeconfig === undefined ? {} : { context: defined({ kubeconfig, context }) };
    const port = fake === true ? 0 : fake;
    return serveFake({ dir, port, certificate, ...own, ...defined({ clusters, events }) }, io, report);
  }
  const directories = [io.templates, ...(dir === undefined ? [] : [resolve(io.cwd, dir)])];
  const tree = await serveTree(directories, report);
  return { ...tree, path: "/inject", hints: "" };
}

/** The name that a certificate and a person know this machine by, where it listens to itself or to everyone. */
function hostInUrl(host: string): string {
  if (["127.0.0.1", "::1", "0.0.0.0", "::", "localhost"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = "127.0.0.1", port = text] = /^(?:\[?(.+?)\]?:)?([^:]*)$/.exec(text) ?? [];
  return { host, port: parsePort(port) };
}

function parseFakeClusters(text: string): FakeClusterPlaces {
  const places = text.split(",").map((each): FakeClusterPlace => {
    const [name = "", account, ...more] = each.split("@");
    const isPlace = account === undefined || /^\d{12}$/.test(account);
    if (clusterNamePattern.test(name) && isPlace && more.length === 0) return { name, ...defined({ account }) };
    throw new InvalidArgumentError(
      "Name clusters, with an account of 12 digits where it is another: shop,pay@222233334444.",
    );
  });
  const [first, ...others] = places;
  if (first !== undefined && new Set(places.map(({ name }) => name)).size === places.length) return [first, ...others];
  throw new InvalidArgumentError("Each cluster needs a name of its own: shop,stock.");
}
