// `outrigger publish --verify`: whether the names in what a tree injects exist, before it is published.
import { OutriggerError } from "@outrigger/base";
import { verifyNames } from "@outrigger/cluster";
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { proxyAgents } from "../connect/choose-proxy.ts";
import { deploymentClients } from "../connect/connect-cluster.ts";
import type { Deployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { type KubeconfigOptions, namesContext } from "../options/cluster-options.ts";
import type { Io } from "../terminal/io.ts";
import { printable } from "../terminal/printable.ts";
import { shippedTree } from "../tree/read-trees.ts";

/**
 * Looks up images, and with a context of a kubeconfig the address of istiod. What cannot be looked up is a warning.
 *
 * @returns the images with their digests, for the channel's history
 * @throws OutriggerError `findings` where a name does not exist
 */
export async function verifyTree(
  tree: SourceTree,
  deployment: Deployment,
  options: KubeconfigOptions,
  io: Io,
): Promise<string> {
  const layers = [await shippedTree(io), tree];
  const { found, missing, unknown } = await verifyNames([compileRelease(layers)], layers, {
    client: async () => (await deploymentClients(deployment, io.env)).lambda,
    ecrEndpoint: ecrEndpoint(io.env),
    agentFor: proxyAgents(io.env),
    ...(namesContext(options) && { kube: await connectContext(options, io) }),
  });
  for (const name of unknown) io.stderr.write(printable(`Warning: not verified: ${name}\n`));
  if (missing.length > 0) {
    const message = `Cannot publish what does not exist: ${missing.join("; ")}; fix the name, or publish without --verify`;
    throw new OutriggerError("findings", message);
  }
  for (const name of found) io.stderr.write(printable(`Verified: ${name}\n`));
  return found.join(", ");
}

/** The endpoint that the SDK's rule names in place of ECR's own API. */
export function ecrEndpoint(env: Io["env"]): string | undefined {
  return env["AWS_ENDPOINT_URL_ECR"] || env["AWS_ENDPOINT_URL"] || undefined;
}
