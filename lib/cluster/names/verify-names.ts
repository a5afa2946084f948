// The names in what a release injects that must exist elsewhere, and whether they do: images, and the control plane's address.
import { type JsonObject, metadataKeys, objectOf, objectsOf, parseJson, textOf, unlessOwnError } from "@outrigger/base";
import { injectPod, loadRelease, type Release, type SourceTree, samplePods } from "@outrigger/injector";
import { containersOf } from "@outrigger/pod";
import type { KubeClient } from "../kube/kube-client.ts";
import type { RegistryAccess, RegistryPorts, ResolvedImage } from "./resolve-image.ts";
import { registryPorts, resolveImage } from "./resolve-image.ts";

export interface InjectedName {
  readonly name: string;
  /** `values/10-mine:1`; left out where no text has it as it is. */
  readonly place?: string;
}

/** An author who names an image chooses it. */
const PROXY_IMAGE = metadataKeys.proxyImage;

/**
 * Returns the names that pods of the samples, and a plain pod for each template, get of releases: images, and istiod's
 * addresses as `discoveryAddress` has them. What their authors wrote does not count.
 *
 * @param layers the shipped tree and those over it: their samples are injected, and their lines named
 */
export function injectedNames(releases: readonly Release[], layers: readonly SourceTree[]) {
  const images = new Set<string>();
  const addresses = new Set<string>();
  for (const container of releases.flatMap((release) => addedContainers(release, layers))) {
    const { image } = container;
    if (typeof image === "string" && image !== "") images.add(image);
    const address = discoveryAddress(container);
    if (address !== undefined) addresses.add(address);
  }
  const named = (names: ReadonlySet<string>, partOf: (name: string) => string) =>
    [...names].sort().map((name) => ({ name, ...placeOf(partOf(name), layers) }));
  return {
    images: named(images, (image) => image.split("@")[0]?.replace(/\/[^/]*$/, "") ?? image),
    addresses: named(addresses, (address) => address),
  };
}

function describeName({ name, place }: InjectedName, problem: string): string {
  return `${name}${place === undefined ? "" : ` (${place})`}: ${problem}`;
}

function addedContainers(release: Release, layers: readonly SourceTree[]): readonly JsonObject[] {
  const injector = loadRelease(release);
  const { templates, config } = injector;
  return samplePods(layers, [...templates.names, ...Object.keys(config.aliases)], config.injectionLabel).flatMap(
    ({ request }) => {
      if (request.pod.metadata?.annotations?.[PROXY_IMAGE] !== undefined) return [];
      const own = new Set(containersOf(request.pod.spec).map(({ name, image }) => `${name} ${image}`));
      const result = unlessOwnError(() => injectPod(injector, request));
      const all = result?.injected ? containersOf(result.pod.spec) : [];
      return all.filter(({ name, image }) => !own.has(`${name} ${image}`));
    },
  );
}

function discoveryAddress({ env }: JsonObject): string | undefined {
  const text = textOf(objectsOf(env).find(({ name }) => name === "PROXY_CONFIG")?.["value"]);
  return textOf(objectOf(parseJson(text ?? ""))["discoveryAddress"]);
}

/** The line that has it, of the uppermost layer that does. */
function placeOf(part: string, layers: readonly SourceTree[]): { readonly place?: string } {
  for (const layer of [...layers].reverse()) {
    for (const [path, text] of Object.entries(layer)) {
      if (path.startsWith("samples/") || path.startsWith("tests/")) continue;
      const at = text.split("\n").findIndex((line) => line.includes(part));
      if (at !== -1) return { place: `${path}:${at + 1}` };
    }
  }
  return {};
}

/**
 * Looks up images in their registries, and with a client of a cluster the address of istiod there. `found` has images with their
 * digests, `missing` images and addresses with the line that has them and why, `unknown` images that cannot be looked up and why.
 *
 * @param layers the shipped tree and those over it: their samples are injected, and their lines named
 */
export async function verifyNames(
  releases: readonly Release[],
  layers: readonly SourceTree[],
  { kube, ...access }: RegistryAccess & { readonly kube?: KubeClient | undefined },
) {
  const names = injectedNames(releases, layers);
  const images = await verifyImages(names.images, registryPorts(access));
  const addresses = kube === undefined ? [] : await verifyAddresses(kube, names.addresses);
  const of = (kind: VerifiedImage["found"]["kind"]) =>
    images.filter(({ found }) => found.kind === kind).map(describeImage);
  const wrong = addresses.filter(({ problem }) => problem !== undefined).map(describeAddress);
  return { found: of("found"), missing: [...of("missing"), ...wrong], unknown: of("unknown") };
}

export interface VerifiedImage extends InjectedName {
  readonly found: ResolvedImage;
}

/** Images that are looked up, and how many at a time. */
const MOST = 50;
const AT_ONCE = 4;

export async function verifyImages(
  names: readonly InjectedName[],
  ports: RegistryPorts,
): Promise<readonly VerifiedImage[]> {
  const verified: VerifiedImage[] = [];
  // Each takes the next one from it.
  const next = names.slice(0, MOST).entries();
  const work = async () => {
    for (const [index, named] of next) verified[index] = { ...named, found: await resolveImage(named.name, ports) };
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const why = `more than ${MOST} images are injected, and this one was not looked up`;
  return [...verified, ...names.slice(MOST).map((named) => ({ ...named, found: { kind: "unknown", why } as const }))];
}

/** `docker.io/istoi/proxyv2:1.31.1 (values/10-mine:1): Docker Hub shows no …` */
export function describeImage(image: VerifiedImage): string {
  const { name, found } = image;
  if (found.kind !== "found") return describeName(image, found.why);
  return found.digest === undefined || name.endsWith(found.digest) ? name : `${name}@${found.digest}`;
}

/** An address, and why no proxy can reach istiod there. */
export interface VerifiedAddress extends InjectedName {
  /** Left out where nothing is wrong, or where it is not of this cluster. */
  readonly problem?: string;
}

export function verifyAddresses(kube: KubeClient, names: readonly InjectedName[]): Promise<readonly VerifiedAddress[]> {
  return Promise.all(names.map((named) => verifyAddress(kube, named)));
}

/** `istoid.istio-system.svc:15012 (mesh:3): there is no service istio-system/istoid` */
export function describeAddress(address: VerifiedAddress): string {
  return address.problem === undefined ? address.name : describeName(address, address.problem);
}

/** Verifies an address such as `istiod.istio-system.svc:15012`; any other host is not the cluster's to know. */
async function verifyAddress(kube: KubeClient, address: InjectedName): Promise<VerifiedAddress> {
  const [, name, namespace, port] = SERVICE.exec(address.name) ?? [];
  if (name === undefined || namespace === undefined) return address;
  const service = await kube.get(`/api/v1/namespaces/${namespace}/services/${name}`);
  if (service === undefined) return { ...address, problem: `there is no service ${namespace}/${name}` };
  const { spec } = service;
  const ports = objectsOf(objectOf(spec)["ports"]).map((each) => String(each["port"]));
  if (port === undefined || ports.length === 0 || ports.includes(port)) return address;
  return { ...address, problem: `service ${namespace}/${name} has no port ${port}, but ${ports.join(", ")}` };
}

const SERVICE = /^([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc(?:\.[a-z0-9.-]+)?(?::(\d+))?$/;
