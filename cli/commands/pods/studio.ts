// `outrigger studio`: edit a source tree and preview its pods in a browser.
import { resolve } from "node:path";
import { defined, usageError } from "@outrigger/base";
import { readExampleTrees } from "@outrigger/publisher";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { connectContext } from "../../connect/kubeconfig-access.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { kubeconfigOptions, namesContext } from "../../options/cluster-options.ts";
import { parsePort } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import { stateDirectory } from "../../releases/state-directory.ts";
import { studioCluster } from "../../studio/cluster-workloads.ts";
import { deploymentWorkspace } from "../../studio/deployment-workspace.ts";
import { draftsIn } from "../../studio/kept-drafts.ts";
import { pageCommand } from "../../studio/page-command.ts";
import type { StudioPods } from "../../studio/releases.ts";
import { readPage, type Studio, startStudio } from "../../studio/studio-server.ts";
import { directoryWorkspace, type StudioWorkspace } from "../../studio/studio-workspace.ts";
import type { Io } from "../../terminal/io.ts";
import { shippedTree } from "../../tree/read-trees.ts";

const NOTES = `
Opens nothing by itself: follow the address that it prints. The address has a key, because it gives access to the
directory. The studio listens on 127.0.0.1 only, and ends with the command. Edits that are not saved are kept on this machine, by
directory or deployment, in $XDG_STATE_HOME/outrigger (~/.local/state/outrigger): the studio finds them when it is started again.

With --deployment (or --prefix), it edits the source tree of a deployment in Parameter Store, and shows its channels:
publish, promote, pin and roll back there. What is saved is published within seconds, as by outrigger push.

With --context (or --kubeconfig), the workloads of a cluster are pods to preview, and what an edit changes is measured on those
that run; with a deployment too, its channels are shown with the pods that have their releases. The cluster is only read,
namespaces, webhooks, workloads and pods, unless a person restarts pods from the page: that is outrigger restart, with its role.
Without --dir and a deployment, the studio shows the shipped templates; edits are previewed and can be shared, but not saved.

Examples:
  outrigger studio --dir my-templates
  outrigger studio --dir my-templates --port 8444
  outrigger studio --deployment prod
  outrigger studio --deployment prod --context prod`;

const STUDIO_OPTIONS = optionTable({
  ...deploymentOptions,
  ...kubeconfigOptions,
  dir: sharedOptions.dir,
  port: {
    argument: "<port>",
    about: "the port to listen on; 0 takes a free one (default: the first free one of 8450 to 8459)",
    parse: parsePort,
  },
});

type StudioOptions = OptionsOf<typeof STUDIO_OPTIONS>;

export function addStudioCommand(program: Command, io: Io): void {
  takes(program.command("studio"), STUDIO_OPTIONS)
    .description("edit templates and preview pods in a browser")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const studio = await openStudio(options, io);
      const stopped = io.stopped();
      io.stdout.write(`The studio is ready on ${studio.url}\n`);
      await stopped;
      await studio.close();
      io.stdout.write("Stopped\n");
    });
}

/** @param given the deployment that it edits, where one is open already */
export async function openStudio(options: StudioOptions, io: Io, given?: Deployment): Promise<Studio> {
  const { port } = options;
  const cluster = namesContext(options) ? studioCluster(await connectContext(options, io)) : undefined;
  const [page, workspace] = [await readPage(io.studio), await workspaceOf(options, io, given)];
  return startStudio({
    page,
    workspace,
    drafts: draftsIn(stateDirectory(io.env)),
    examples: () => readExampleTrees(io.examples),
    ...defined({ port, cluster }),
  });
}

async function workspaceOf(options: StudioOptions, io: Io, given?: Deployment): Promise<StudioWorkspace> {
  const { dir, deployment, prefix } = options;
  const shipped = () => shippedTree(io);
  if (given !== undefined) return deploymentWorkspace(given, shipped, io);
  if (deployment === undefined && prefix === undefined) {
    return directoryWorkspace(dir === undefined ? undefined : resolve(io.cwd, dir), shipped);
  }
  if (dir === undefined) {
    const loadRunning = () => import("../../studio/running-pods.ts");
    const pods: StudioPods = {
      running: async (channels) => (await loadRunning()).runningPods(options, channels, io),
      restart: pageCommand(async (page) => {
        const { runCommand } = page;
        if (runCommand === undefined) throw new Error("The studio was not started by the command line");
        return runCommand((await loadRunning()).restartWords(options), page);
      }, io),
      evidence: async (channel, record) => (await loadRunning()).sharePods(options, channel, record, io),
    };
    return deploymentWorkspace(
      await openDeployment(options, io),
      shipped,
      io,
      namesContext(options) ? pods : undefined,
    );
  }
  throw usageError("Cannot use --dir and a deployment at once: leave one of them out");
}
