// The shape of a connection to a deployment in AWS: what commands ask of it. Tests pass a store and
// a publisher in this process.

import type { ParameterStore } from "@outrigger/aws";
import type { AskPublisher } from "@outrigger/cluster";
import type { AwsTarget } from "../options/aws-options.ts";

export interface AwsConnection {
  readonly store: ParameterStore;
  /** Asks the publish function and waits. What it refuses is thrown as the error that it found. */
  readonly askPublisher: AskPublisher;
  /** Who asks: an ARN, or the name that this machine or pipeline goes by. */
  readonly caller: () => Promise<string>;
  /** Where the deployment is: account, Region and endpoint. Two deployments of the same stage differ in it. */
  readonly place: () => Promise<string>;
}

export type ConnectAws = (target: AwsTarget) => Promise<AwsConnection>;
