// Whether the names in what releases inject exist, in words.
import type { Release, SourceTree } from "@outrigger/injector";
import type { KubeClient } from "../kube/kube-client.ts";
import { describeAddress, verifyAddresses } from "./discovery-service.ts";
import { injectedNames } from "./injected-names.ts";
import { type RegistryAccess, registryPorts } from "./registry-access.ts";
import { describeImage, type VerifiedImage, verifyImages } from "./verify-images.ts";

export interface VerifiedNames {
  /** Images, each with its digest. */
  readonly found: readonly string[];
  /** Images and addresses that do not exist, each with the text and line that has it, and why. */
  readonly missing: readonly string[];
  /** Images that cannot be looked up, and why. */
  readonly unknown: readonly string[];
}

/**
 * Looks up images in their registries, and with a client of a cluster the address of istiod there.
 *
 * @param layers the shipped tree and those over it: their samples are injected, and their lines named
 */
export async function verifyNames(
  releases: readonly Release[],
  layers: readonly SourceTree[],
  { kube, ...access }: RegistryAccess & { readonly kube?: KubeClient | undefined },
): Promise<VerifiedNames> {
  const names = injectedNames(releases, layers);
  const images = await verifyImages(names.images, registryPorts(access));
  const addresses = kube === undefined ? [] : await verifyAddresses(kube, names.addresses);
  const of = (kind: VerifiedImage["found"]["kind"]) =>
    images.filter(({ found }) => found.kind === kind).map(describeImage);
  const wrong = addresses.filter(({ problem }) => problem !== undefined).map(describeAddress);
  return { found: of("found"), missing: [...of("missing"), ...wrong], unknown: of("unknown") };
}
