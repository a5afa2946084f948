// `outrigger restart`: restarts the workloads whose new pods would differ, and no others.
import { usageError } from "@outrigger/base";
import { durationText } from "@outrigger/publisher";
import { type Command, InvalidArgumentError } from "commander";
import { deploymentOptions } from "../../options/aws-options.ts";
import { runningOptions } from "../../options/cluster-options.ts";
import { parseDuration } from "../../options/names.ts";
import { choiceOf, type OptionsOf, optionTable, takes, wordsOf } from "../../options/option.ts";
import { SELECTION_NOTES, selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import type { Io } from "../../terminal/io.ts";
import { shellWords } from "../../terminal/shell-words.ts";

const NOTES = `
Restarts what outrigger pods finds to be outdated or without its sidecar, as kubectl rollout restart does (Argo Rollouts by their
restartAt), and waits for each by the rules of kubectl rollout status. It begins a workload only while its PodDisruptionBudgets
allow a disruption, leaves those that were not healthy before, and stops at the first that does not come back, or falls after it
was back, with the container and the cause. Each must be well for a minute before the next (--bake).

With --in-place, pods are not replaced: where only images, CPU and memory of injected containers differ, they are written into the
running pod. For a new image, its node restarts that container alone; for resources none, unless its resizePolicy says so (Kubernetes
1.33). A proxy that would restart, init containers that have run and the application's own containers are left alone unless
--container names them. Pods that need more are named.

A ConfigMap in the cluster (default/outrigger-restart) is its journal: a command that was interrupted continues where it was when the
same is run again within a day, and no two restart at once. Ctrl-C begins nothing more and waits for what is under way.
  status   how the restart is
  stop     begin nothing more, whichever command runs it
  resume   continue one that was stopped, or that a workload has stopped

${SELECTION_NOTES} A cluster is restarted after the other, and the first that is not well is
the last: the end says which are done, which failed and which were not begun, and the command that continues. --clusters says in which
order. With --all and --channel, it is ring by ring (outrigger channel follow), and a ring is begun when all of the one before are well,
however many clusters are restarted at a time.

Exit codes: 0 all are back, 1 one did not come back, or some were left, 2 the command line is wrong, 3 could not.

Examples:
  outrigger restart --context prod --dry-run
  outrigger restart --context prod -n checkout
  outrigger restart --context prod --parallel 5 --window 22:00-04:00 --yes
  outrigger restart --context prod --in-place
  outrigger restart status --context prod
  outrigger restart --clusters staging,shop,pay --yes
  outrigger restart status --all`;

const RESTART_OPTIONS = optionTable({
  ...deploymentOptions,
  ...runningOptions,
  ...selectionOptions,
  maxConcurrency: { ...selectionOptions.maxConcurrency, default: 1 },
  ...resultOptions,
  namespace: sharedOptions.namespace,
  selector: sharedOptions.selector,
  parallel: sharedOptions.parallel,
  window: {
    argument: "<from-to>",
    about: "begin workloads within these hours only, in UTC: 22:00-04:00",
    parse: parseWindow,
  },
  pause: { argument: "<time>", about: "from one that is back to the next: 5m", parse: parseDuration },
  bake: { ...sharedOptions.bake, about: "each must be well for so long before the next (default: 1m)" },
  inPlace: { about: "change images and resources of running pods where nothing else differs, and restart nothing" },
  container: {
    short: "-c",
    argument: "<name>",
    about: "with --in-place, this container too, such as the proxy; repeatable",
    isRepeatable: true,
  },
  dryRun: { ...sharedOptions.dryRun, about: "print the plan, and restart nothing" },
  yes: sharedOptions.yes,
});

type RestartOptions = OptionsOf<typeof RESTART_OPTIONS>;

export function addRestartCommand(program: Command, io: Io): void {
  takes(program.command("restart"), RESTART_OPTIONS)
    .description("restart the workloads whose new pods would differ, one after the other")
    .addArgument(choiceOf("[action]", "in place of a restart", ["status", "stop", "resume"]))
    .addHelpText("after", NOTES)
    .action(async (action, options) => {
      if (options.container !== undefined && options.inPlace !== true) {
        throw usageError("--container says what --in-place may change: use both");
      }
      const isFleet = selectsClusters(options);
      const { restartAlone, restartFleet } = await import("../../fleet/restart-fleet.ts");
      return isFleet
        ? restartFleet(action, options, commandFor(action, options), io)
        : restartAlone(action, options, io);
    });
}

/** The command again, for other clusters. */
function commandFor(action: string | undefined, options: RestartOptions): (clusters: readonly string[]) => string {
  const { clusters: _, channel: _c, all: _a, pause, bake, ...rest } = options;
  const times = { pause: pause && durationText(pause), bake: bake && durationText(bake) };
  const words = wordsOf(RESTART_OPTIONS, { ...rest, ...times });
  return (clusters) =>
    [
      "outrigger restart",
      ...(action === undefined ? [] : [action]),
      "--clusters",
      clusters.join(","),
      shellWords(words),
    ]
      .filter((word) => word !== "")
      .join(" ");
}

function parseWindow(text: string): string {
  const time = "([01]\\d|2[0-3]):[0-5]\\d";
  const [from, to] = text.split("-");
  if (new RegExp(`^${time}-${time}$`).test(text) && from !== to) return text;
  throw new InvalidArgumentError("A window is two times of a day in UTC, as 22:00-04:00.");
}
