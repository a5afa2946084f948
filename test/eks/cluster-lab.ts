// A laboratory for tests of registering: a fake API server, webhook and publisher that know of each other, and a clock that
// moves only when a caller sleeps.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { clusterStatus, RegistrationPorts, registerCluster } from "@outrigger/cluster";
import { openKube, selfTest } from "@outrigger/cluster";
import { type FakeApiServer, startFakeApiServer } from "./fake-api-server.ts";
import { type FakePublisher, fakePublisher } from "./fake-publisher.ts";
import { type FakeWebhook, startFakeWebhook } from "./fake-webhook.ts";
import { labCertificate } from "./lab-certificate.ts";

type RegistrationRequest = Parameters<typeof registerCluster>[0];
export type StatusQuestion = Parameters<typeof clusterStatus>[1];

export interface ClusterLab {
  readonly api: FakeApiServer;
  readonly webhook: FakeWebhook;
  readonly publisher: FakePublisher;
  readonly ports: RegistrationPorts;
  readonly lines: string[];
  readonly alarms: Set<string>;
  /** A first registration, with changes. */
  readonly request: (requested?: Partial<RegistrationRequest["requested"]>) => RegistrationRequest;
  /** Returns the question for the status of the registered cluster, with changes. */
  readonly question: (changes?: Partial<StatusQuestion>) => StatusQuestion;
  readonly close: () => Promise<void>;
}

export const CLUSTER = { name: "shop", arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop" } as const;

const DEFAULT_NAMESPACE = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "default", labels: { "kubernetes.io/metadata.name": "default" } },
};

/** Annotations without the lease of the command that wrote last: it says nothing of what is in force. */
export function withoutLease(annotations: unknown): JsonObject {
  const { "outrigger/lease": _, ...others } = objectOf(annotations);
  return others;
}

export async function openClusterLab(): Promise<ClusterLab> {
  const certificate = await labCertificate();
  const [api, webhook] = await Promise.all([startFakeApiServer(certificate), startFakeWebhook(certificate)]);
  let clock = Date.UTC(2026, 10, 21);
  const publisher = fakePublisher(() => clock);
  webhook.tokens = publisher.digests;
  api.put("/api/v1/namespaces/default", DEFAULT_NAMESPACE);
  const lines: string[] = [];
  const alarms = new Set<string>();
  let seed = 0;
  const sleep = async (milliseconds: number) => {
    clock += milliseconds;
  };
  const report = (line: string) => void lines.push(line);
  const kube = openKube(
    { name: CLUSTER.name, url: api.url, ca: api.ca, token: async () => "t", remediation: "look" },
    sleep,
  );
  const ports: RegistrationPorts = {
    kube,
    ask: publisher.ask,
    readRecord: publisher.readRecord,
    selfTest: (url, settings, sleep) => selfTest(url, { ...settings, sleep, report }),
    alarm: { put: async (name) => void alarms.add(name), remove: async (name) => void alarms.delete(name) },
    randomBytes: (size) => new Uint8Array(size).fill(++seed),
    now: () => clock,
    sleep,
    report,
  };
  const question: ClusterLab["question"] = (changes = {}) => ({
    cluster: CLUSTER.name,
    deployment: "dev",
    record: publisher.records.get(CLUSTER.name),
    findUrl: async () => webhook.url,
    arn: CLUSTER.arn,
    kubernetesVersion: "1.33",
    istioNamespace: "istio-system",
    releaseOf: () => undefined,
    ...changes,
  });
  const request: ClusterLab["request"] = (requested = {}) => ({
    cluster: CLUSTER.name,
    arn: CLUSTER.arn,
    kubernetesVersion: "1.33",
    deployment: "dev",
    cause: { by: "operator", why: "" },
    withSelfTest: true,
    isCanaryFailing: async () => false,
    requested: { url: webhook.url, revision: "default", caBundle: certificate.cert, ...requested },
  });
  const close = async () => void (await Promise.all([api.close(), webhook.close()]));
  return { api, webhook, publisher, ports, lines, alarms, request, question, close };
}

/** Puts a laboratory back to how it is now; its clock advances. */
export function resetTo({ api, publisher, lines }: ClusterLab): () => void {
  const kept = [api.objects, api.owners, publisher.records].map((map) => [map, [...map]] as const);
  return () => {
    for (const list of [api.calls, publisher.requests, lines]) list.length = 0;
    for (const [map, entries] of kept) {
      map.clear();
      for (const [key, value] of entries) (map as Map<string, unknown>).set(key, value);
    }
  };
}
