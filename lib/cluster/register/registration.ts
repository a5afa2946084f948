// What registering, rotating and unregistering work with: ports to the cluster, to the publisher and to monitoring, which end
// between two calls when the command is stopped.
import { decorate, type JsonObject, OutriggerError } from "@outrigger/base";
import type { Cause } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { buildSafetyNet, buildWebhookConfigurations } from "@outrigger/webhook";
import type { AskPublisher } from "../aws/ask-publisher.ts";
import type { KubeClient } from "../kube/kube-client.ts";

export type Sleep = (milliseconds: number) => Promise<void>;

/** The ports that registering, rotating and unregistering work with. Each function may throw an OutriggerError. */
export interface RegistrationPorts {
  readonly kube: KubeClient;
  readonly ask: AskPublisher;
  readonly readRecord: (cluster: string) => Promise<ClusterRecord | undefined>;
  /** Throws `endpoint-unfit` where the URL does not answer as it should; what it returns is for the caller. */
  readonly selfTest: (
    url: string,
    settings: Pick<WebhookSettings, "timeoutSeconds" | "caBundle" | "injectionLabel">,
    sleep: Sleep,
  ) => Promise<unknown>;
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

/** The cluster, its deployment, and who asks. */
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

/**
 * Ports whose calls throw `interrupted` once the signal is aborted; waiting ends at once. A call that is under way is finished, so
 * that its outcome is known. Undoing is done with the ports as they were given.
 */
export function stoppable(ports: RegistrationPorts): RegistrationPorts {
  const { signal, kube, ask, readRecord, selfTest } = ports;
  if (signal === undefined) return ports;
  const check = () => {
    if (!signal.aborted) return;
    const why = typeof signal.reason === "string" ? signal.reason : "it was stopped";
    throw new OutriggerError("interrupted", `The command did not finish: ${why}; run it again`);
  };
  const guarded = <Port extends object>(port: Port) =>
    decorate(port, (method, args, call) => {
      const checked = () => {
        check();
        return call(...args);
      };
      return LISTS.has(method) ? checked() : (async () => checked())();
    });
  return {
    ...ports,
    ...guarded({ ask, readRecord, selfTest }),
    kube: guarded(kube),
    async sleep(milliseconds) {
      check();
      await untilAborted(signal, ports.sleep(milliseconds));
      check();
    },
  };
}

/** The methods whose answers are read in a loop: they return no promise. */
const LISTS: ReadonlySet<string> = new Set(["list", "pods"] satisfies (keyof KubeClient)[]);

/** Waits for a promise or for the signal. Each wait takes its listener away again. */
async function untilAborted(signal: AbortSignal, wait: Promise<void>): Promise<void> {
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
