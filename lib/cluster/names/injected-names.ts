// The names in what a release injects that must exist elsewhere: images, and the control plane's address. Pure.
import { isObject, type JsonObject, OutriggerError, objectsOf } from "@outrigger/base";
import { injectPod, loadRelease, type Release, type SourceTree, samplePods } from "@outrigger/injector";
import { containersOf } from "@outrigger/pod";

/** A name, and the text that has it. */
export interface InjectedName {
  readonly name: string;
  /** `values/10-mine:1`; left out where no text has it as it is. */
  readonly place?: string;
}

/** An author who names an image chooses it. */
const PROXY_IMAGE = "sidecar.istio.io/proxyImage";

export interface InjectedNames {
  readonly images: readonly InjectedName[];
  /** Of istiod, as `discoveryAddress` has it. */
  readonly addresses: readonly InjectedName[];
}

/**
 * What pods of the samples, and a plain pod for each template, get of releases. What their authors wrote does not count.
 *
 * @param layers the shipped tree and those over it: their samples are injected, and their lines named
 */
export function injectedNames(releases: readonly Release[], layers: readonly SourceTree[]): InjectedNames {
  const images = new Set<string>();
  const addresses = new Set<string>();
  for (const release of releases) collectNames(release, layers, { images, addresses });
  const named = (names: ReadonlySet<string>, partOf: (name: string) => string) =>
    [...names].sort().map((name) => ({ name, ...placeOf(partOf(name), layers) }));
  return {
    images: named(images, (image) => image.split("@")[0]?.replace(/\/[^/]*$/, "") ?? image),
    addresses: named(addresses, (address) => address),
  };
}

/** `docker.io/istoi/proxyv2:1.31.1 (values/10-mine:1): …` */
export function describeName({ name, place }: InjectedName, problem: string): string {
  return `${name}${place === undefined ? "" : ` (${place})`}: ${problem}`;
}

function collectNames(
  release: Release,
  layers: readonly SourceTree[],
  { images, addresses }: Readonly<Record<keyof InjectedNames, Set<string>>>,
): void {
  const injector = loadRelease(release);
  const { templates, config } = injector;
  for (const { request } of samplePods(layers, [...templates.names, ...Object.keys(config.aliases)])) {
    if (request.pod.metadata?.annotations?.[PROXY_IMAGE] !== undefined) continue;
    const own = new Set(containersOf(request.pod.spec).map(({ name, image }) => `${name} ${image}`));
    for (const container of containersOf(injected(() => injectPod(injector, request))["spec"])) {
      const { name, image } = container;
      if (own.has(`${name} ${image}`)) continue;
      if (typeof image === "string" && image !== "") images.add(image);
      const address = discoveryAddress(container);
      if (address !== undefined) addresses.add(address);
    }
  }
}

function injected(inject: () => ReturnType<typeof injectPod>): JsonObject {
  try {
    const result = inject();
    return result.injected ? (result.pod as JsonObject) : {};
  } catch (error) {
    if (error instanceof OutriggerError) return {};
    throw error;
  }
}

function discoveryAddress({ env }: JsonObject): string | undefined {
  const text = objectsOf(env).find(({ name }) => name === "PROXY_CONFIG")?.["value"];
  try {
    const config: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    const address = isObject(config) ? config["discoveryAddress"] : undefined;
    return typeof address === "string" ? address : undefined;
  } catch {
    return undefined;
  }
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
