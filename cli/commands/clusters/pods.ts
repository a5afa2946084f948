// `outrigger pods`: what the pods of a cluster have, next to what new ones would get.
import { OutriggerError } from "@outrigger/base";
import type { RunningReport } from "@outrigger/rollouts";
import type { Command } from "commander";
import { deploymentOptions } from "../../options/aws-options.ts";
import { runningOptions } from "../../options/cluster-options.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { SELECTION_NOTES, selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import type { RunningCluster } from "../../rollouts/running-cluster.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

const STATES = ["refused", "missing", "unwanted", "outdated", "foreign", "current"] as const;

const NOTES = `
Each pod is restored to what its author wrote and injected again, as the cluster's release would now. What others have changed in
it since does not count: API servers, controllers, other webhooks. By workload:
  current    a new pod would be the same
  outdated   a new pod would differ
  missing    it has no sidecar, and a new pod would
  unwanted   it has a sidecar, and a new pod would not
  refused    a new pod would be denied
  foreign    another injector's: Istio, App Mesh

With --state missing, every pod that should have a sidecar is listed that has none, with the reason and what to do: also where the
rollout has not reached it, injection was switched off, or no webhook serves its revision.

With --fallback, workloads are listed that have pods of the release in the artifact, with the templates and images that came with the
deployment (setting bundledFallback). outrigger restart replaces them.

${SELECTION_NOTES}

Exit codes: 0 all current, 1 something differs, 2 the command line is wrong, 3 could not read.

Examples:
  outrigger pods --cluster shop
  outrigger pods --context prod -n checkout -l app=cart -o diff
  outrigger pods --context prod -o wide
  outrigger pods --cluster shop --state missing
  outrigger pods --cluster shop --fallback
  outrigger pods --context prod -o json
  outrigger pods --all
  outrigger pods --channel canary --state missing -o json`;

const PODS_OPTIONS = optionTable({
  ...deploymentOptions,
  ...runningOptions,
  ...selectionOptions,
  namespace: sharedOptions.namespace,
  selector: sharedOptions.selector,
  state: { argument: "<state>", about: "only those in this state", choices: STATES },
  fallback: { about: "only those with pods that the release in the artifact made, as no published one could be read" },
  json: { about: "print the result as JSON" },
  output: {
    short: "-o",
    argument: "<format>",
    about: "how the result is printed; diff shows the values of each change, of one pod",
    choices: ["text", "wide", "name", "diff", "json", "yaml"],
  },
});

export function addPodsCommand(program: Command, io: Io): void {
  takes(program.command("pods"), PODS_OPTIONS)
    .description("list the workloads whose pods differ from what new ones would get, and how")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const isFleet = selectsClusters(options);
      const { openRunning, openUnjudged, servingOf } = await import("../../rollouts/running-cluster.ts");
      if (isFleet) {
        const { openFleet } = await import("../../fleet/open-fleet.ts");
        const { printEach } = await import("../../fleet/print-each.ts");
        const { clusters, deployment } = await openFleet(options, io);
        const serving = servingOf(deployment, io);
        if (options.state === "missing") {
          const { askMissing, MISSING_HEADINGS } = await import("../../rollouts/missing-pods.ts");
          const ask = async ({ place }: (typeof clusters)[number]) =>
            askMissing(await openUnjudged({ ...options, ...place }, io, serving), options, io);
          return printEach(clusters, { ...options, headings: MISSING_HEADINGS }, ask, io);
        }
        const ask = async ({ place }: (typeof clusters)[number]) =>
          askPods(await openRunning({ ...options, ...place }, io, serving), options);
        return printEach(clusters, { ...options, headings: ["PODS", "WORKLOADS", "OUTDATED"] }, ask, io);
      }
      if (options.state === "missing") {
        const { printMissing } = await import("../../rollouts/missing-pods.ts");
        return printMissing(await openUnjudged(options, io), options, io);
      }
      const cluster = await openRunning(options, io);
      const { value, text, names, finding } = await askPods(cluster, options);
      printResult(io, options.json, { cluster: cluster.name, ...value }, text(), names);
      if (finding !== undefined) throw finding;
    });
}

type PodsOptions = OptionsOf<typeof PODS_OPTIONS>;

/** What the pods of a cluster have: for machines, as the text of one cluster, and as its row among others. */
async function askPods({ name, kube, ...ports }: RunningCluster, options: PodsOptions) {
  const { isOutdated, readRunning } = await import("@outrigger/rollouts");
  const report = await readRunning(kube, ports, options);
  const outdated = report.workloads.filter(isOutdated);
  const listed =
    options.output === "wide" || options.state !== undefined || options.fallback ? report.workloads : outdated;
  const what = outdated.length === 1 ? "One workload" : `${outdated.length} workloads`;
  const message = `${what} of ${name} would come out differently now`;
  return {
    value: { ...report, workloads: report.workloads.map(withFields) },
    text: () => textOf(report, listed, options.output),
    names: listed.map((each) => `${each.kind.toLowerCase()}/${each.name}`),
    cells: [report.pods, report.workloads.length, outdated.length].map(String),
    said: statesText(report),
    ...(outdated.length > 0 && { finding: new OutriggerError("findings", message) }),
  };
}

/** `6 current, 2 outdated` */
function statesText({ states }: RunningReport): string {
  return Object.entries(states)
    .map(([state, count]) => `${count} ${state === "plain" ? "without, as intended" : state}`)
    .join(", ");
}

type Workload = RunningReport["workloads"][number];

/** A workload for programs: which fields differ; their values are in the list of changes. */
function withFields({ example, ...workload }: Workload) {
  if (example === undefined) return workload;
  const { pod, verdict } = example;
  return { ...workload, example: pod, differs: fieldsOf(verdict), ...("why" in verdict && { why: verdict.why }) };
}

function fieldsOf(verdict: NonNullable<Workload["example"]>["verdict"]): readonly string[] {
  return "changes" in verdict ? verdict.changes.map(({ field }) => field) : [];
}

function textOf(report: RunningReport, listed: readonly Workload[], output?: string): string {
  const { pods, changes } = report;
  const isWide = output === "wide";
  const counts = statesText(report);
  const head = `${pods} ${pods === 1 ? "pod" : "pods"}${counts === "" ? "" : `: ${counts}`}\n`;
  const columns = ["NAMESPACE", "WORKLOAD", "PODS", "STATE", ...(isWide ? ["RELEASE", "NOW"] : []), "DIFFERS"];
  const rows = listed.map((workload) => {
    const { namespace, kind, name, releases, served = "-" } = workload;
    const wide = isWide ? [Object.keys(releases).join(",") || "-", served] : [];
    return [namespace, `${kind}/${name}`, `${workload.pods}`, stateOf(workload), ...wide, differs(workload)];
  });
  const text = head + (rows.length === 0 ? "" : `\n${table(columns, rows)}`);
  if (changes.length === 0) return text;
  return `${text}\n${output === "diff" ? valuesOf(changes) : countsOf(changes)}`;
}

function stateOf({ states }: Workload): string {
  const all = Object.entries(states);
  return all.length === 1 ? (all[0]?.[0] ?? "") : all.map(([state, count]) => `${count} ${state}`).join(", ");
}

const MOST_FIELDS = 3;

function differs({ example }: Workload): string {
  if (example === undefined) return "-";
  const { verdict } = example;
  if (verdict.state === "refused") return verdict.why;
  const fields = fieldsOf(verdict);
  const rest = fields.length > MOST_FIELDS ? `, and ${fields.length - MOST_FIELDS} more` : "";
  const by = verdict.state === "foreign" ? `injected by ${verdict.by}: ` : "";
  return fields.length === 0 ? by || "-" : `${by}${fields.slice(0, MOST_FIELDS).join(", ")}${rest}`;
}

type Changes = RunningReport["changes"];

/** Images and resources say what changed; other values are shown on request. */
function countsOf(changes: Changes): string {
  const rows = changes.map(({ field, running, now, workloads }) => {
    const isShort = typeof (running ?? now) === "string" && /\.image$|\.resources\./.test(field);
    return [`${workloads}`, isShort ? `${field}: ${running ?? "-"} → ${now ?? "-"}` : field];
  });
  return table(["WORKLOADS", "CHANGE"], rows);
}

function valuesOf(changes: Changes): string {
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return changes
    .map(({ field, running, now, workloads, example }) => {
      const lines = [running === undefined ? [] : [`- ${text(running)}`], now === undefined ? [] : [`+ ${text(now)}`]];
      return [`${field} (${workloads} workloads, as ${example})`, ...lines.flat()].join("\n");
    })
    .join("\n")
    .concat("\n");
}
