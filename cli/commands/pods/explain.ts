// `outrigger explain`: why a pod is injected or not, with what, and which setting decides.
import { plural } from "@outrigger/base";
import type { Command } from "commander";
import type { RunningPod } from "../../diagnose/explain-cluster.ts";
import type { Piece } from "../../diagnose/explain-pod.ts";
import { admissionLines, formatLines, isUnsent, type Selection } from "../../diagnose/explain-result.ts";
import { type Explained, explainWorkloads } from "../../diagnose/explain-workloads.ts";
import { kubeconfigOptions } from "../../options/cluster-options.ts";
import { optional, optionTable, takes } from "../../options/option.ts";
import { podOptions } from "../../options/release-options.ts";
import { resultOptions } from "../../options/shared-options.ts";
import type { Io } from "../../terminal/io.ts";
import { folded, printResult } from "../../terminal/print.ts";

const NOTES = `
With a workload, or with --context, the cluster is asked: which webhook's selectors send the pod, what keeps the others from
it, the usual mistakes, what the API server says to such a pod (a dry run in its own namespace, if you may create pods there),
which other webhooks get it, what its controller could not make, and what the pods that run carry. The release is that of the
cluster's registration, which is found by the token of its webhooks; without access to the deployment, the shipped one. Without
a cluster, --namespace-label says what the namespace would be labelled with.

Examples:
  outrigger explain deploy/web -n shop --context prod
  outrigger explain -f pod.yaml --dir my-templates
  outrigger explain -f pod.yaml --dir my-templates --lines
  outrigger explain -f deployment.yaml -n shop --namespace-label istio-injection=enabled
  kubectl get pod web -o yaml | outrigger explain -f - --cluster shop
  outrigger explain -f deployment.yaml -n shop --from stable`;

const EXPLAIN_OPTIONS = optionTable({
  ...podOptions,
  filename: optional(podOptions.filename),
  ...kubeconfigOptions,
  ...resultOptions,
  namespaceLabel: {
    argument: "<key=value>",
    about: "a label of the namespace, where no cluster is asked; repeatable",
    isRepeatable: true,
  },
  lines: { about: "print the injected pod too, with the template's line or the step that wrote each line" },
});

export function addExplainCommand(program: Command, io: Io): void {
  takes(program.command("explain"), EXPLAIN_OPTIONS)
    .description("say why a pod is injected or not, and with what")
    .argument("[workload]", "a workload of a cluster: deploy/web, sts/db, cj/backup, pod/web-0, rollout/web")
    .addHelpText("after", NOTES)
    .action(async (workload, options) => {
      const { release, from, pods } = await explainWorkloads(workload, options, io);
      // Who names no tree may take the shipped one, which has Istio's sidecar, for their own.
      const isUnnamed = from === "shipped" && options.from === undefined && options.filename !== undefined;
      const tree = isUnnamed ? "shipped: name your own with --dir or --from" : from;
      const head = `Release ${release} (${tree})\n`;
      printResult(io, options.json, { release, from, pods }, head + pods.map((one) => `\n${text(one, io)}`).join(""));
    });
}

function text(account: Explained, io: Io): string {
  const { pod, namespace, warnings, running, result } = account;
  const injection = injectionLines(account);
  const before = [
    `${pod}, namespace ${namespace}`,
    ...sentTo(account.selection),
    ...account.mistakes.map((mistake) => `  Check this: ${mistake}`),
    ...(isUnsent(account.selection) ? ["  If it were sent:", ...injection.map((line) => `  ${line}`)] : injection),
    ...warnings.map((warning) => `  Warning: ${warning}`),
    ...(account.admission === undefined ? [] : admissionLines(account.admission, Date.now())),
    ...runningLines(running),
  ];
  const pods = account.lines === undefined ? [] : ["", ...formatLines(account.lines), ""];
  return `${[...folded(before, io), ...pods, ...folded([`  Result: ${result}`], io)].join("\n")}\n`;
}

function injectionLines({ decision, reason, message, chosenBy, templates, unmatched, added }: Explained) {
  return [
    `  ${DECISIONS[decision]} (${reason}): ${message}`,
    ...(chosenBy === undefined ? [] : [`  Templates, by ${chosenBy}:`]),
    ...templates.flatMap((template) => [
      `    ${template.name}${template.as === undefined ? "" : `, as ${template.as}`}: ${place(template)}`,
      // Partials are many; those that are not shipped are what is looked for.
      ...template.partials.filter(({ layer }) => layer === "yours").map((piece) => `      ${place(piece)}`),
    ]),
    ...unmatched.map(({ name, as }) => `  Not ${name}, as ${as}`),
    ...Object.entries(added).map(([field, names]) => `  Added ${field}: ${names.join(", ")}`),
  ];
}

function sentTo(selection: Explained["selection"]): readonly string[] {
  if (selection === undefined) return ["  Not known whether it is sent: the namespace's labels are not known"];
  const sent = selection.filter(({ isSent }) => isSent);
  if (sent.length > 0) return sent.map((one) => `  Sent to the webhook: ${named(one)}`);
  return [
    selection.length === 0 ? "  Not sent: no webhook is registered" : "  Not sent to any webhook:",
    ...selection.map((one) => `    ${named(one)}: ${one.unmet.join("; ")}`),
  ];
}

function named({ title, purpose }: Selection): string {
  return purpose === "" ? title : `${title} (${purpose})`;
}

function runningLines(running: readonly RunningPod[] | undefined): readonly string[] {
  if (running === undefined) return [];
  const injected = running.filter(({ isInjected }) => isInjected).length;
  const count =
    running.length === 0
      ? "  No pod of it runs"
      : `  Running: ${running.length} ${plural(running.length, "pod")}, ${injected} with a sidecar`;
  const rest = running.length - MOST_PODS;
  return [
    count,
    ...running.slice(0, MOST_PODS).map(({ name, age, state }) => `    ${name}, ${age} old: ${state}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

const MOST_PODS = 10;

const DECISIONS = { injected: "Injected", skipped: "Not injected", refused: "Refused" } as const;

function place({ path, layer, replaces }: Piece): string {
  if (layer === "unknown") return `${path} (whose, is not kept)`;
  return `${path} (${layer}${replaces === true ? ", in place of the shipped one" : ""})`;
}
