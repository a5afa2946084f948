// What `outrigger check` knows before it judges: plain data, one part for each source. Types only.
import type { JsonObject } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import type { CreationFailure } from "../admission/creation-failures.ts";
import type { OtherWebhook } from "../admission/other-webhooks.ts";
import type { Answer } from "../admission/try-pod.ts";
import type { StackFacts } from "../aws/read-stack.ts";
import type { Istiod } from "../istio/read-istiods.ts";
import type { VerifiedAddress, VerifiedImage } from "../names/verify-names.ts";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import type { Uninjected } from "../pods/why-uninjected.ts";
import type { ClusterStatus } from "../status/cluster-status.ts";
import type { Fact } from "./finding.ts";

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

export interface DeploymentFacts {
  /** `dev` */
  readonly name: string;
  readonly caller: Fact<CallerFacts>;
  readonly stack: Fact<StackFacts | undefined>;
  /** By the last part of their names: `inject`, `publish`, … */
  readonly functions: Fact<Readonly<Record<string, FunctionFacts | undefined>>>;
  readonly alarms: Fact<readonly AlarmFacts[]>;
  /** Log group → the metric filters of it; undefined where there is no such group. */
  readonly logs: Fact<Readonly<Record<string, readonly FilterFacts[] | undefined>>>;
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

export interface FunctionFacts {
  readonly state: string;
  readonly lastUpdate: string;
  readonly codeSha256: string;
  /** What an injection may add to a pod, as the setting has it; empty: anything. */
  readonly guardrails?: string;
  /** The log group that it writes to. */
  readonly logGroup?: string;
  /** What calls reach, where there is an alias: its version and code. */
  readonly live?: { readonly version: string; readonly codeSha256: string };
}

export interface AlarmFacts {
  readonly name: string;
  readonly state: string;
  /** Whether it notifies any receiver. */
  readonly hasActions: boolean;
  /** False where its actions were switched off. */
  readonly isEnabled: boolean;
}

/** A metric that is made of the lines of a log group. */
export interface FilterFacts {
  readonly metric: string;
  readonly pattern: string;
  /** `Outrigger 1 Stage=$.stage`: the namespace, what a line counts, the dimensions. */
  readonly as: string;
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
  readonly tls: Fact<TlsFacts>;
  readonly calls: Fact<CallFacts>;
}

export interface TlsFacts {
  /** `TLSv1.3` */
  readonly protocol: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
  readonly milliseconds: number;
}

export interface CallFacts {
  /** Milliseconds of each call, connection included. */
  readonly milliseconds: readonly number[];
  /** Whether the calls came with a cluster's token. Without one, the answer to an unknown token is expected. */
  readonly withToken: boolean;
  readonly problem?: string;
  /** What the API server waits for, in seconds. */
  readonly timeoutSeconds: number;
}

export interface ClusterFacts {
  /** The record's name. */
  readonly name: string;
  readonly access: Fact<{ readonly version: string; readonly arn?: string }>;
  readonly record: Fact<ClusterRecord | undefined>;
  readonly installed: Fact<readonly InstalledWebhook[]>;
  readonly status: Fact<ClusterStatus>;
  readonly conflictingWebhooks: Fact<readonly ConflictingWebhook[]>;
  readonly permissions: Fact<readonly PermissionFacts[]>;
  readonly net: Fact<NetFacts>;
  readonly dryRuns: Fact<readonly DryRun[]>;
  readonly workloads: Fact<WorkloadFacts>;
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

/** Another injector whose webhook selects pods that ours selects. */
export interface ConflictingWebhook {
  readonly name: string;
  readonly namespaces: readonly string[];
}

export interface PermissionFacts {
  /** `create mutatingwebhookconfigurations.admissionregistration.k8s.io` */
  readonly what: string;
  readonly isAllowed: boolean;
}

export interface NetFacts {
  readonly isServed: boolean;
  readonly bindings: readonly JsonObject[];
  /** Names of the policies that are there. */
  readonly policies: readonly string[];
  /** What the API server says of policies whose CEL it doubts. */
  readonly warnings: readonly string[];
}

/** A sample that was created as a dry run. */
export interface DryRun {
  readonly sample: string;
  readonly namespace: string;
  readonly milliseconds: number;
  readonly isInjected: boolean;
  /** Whether the served release injects it. */
  readonly isExpected: boolean;
  /** Why the API server rejected it. */
  readonly problem?: string;
}

/** Workloads whose pods were created as dry runs in their own namespaces: one of each namespace that our webhooks select. */
export interface WorkloadFacts {
  readonly tried: readonly {
    /** `shop/Deployment/web` */
    readonly workload: string;
    readonly answer: Answer;
    /** Whether the served release injects it, and the phase sends it. */
    readonly isExpected: boolean;
  }[];
  /** Namespaces that our webhooks select, and those of them that are over the bound. */
  readonly selected: number;
  readonly left: number;
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
