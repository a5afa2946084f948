// `outrigger audit`: the pods of a cluster that should have a sidecar but have none.

import { defined, OutriggerError } from "@outrigger/base";
import { findUninjected } from "@outrigger/cluster";
import { decide } from "@outrigger/injector";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type MissedPods, missedPods, oldestMissed } from "../../diagnose/missed-pods.ts";
import { type ClusterOptions, withClusterOptions } from "../../options/cluster-options.ts";
import { type KubeconfigOptions, withKubeconfigOptions } from "../../options/kubeconfig-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

interface AuditOptions extends ClusterOptions, KubeconfigOptions {
  readonly namespace?: string;
  readonly json?: true;
}

const NOTES = `
Checks every running pod: do the labels of the namespace and of the pod select it, and would the served release inject it?

Exit codes: 0 sound, 1 findings, 2 the command line is wrong, 3 could not check.

Examples:
  outrigger audit --cluster shop
  outrigger audit --cluster shop --namespace checkout --json`;

export function addAuditCommand(program: Command, io: Io): void {
  withKubeconfigOptions(withClusterOptions(program.command("audit")))
    .description("list the pods that should have a sidecar but have none, and why")
    .option("-n, --namespace <namespace>", "only this namespace")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action((options: AuditOptions) => runAudit(options, io));
}

async function runAudit(options: AuditOptions, io: Io): Promise<void> {
  const { connectClusterToRead, readClusterRecord, watchDeployment } = await import("../../connect/connect-cluster.ts");
  const { readServed } = await import("../../releases/read-served.ts");
  const deployment = await openDeployment(options, io);
  const { kube } = await connectClusterToRead(deployment, options, io);
  const record = await readClusterRecord(deployment, options.as ?? options.cluster);
  const served = await readServed(deployment);
  const audit = await findUninjected(
    kube,
    (revision, pod, namespace) => {
      const release = served(record?.revisions[revision] ?? "");
      return release === undefined ? undefined : decide(release.config, pod, namespace);
    },
    options.namespace,
  );
  const since = oldestMissed(audit.uninjected);
  const read = async () => (since === undefined ? [] : (await watchDeployment(deployment, io.env)).lostCalls(since));
  const missed = missedPods(audit.uninjected, await orNone(read, io));
  printResult(io, options.json, { ...audit, ...defined({ missed }) }, textOf(audit, missed));
  const { length } = audit.uninjected;
  if (length === 0) return;
  throw new OutriggerError(
    "findings",
    `${length === 1 ? "One pod" : `${length} pods`} of ${options.cluster} should have a sidecar and ${length === 1 ? "has" : "have"} none`,
  );
}

/** Why pods were missed is worth a line; that it cannot be read is no reason to keep the list back. */
async function orNone<Lost>(read: () => Promise<readonly Lost[]>, io: Io): Promise<readonly Lost[]> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    io.stderr.write(`Whether calls were lost when these pods were made is not known: ${error.message}\n`);
    return [];
  }
}

const MOST_NAMESPACES = 10;

function textOf(
  { pods, injected, uninjected, unlabelled }: Awaited<ReturnType<typeof findUninjected>>,
  missed: MissedPods | undefined,
): string {
  const rows = uninjected.map(({ namespace, name, owner, reason, remediation }) => [
    `${namespace}/${name}`,
    owner || "-",
    reason,
    remediation,
  ]);
  const some = unlabelled.slice(0, MOST_NAMESPACES).join(", ");
  const rest = unlabelled.length - MOST_NAMESPACES;
  const silent = `Neither namespace nor pods ask for a sidecar in ${some}${rest > 0 ? ` and ${rest} more` : ""}: kubectl label namespace NAME istio-injection=enabled, if they should\n`;
  const count = `${injected} of ${pods} pods have a sidecar, ${uninjected.length} should have one\n`;
  const lost = missed === undefined ? "" : `${lostLine(missed)}\n`;
  const summary = `${count}${lost}${unlabelled.length === 0 ? "" : silent}`;
  return rows.length === 0 ? summary : `${summary}\n${table(["POD", "OWNER", "WHY", "REMEDIATION"], rows)}`;
}

function lostLine({ pods, calls, since, until }: MissedPods): string {
  const made = pods === 1 ? "One of them was" : `${pods} of them were`;
  return `${made} made when calls got no review: ${calls} calls of all clusters from ${since} to ${until}`;
}
