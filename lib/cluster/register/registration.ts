// What registering, rotating and unregistering work with: ports to the cluster, to the publisher and to monitoring, and
// the lease by which only one command at a time changes a cluster. Types and a few steps that all of them take.
import type { JsonObject } from "@outrigger/base";
import type { Cause, PublisherRequest } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { buildSafetyNet, buildWebhookConfigurations } from "@outrigger/webhook";
import type { AskPublisher } from "../aws/ask-publisher.ts";
import type { KubeClient } from "../kube/kube-client.ts";

export type Sleep = (milliseconds: number) => Promise<void>;

/** With what registering, rotating and unregistering work. Each function may throw an OutriggerError. */
export interface RegistrationPorts {
  readonly kube: KubeClient;
  readonly ask: AskPublisher;
  readonly readRecord: (cluster: string) => Promise<ClusterRecord | undefined>;
  /** Throws `endpoint-unfit` where the URL does not answer as it should. */
  readonly selfTest: (
    url: string,
    settings: Pick<WebhookSettings, "timeoutSeconds" | "caBundle">,
    sleep: Sleep,
  ) => Promise<void>;
  /** Creates or removes the alarm for a cluster that does not call. */
  readonly alarm: { put(cluster: string): Promise<void>; remove(cluster: string): Promise<void> };
  readonly randomBytes: (size: number) => Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: Sleep;
  /** Takes a line of progress. */
  readonly report: (line: string) => void;
  /** Aborted when the command shall stop. The reason is a text. */
  readonly signal?: AbortSignal;
}

/** Which cluster of which deployment, and who asks. */
export interface Subject {
  /** The record's name. */
  readonly cluster: string;
  readonly deployment: string;
  readonly cause: Cause;
}

/** The objects that settings come to, in the order in which they are created. */
export function builtObjects(settings: WebhookSettings): readonly JsonObject[] {
  return [...buildWebhookConfigurations(settings), ...buildSafetyNet(settings)];
}

/** A lease on a cluster's record, as changes of it carry it. */
export type Lease = NonNullable<Extract<PublisherRequest, { readonly action: "put-cluster" }>["lease"]>;

/** The lease as a change releases it. */
export function released({ id }: Lease): Lease {
  return { id, seconds: 0 };
}

/** A record without what only the publisher writes. */
export function contentOf({ lease: _, ...content }: ClusterRecord): Omit<ClusterRecord, "lease"> {
  return content;
}
