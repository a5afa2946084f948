// The publish function for tests of registering: cluster records in memory, as the contract of lib/store says they change.

import type { AskPublisher } from "../../lib/cluster/ask-publisher.ts";
import { OutriggerError } from "../../lib/errors.ts";
import type { PublisherRequest } from "../../lib/publish/publisher-request.ts";
import { type ClusterRecord, MAX_TOKENS } from "../../lib/serve/cluster-record.ts";

export interface FakePublisher {
  readonly records: Map<string, ClusterRecord>;
  readonly requests: PublisherRequest[];
  readonly ask: AskPublisher;
  readonly readRecord: (cluster: string) => Promise<ClusterRecord | undefined>;
  /** SHA-256 of every live token. */
  readonly digests: () => readonly string[];
}

export function fakePublisher(): FakePublisher {
  const records = new Map<string, ClusterRecord>();
  const requests: PublisherRequest[] = [];
  return {
    records,
    requests,
    readRecord: async (cluster) => records.get(cluster),
    digests: () => [...records.values()].flatMap(({ tokens }) => tokens.map(({ sha256 }) => sha256)),
    ask: async (request) => {
      requests.push(request);
      change(records, request);
      return { ok: true, message: "done", seq: requests.length, changed: true, warnings: [] };
    },
  };
}

function change(records: Map<string, ClusterRecord>, request: PublisherRequest): void {
  if (!("cluster" in request)) throw new Error(`the fake does not ${request.action}`);
  const { cluster } = request;
  const before = records.get(cluster);
  if (request.action === "put-cluster") {
    records.set(cluster, { ...request.record, tokens: request.record.tokens ?? before?.tokens ?? [] });
  } else if (request.action === "remove-cluster") {
    records.delete(cluster);
  } else if (before === undefined) {
    throw new OutriggerError("cluster-invalid", `There is no cluster ${cluster}`);
  } else if (request.action === "add-token") {
    if (before.tokens.length === MAX_TOKENS) throw new OutriggerError("cluster-invalid", "Two tokens are live");
    const created = "2026-11-21T00:00:00.000Z";
    records.set(cluster, { ...before, tokens: [...before.tokens, { sha256: request.sha256, created }] });
  } else {
    const tokens = before.tokens.filter(({ sha256 }) => sha256 !== request.sha256);
    records.set(cluster, { ...before, tokens });
  }
}
