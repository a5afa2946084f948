// `outrigger check`: whether everything from the deployment to the running pods is sound, one line a check.
import { usageError } from "@outrigger/base";
import type { CheckResult } from "@outrigger/cluster";
import type { Command } from "commander";
import { deploymentOptions } from "../../options/aws-options.ts";
import { runningOptions } from "../../options/cluster-options.ts";
import { optionTable, takes } from "../../options/option.ts";
import { SELECTION_NOTES, selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptions } from "../../options/shared-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

const NOTES = `
Checks the deployment, the webhook's endpoint and, if you name a cluster, the cluster, the mesh and its pods. Nothing is
changed: pods are created as dry runs only. Each line says what was seen, and the command that fixes it:
  ✔  sound    !  needs attention    ✖  broken    ?  could not be checked    –  not tried

Name the cluster with --cluster, or with --context where you reach it by a kubeconfig. With --section prerequisites, only what registering
needs is checked.

With --section registration, the cluster is compared with its registration alone, and every difference is listed: the webhooks
(URL, CA, token, selectors, conditions, policy) with what was registered, the record with the cluster, and the served release's mesh
config and Istio release with istiod's. outrigger register --cluster NAME repairs all but the last two, which you edit in source/mesh
and source/config. It needs fewer rights, and creates no pods as dry runs.

With --verify, the names in sidecars are looked up: images in their registries, without credentials or with those of Amazon ECR,
and the address of istiod among the services of the cluster.

${SELECTION_NOTES} The deployment is checked once, and has the first row.

Exit codes: 0 sound, 1 findings, 2 the command line is wrong, 3 something could not be checked.

Examples:
  outrigger check
  outrigger check --cluster shop --section prerequisites
  outrigger check --cluster shop
  outrigger check --cluster shop --section registration
  outrigger check --cluster shop --verify
  outrigger check --context prod -o json
  outrigger check --all --role-name outrigger-operator`;

const CHECK_OPTIONS = optionTable({
  ...deploymentOptions,
  ...runningOptions,
  ...selectionOptions,
  ...resultOptions,
  url: { argument: "<url>", about: "where the webhook answers (default: $OUTRIGGER_URL, or the stack's output)" },
  istioNamespace: { argument: "<namespace>", about: "the namespace of istiod", default: "istio-system" },
  section: { argument: "<section>", about: "this section alone", choices: ["prerequisites", "registration"] },
  verify: { about: "look up images in their registries too, and istiod's address in the cluster" },
});

export function addCheckCommand(program: Command, io: Io): void {
  takes(program.command("check"), CHECK_OPTIONS)
    .description("check everything from the deployment to the running pods")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const isFleet = selectsClusters(options);
      if (options.section === "registration") {
        if (options.verify === true)
          throw usageError("--section is one section of the whole check: leave out --verify");
        const { printRegistration, printRegistrations } = await import("../../diagnose/check-target.ts");
        return isFleet ? printRegistrations(options, io) : printRegistration(options, io);
      }
      if (options.cluster !== undefined && options.context !== undefined) {
        throw usageError("Cannot use both --cluster and --context: each names the cluster");
      }
      const { checkFleet, checkTarget } = await import("../../diagnose/check-target.ts");
      const isEarly = options.section === "prerequisites";
      if (isFleet) return checkFleet({ ...options, isEarly }, io);
      const results = await checkTarget(options, io, isEarly);
      printResult(io, options.json, { checks: results }, textOf(results));
      const { checkFinding } = await import("../../diagnose/check-answers.ts");
      const finding = checkFinding(results);
      if (finding !== undefined) throw finding;
    });
}

const SIGNS: Readonly<Record<CheckResult["level"], string>> = {
  ok: "✔",
  warning: "!",
  error: "✖",
  unknown: "?",
  untried: "–",
};

function textOf(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ id }) => id.length));
  // What keeps one check from being made keeps most: it is said once.
  const causes = new Map<string, string>();
  const lines = results.map(({ id, section, level, seen, fix, docs }, index) => {
    const head = section === results[index - 1]?.section ? "" : `${index === 0 ? "" : "\n"}${section}\n`;
    const remedy = level === "ok" || level === "untried" ? "" : `${fix === undefined ? "" : `. Fix: ${fix}`} (${docs})`;
    const line = `${head}${SIGNS[level]} ${id.padEnd(width)}  `;
    const text = seen.replaceAll(/\s+/g, " ");
    const cause = level === "unknown" ? text.split(": ").slice(2).join(": ") : "";
    const first = cause === "" ? undefined : causes.get(cause);
    if (first !== undefined) return `${line}could not be checked, as ${first}`;
    causes.set(cause, id);
    return line + text + remedy;
  });
  return `${lines.join("\n")}\n`;
}
