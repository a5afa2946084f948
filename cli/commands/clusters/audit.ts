// `outrigger audit`: the pods of a cluster that should have a sidecar but have none.

import { OutriggerError } from "@outrigger/base";
import { findUninjected } from "@outrigger/cluster";
import { decide } from "@outrigger/injector";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
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
  const { connectClusterToRead, readClusterRecord } = await import("../../connect/connect-cluster.ts");
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
  printResult(io, options.json, audit, textOf(audit));
  const { length } = audit.uninjected;
  if (length === 0) return;
  throw new OutriggerError(
    "findings",
    `${length === 1 ? "One pod" : `${length} pods`} of ${options.cluster} should have a sidecar and ${length === 1 ? "has" : "have"} none`,
  );
}

const MOST_NAMESPACES = 10;

function textOf({ pods, injected, uninjected, unlabelled }: Awaited<ReturnType<typeof findUninjected>>): string {
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
  const summary = unlabelled.length === 0 ? count : `${count}${silent}`;
  return rows.length === 0 ? summary : `${summary}\n${table(["POD", "OWNER", "WHY", "REMEDIATION"], rows)}`;
}
