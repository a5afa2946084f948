// `outrigger publish --verify`: whether the names in what a tree injects exist, before it is published.
import { OutriggerError } from "@outrigger/base";
import { describeAddress, describeImage, verifyAddresses, verifyImages } from "@outrigger/cluster";
import { compileRelease, type SourceTree } from "@outrigger/injector";
import type { Deployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { registryPorts } from "../connect/registries.ts";
import type { KubeconfigOptions } from "../options/kubeconfig-options.ts";
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
  const release = compileRelease(layers);
  const images = await verifyImages([release], layers, registryPorts(deployment, io.env));
  const isConnected = options.context !== undefined || options.kubeconfig !== undefined;
  const addresses = isConnected
    ? await verifyAddresses((await connectContext(options, io)).kube, [release], layers)
    : [];
  const missing = [
    ...images.filter(({ found }) => found.kind === "missing").map(describeImage),
    ...addresses.filter(({ problem }) => problem !== undefined).map(describeAddress),
  ];
  for (const image of images) {
    if (image.found.kind === "unknown") io.stderr.write(printable(`Warning: not verified: ${describeImage(image)}\n`));
  }
  if (missing.length > 0) {
    const message = `Cannot publish what does not exist: ${missing.join("; ")}; fix the name, or publish without --verify`;
    throw new OutriggerError("findings", message);
  }
  const found = images.filter(({ found: { kind } }) => kind === "found").map(describeImage);
  for (const name of found) io.stderr.write(printable(`Verified: ${name}\n`));
  return found.join(", ");
}
