// Restarts in clusters at random, on a real API server: Pod Security, quotas, limit ranges, service accounts and a second webhook come to
// workloads that run, and then their namespace asks for sidecars.
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import { randomOf } from "../../support/random.ts";
import { quickRestart } from "./quick-restart.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";
import type { RealLab } from "./real-lab.ts";
import { startSecondWebhook } from "./second-webhook.ts";

const PLURALS: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  StatefulSet: "statefulsets",
  DaemonSet: "daemonsets",
};

/**
 * Makes clusters and restarts what differs in each, under the role of EKS's principal.
 *
 * @param seed of the first cluster; the others count on from it
 * @returns how many workloads were restarted and left, what stopped a restart, and each cluster in which a workload is not back
 */
export async function restartRandomClusters(lab: RealLab, count: number, seed: number) {
  const second = await startSecondWebhook(lab.api);
  try {
    return await restartIn(
      lab,
      second,
      Array.from({ length: count }, (_, index) => seed + index),
    );
  } finally {
    await second.close();
  }
}

type SecondWebhook = Awaited<ReturnType<typeof startSecondWebhook>>;

async function restartIn(lab: RealLab, second: SecondWebhook, seeds: readonly number[]) {
  const pathOf = ({ kind, metadata }: JsonObject) => {
    const { namespace, name } = metadataOf({ metadata });
    return `/apis/apps/v1/namespaces/${namespace}/${PLURALS[String(kind)]}/${name}`;
  };
  /** The ready pods of a workload, and how many it is to have. */
  const readyOf = async (workload: JsonObject) => {
    const object = (await lab.api.admin.get(pathOf(workload))) as JsonObject;
    const { readyReplicas = 0, numberReady } = objectOf(object["status"]);
    const { replicas } = objectOf(object["spec"]);
    return workload["kind"] === "DaemonSet"
      ? { ready: Number(numberReady ?? 0), wanted: 1 }
      : { ready: Number(readyReplicas), wanted: Number(replicas) };
  };
  const areReady = async (workloads: readonly JsonObject[]) => {
    const all = await Promise.all(workloads.map(readyOf));
    return all.every(({ ready, wanted }) => ready >= wanted);
  };

  /** Makes the workloads, and then everything that may refuse their next pods. */
  const build = async ({ name, accounts, workloads, objects, labels, refuses }: RandomCluster) => {
    await lab.namespace(name);
    for (const account of ["default", ...accounts]) {
      if (account !== "default") {
        const metadata = { name: account, namespace: name };
        await lab.api.admin.create(`/api/v1/namespaces/${name}/serviceaccounts`, {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata,
        });
      }
    }
    for (const workload of workloads) await lab.apply(workload);
    await lab.until(`the workloads of ${name} are ready`, () => areReady(workloads));
    for (const object of objects) await lab.apply(object);
    for (const account of accounts) await lab.api.admin.remove(`/api/v1/namespaces/${name}/serviceaccounts/${account}`);
    const quotas = objects.filter(({ kind }) => kind === "ResourceQuota");
    await lab.until(`the quotas of ${name} are counted`, async () => {
      const paths = quotas.map((quota) => `/api/v1/namespaces/${name}/resourcequotas/${metadataOf(quota).name}`);
      const read = await Promise.all(paths.map((path) => lab.api.admin.get(path)));
      return read.every((quota) => objectOf(quota?.["status"])["used"] !== undefined);
    });
    if (refuses !== undefined) await second.refuse(name, refuses);
    await lab.namespace(name, { ...labels, "istio-injection": "enabled" });
  };

  const ends = { restarted: 0, left: 0, down: [] as string[], failures: [] as string[] };
  const clusters = seeds.map((seed) => randomCluster(`r${seed}`, randomOf(seed)));
  // One restart at a time is what a cluster allows; those that come next are made meanwhile.
  const built = new Map<string, Promise<unknown>>();
  const prepare = (index: number) => {
    const cluster = clusters[index];
    if (cluster === undefined || built.has(cluster.name)) return;
    // An error is thrown where it is awaited.
    built.set(
      cluster.name,
      build(cluster).catch((error: unknown) => ({ error })),
    );
  };
  for (const [index, cluster] of clusters.entries()) {
    for (let ahead = 0; ahead < 3; ahead++) prepare(index + ahead);
    const failed = objectOf(await built.get(cluster.name))["error"];
    if (failed !== undefined) throw failed;
    const { name, workloads } = cluster;
    const journal = await quickRestart(lab, { namespace: name }).catch((error: unknown) => {
      throw error instanceof OutriggerError ? new Error(`${name}: ${error.message}`, { cause: error }) : error;
    });
    ends.restarted += journal.done;
    ends.left += journal.left.length;
    if (journal.failure !== undefined)
      ends.failures.push(`${name}: ${journal.failure.workload} ${journal.failure.why}`);
    const end = Date.now() + 60_000;
    let isBack = await areReady(workloads);
    while (!isBack && Date.now() < end) {
      await pause(200);
      isBack = await areReady(workloads);
    }
    if (!isBack) {
      const pods = (await lab.pods(name)).filter((pod) => isRunning(pod)).length;
      const { left, failure } = journal;
      ends.down.push(JSON.stringify({ name, pods, failure, left, cluster }));
    }
    const removing = lab.api.admin.remove(`/api/v1/namespaces/${name}`);
    for (const workload of workloads) await lab.api.admin.remove(pathOf(workload));
    await removing;
    if (cluster.refuses !== undefined) await second.forget(name);
  }
  return ends;
}
