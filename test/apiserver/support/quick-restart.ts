// A restart in a laboratory with a real API server, without the minute for which the command watches what is back: the same restart, under
// the same role.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { layoutOf } from "@outrigger/aws";
import { findInstalled, readNamespaces, recordOf } from "@outrigger/cluster";
import { readRecords } from "@outrigger/publisher";
import { type RestartPorts, type RestartQuestion, runRestart, servedNow } from "@outrigger/rollouts";
import { readSnapshot } from "@outrigger/serving";
import type { RealLab } from "./real-lab.ts";

/** Restarts what a question names, two workloads at a time. */
export async function quickRestart(
  { kubeAs: kube, aws: { store } }: RealLab,
  question: RestartQuestion,
  report: RestartPorts["report"] = () => {},
) {
  const layout = layoutOf("/outrigger/dev");
  const [installed, namespaces, { clusters }, reading] = await Promise.all([
    findInstalled(kube),
    readNamespaces(kube),
    readRecords({ store, layout }),
    readSnapshot(store, layout, undefined),
  ]);
  const found = recordOf(installed, clusters);
  if (found === undefined || reading.kind !== "snapshot") throw new Error("The cluster is not registered");
  const ports: RestartPorts = {
    kube,
    servedFor: servedNow({ ...found, installed, namespaces, snapshot: reading.snapshot }),
    releaseOf: async () => undefined,
    now: Date.now,
    sleep: (milliseconds) => pause(Math.min(milliseconds, 300)),
    report,
    id: randomUUID(),
    by: "somebody",
  };
  return runRestart("dev", { question, parallel: 2, bake: 0, isResumed: false }, ports);
}
