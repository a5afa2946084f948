// The publish function for tests of registering: cluster records in memory, guarded as the publisher guards them.

import { OutriggerError } from "@outrigger/base";
import type { AskPublisher } from "@outrigger/cluster";
import type { PublisherRequest } from "@outrigger/publisher";
import { guardedChange } from "@outrigger/publisher";
import { type ClusterRecord, MAX_TOKENS } from "@outrigger/serving";

export interface FakePublisher {
  readonly records: Map<string, ClusterRecord>;
  readonly requests: PublisherRequest[];
  readonly ask: AskPublisher;
  readonly readRecord: (cluster: string) => Promise<ClusterRecord | undefined>;
  /** SHA-256 of every live token. */
  readonly digests: () => readonly string[];
}

export function fakePublisher(now: () => number = () => 0): FakePublisher {
  const records = new Map<string, ClusterRecord>();
  const requests: PublisherRequest[] = [];
  return {
    records,
    requests,
    readRecord: async (cluster) => records.get(cluster),
    digests: () => [...records.values()].flatMap(({ tokens }) => tokens.map(({ sha256 }) => sha256)),
    ask: async (request) => {
      requests.push(request);
      change(records, request, new Date(now()));
      return { ok: true, message: "done", seq: requests.length, changed: true, warnings: [] };
    },
  };
}

function change(records: Map<string, ClusterRecord>, request: PublisherRequest, now: Date): void {
  if (!("cluster" in request)) throw new Error(`the fake does not ${request.action}`);
  const { cluster } = request;
  const there = records.get(cluster);
  const next = guardedChange(request, there, now, () => after(request, there));
  if (next === null) records.delete(cluster);
  else records.set(cluster, next);
}

function after(request: Extract<PublisherRequest, { readonly cluster: string }>, there: ClusterRecord | undefined) {
  if (request.action === "remove-cluster") return null;
  if (request.action === "put-cluster") {
    const { settings = there?.settings ?? {}, ...record } = request.record;
    const kept = Object.keys(settings).length === 0 ? {} : { settings };
    return { ...record, ...kept, tokens: record.tokens ?? there?.tokens ?? [] };
  }
  if (there === undefined) throw new OutriggerError("cluster-unknown", `There is no cluster ${request.cluster}`);
  if (request.action === "retire-token") {
    const tokens = there.tokens.filter(({ sha256 }) => sha256 !== request.sha256);
    if (tokens.length === 0) throw new OutriggerError("cluster-invalid", "Cannot retire the last token");
    return { ...there, tokens };
  }
  if (there.tokens.some(({ sha256 }) => sha256 === request.sha256)) return there;
  if (there.tokens.length === MAX_TOKENS) throw new OutriggerError("cluster-invalid", "Two tokens are live");
  return { ...there, tokens: [...there.tokens, { sha256: request.sha256, created: "2026-11-21T00:00:00.000Z" }] };
}
