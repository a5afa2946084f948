// What a command asks of a deployment in AWS, and which one. Tests pass a store and a publisher in this process.
import type { Layout, ParameterStore } from "@outrigger/aws";
import type { AskPublisher } from "@outrigger/cluster";
import type { Hold } from "@outrigger/publisher";

/** The deployment that a command is about, and the profile with whose rights it is asked. */
export interface AwsTarget {
  /** The deployment's stage: `dev`. */
  readonly stage: string;
  readonly layout: Layout;
  /** Name or ARN of the publish function. */
  readonly publisher: string;
  /** The Region of --region. Left out, it is found by the AWS CLI's rule. */
  readonly region?: string;
  /** AWS_DEFAULT_REGION, where AWS_REGION is not set: the SDK does not read it, and the AWS CLI does. */
  readonly defaultRegion?: string;
  /** The address of a fake in this process, which is asked in place of AWS: with no one's credentials. */
  readonly fake?: string;
  readonly profile?: string;
}

export interface AwsConnection {
  readonly store: ParameterStore;
  /** Asks the publish function and waits. What it refuses is thrown as the error that it found. */
  readonly askPublisher: AskPublisher;
  /** The name of the one who asks: an ARN, or the name of this machine or pipeline. */
  readonly caller: () => Promise<string>;
  /** The deployment's setting `guardrails`, as it is deployed; empty where there are none. */
  readonly guardrails: () => Promise<string>;
  /** The deployment's setting `hold`, as it is deployed; undefined where it may not be read. */
  readonly hold: () => Promise<Hold | undefined>;
  /** The deployment's setting `environment`, as it is deployed; empty where there is none, undefined where it may not be read. */
  readonly environment: () => Promise<string | undefined>;
  /** The version of the publish function; undefined where it may not be called, or is older than such answers. */
  readonly functionVersion: () => Promise<string | undefined>;
  /** The prefixes below which something is published in this account and Region; undefined where that may not be listed. */
  readonly deployments: () => Promise<readonly string[] | undefined>;
  /** The place of the deployment: account, Region and endpoint. Two deployments of the same stage differ in it. */
  readonly place: () => Promise<string>;
}

/** Connects to the deployment that a target names. What AWS refuses is thrown later, by the calls. */
export type ConnectAws = (target: AwsTarget) => Promise<AwsConnection>;
