// What `outrigger check` knows before it judges: plain data, one part for each source. Types only.
import type { ClusterRecord } from "@outrigger/serving";
import type { CreationFailure } from "../admission/creation-failures.ts";
import type { OtherWebhook } from "../admission/other-webhooks.ts";
import type { readStack } from "../aws/read-stack.ts";
import type { Istiod } from "../istio/read-istiods.ts";
import type { VerifiedAddress, VerifiedImage } from "../names/verify-names.ts";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import type { Uninjected } from "../pods/why-uninjected.ts";
import type { ClusterStatus } from "../status/cluster-status.ts";
import type { readDryRuns, tryWorkloads } from "./dry-runs.ts";
import type { Fact } from "./finding.ts";
import type { readConflictingWebhooks, readNet, readPermissions } from "./read-cluster.ts";
import type { readAlarms, readFunctions, readLogs } from "./read-deployment.ts";
import type { readCalls, readTls } from "./read-endpoint.ts";

export interface Facts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly deployment: DeploymentFacts;
  readonly endpoint: EndpointFacts;
  /** Left out where no cluster is named. */
  readonly cluster?: ClusterFacts;
  /** Options for commands that a fix proposes, each with a space before it. */
  readonly flags: { readonly deployment: string; readonly cluster: string };
}

/** What a look without a person's rights sees of a deployment. */
export interface DeployedFacts {
  readonly deployment: Pick<DeploymentFacts, "name" | "stack" | "functions" | "alarms" | "logs">;
}

type Read<Reader extends (...question: never[]) => Promise<unknown>> = Fact<Awaited<ReturnType<Reader>>>;

export interface DeploymentFacts {
  /** `dev` */
  readonly name: string;
  readonly caller: Fact<CallerFacts>;
  readonly stack: Read<typeof readStack>;
  /** By the last part of their names: `inject`, `publish`, … */
  readonly functions: Read<typeof readFunctions>;
  readonly alarms: Read<typeof readAlarms>;
  /** Log group → the metric filters of it; undefined where there is no such group. */
  readonly logs: Read<typeof readLogs>;
  readonly served: Fact<ServedFacts>;
  /** A sentence where the source differs from what is served of it. */
  readonly sourceDifference: Fact<string | undefined>;
  /** Of the releases that are served; left out where nobody asked for it. */
  readonly images?: Fact<readonly VerifiedImage[]>;
}

/** Whose the credentials are. */
export interface CallerFacts {
  readonly who: string;
  /** Empty where AWS does not say it. */
  readonly account: string;
  readonly region: string;
}

export interface ServedFacts {
  readonly seq: number;
  /** Channel → digest, as containers read it. */
  readonly channels: Readonly<Record<string, string>>;
  /** Channel → digest, as the records say. */
  readonly records: Readonly<Record<string, string>>;
}

export interface EndpointFacts {
  readonly url: Fact<string>;
  readonly tls: Read<typeof readTls>;
  readonly calls: Read<typeof readCalls>;
}

export interface ClusterFacts {
  /** The record's name. */
  readonly name: string;
  readonly access: Fact<{ readonly version: string; readonly arn?: string }>;
  readonly record: Fact<ClusterRecord | undefined>;
  readonly installed: Fact<readonly InstalledWebhook[]>;
  readonly status: Fact<ClusterStatus>;
  readonly conflictingWebhooks: Read<typeof readConflictingWebhooks>;
  readonly permissions: Read<typeof readPermissions>;
  readonly net: Read<typeof readNet>;
  readonly dryRuns: Read<typeof readDryRuns>;
  readonly workloads: Read<typeof tryWorkloads>;
  /** Webhooks of others that are called for pods of the namespaces that ours select. */
  readonly otherWebhooks: Fact<readonly OtherWebhook[]>;
  readonly creationFailures: Fact<readonly CreationFailure[]>;
  readonly istiods: Fact<readonly Istiod[]>;
  /** Where proxies look for istiod; left out where nobody asked for it. */
  readonly addresses?: Fact<readonly VerifiedAddress[]>;
  /** Of the proxy that the served release injects, by revision. */
  readonly proxyImages: Fact<Readonly<Record<string, string>>>;
  readonly running: Fact<RunningFacts>;
}

/** What runs, next to what new pods would get. */
export interface RunningFacts {
  readonly pods: number;
  readonly injected: number;
  /** Pods that should have a sidecar and have none. */
  readonly uninjected: readonly Uninjected[];
  /** Namespaces without a label for injection, in which no running pod asks for a sidecar or has one. */
  readonly unlabelled: readonly string[];
  /** Why pods could not be compared with new ones. */
  readonly unjudged?: string;
  readonly workloads: number;
  /** Workloads whose new pods would differ, with the fields: `shop/Deployment/web: containers[istio-proxy].image`. */
  readonly outdated: readonly string[];
}
