// The way from a command's options to a deployment that it can read, write and ask.
import type { Cause } from "@outrigger/publisher";
import { type AwsOptions, awsTarget } from "../options/aws-options.ts";
import type { Io } from "../terminal/io.ts";
import type { AwsConnection, AwsTarget } from "./aws-connection.ts";

export interface Deployment extends AwsConnection {
  readonly target: AwsTarget;
}

/** Connects to the deployment that the options name. */
export async function openDeployment(options: AwsOptions, io: Io): Promise<Deployment> {
  const target = awsTarget(options, io.env);
  const connection = await io.connect(target);
  // What the function goes by itself need not be said, and a function that was deployed earlier may not know the word.
  if (target.layout.prefix === `/outrigger/${target.stage}` && options.publisher === undefined) {
    return { ...connection, target };
  }
  const { prefix } = target.layout;
  return { ...connection, target, askPublisher: (request) => connection.askPublisher({ ...request, prefix }) };
}

/** Who asks, and why. */
export async function causeOf(deployment: Deployment, message: string | undefined): Promise<Cause> {
  return { by: await deployment.caller(), why: message ?? "" };
}
