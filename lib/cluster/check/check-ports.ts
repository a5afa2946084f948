// What the checks of `outrigger check` read with: the deployment's store and clients, the cluster, and what only the caller can find. Types only.
import type { Layout, ParameterStore } from "@outrigger/aws";
import type { NamedPod, Release } from "@outrigger/injector";
import type { ChannelRecord } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import type { AgentFor } from "../kube/http-exchange.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import type { Uninjected } from "../pods/why-uninjected.ts";
import type { DeploymentClients } from "./read-deployment.ts";

/** Facts about the pods that run, next to what new pods would get. */
export interface RunningFacts {
  readonly pods: number;
  readonly injected: number;
  /** Pods that should have a sidecar and have none. */
  readonly uninjected: readonly Uninjected[];
  /** Namespaces without a label for injection, in which no running pod asks for a sidecar or has one. */
  readonly unlabelled: readonly string[];
  /** The reason why pods could not be compared with new ones. */
  readonly unjudged?: string;
  readonly workloads: number;
  /** Workloads whose new pods would differ, with the fields: `shop/Deployment/web: containers[istio-proxy].image`. */
  readonly outdated: readonly string[];
  /** The pods that take branches of the served templates which no sample takes, and those branches: `templates/agent:12:3 true`. */
  readonly unsampled: { readonly pods: number; readonly workloads: number; readonly branches: readonly string[] };
}

type Channels = Readonly<Record<string, ChannelRecord>>;

export interface CheckedCluster {
  /** The cluster's name in EKS; left out where it is reached by a kubeconfig. */
  readonly eksName?: string;
  /** The name of its registration; left out, the registration is found by the token of its webhooks. */
  readonly registeredAs?: string;
  /** Further options that name it in the commands that a fix proposes, each with a space before it: ` --role-arn …`. */
  readonly flags?: string;
  /** The cluster's name if it has no registration: the context of a kubeconfig. */
  readonly context?: string;
  /** Connects to its API server; EKS says the ARN and the version. */
  readonly connect: () => Promise<{
    readonly kube: KubeClient;
    readonly arn?: string;
    readonly kubernetesVersion?: string;
  }>;
}

/**
 * The ports that {@link runChecks} reads with. If a port throws an OutriggerError, the checks that need it are
 * `unknown`.
 */
export interface CheckPorts {
  /** The deployment's stage: `dev`. */
  readonly deployment: string;
  readonly store: ParameterStore;
  readonly layout: Layout;
  readonly aws: DeploymentClients;
  /** The principal that the credentials belong to. The account is empty where AWS does not say it. */
  readonly caller: () => Promise<Readonly<Record<"who" | "account" | "region", string>>>;
  readonly readChannels: () => Promise<Channels>;
  readonly readClusters: () => Promise<Readonly<Record<string, ClusterRecord>>>;
  readonly readRecord: (cluster: string) => Promise<ClusterRecord | undefined>;
  /** Returns the release that the deployment serves now to each channel. */
  readonly readServed: () => Promise<(channel: string) => Release | undefined>;
  /** A sentence where the source differs from what is served of it. */
  readonly sourceDifference: (channels: Channels) => Promise<string | undefined>;
  /** The shipped templates, whose samples are tried next to those of the source. */
  readonly shippedTree: () => Promise<Readonly<Record<string, string>>>;
  /** The webhook's URL; left out, it is an output of the stack. */
  readonly url?: string;
  /** Left out: the deployment and its endpoint alone are checked. */
  readonly cluster?: CheckedCluster;
  readonly istioNamespace: string;
  readonly agentFor?: AgentFor;
  /** Compares the pods of a cluster that run with what new ones would get: as many of them as is quick. */
  readonly readRunning: (kube: KubeClient, samples: readonly NamedPod[]) => Promise<RunningFacts>;
  /** Options that name the deployment in the commands that a fix proposes, each with a space before it. */
  readonly flags: string;
  /** Given where the names in sidecars are to be looked up: images in registries, istiod's address in the cluster. */
  readonly names?: { readonly ecrEndpoint?: string | undefined };
  /** Whether only the checks are made that registering a cluster needs. */
  readonly isEarly: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
