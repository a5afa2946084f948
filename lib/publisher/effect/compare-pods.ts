// What is different between a pod as it is injected now and as it would be. Pure.
import { type JsonObject, type JsonValue, jsonEqual, nearestName, objectOf, objectsOf } from "@outrigger/base";
import { effectOf, injectionPowers, LIMITED, type Power, powerText } from "@outrigger/guardrails";
import { defaultMeshConfig, effectiveProxyConfig, type MeshConfig } from "@outrigger/mesh";
import { containersOf, type Difference, diffObjects, isQuantity, quantityThousandths } from "@outrigger/pod";
import type { Effect, EffectName } from "./effects.ts";

type Say = (name: EffectName, what: string) => void;

/** A pod's record of its own injection differs whenever anything else does. */
const STATUS = "sidecar.istio.io/status";

/**
 * The classes of change between two injections of one pod, with what each is about: names of containers and volumes, images and
 * addresses, and no value of an environment.
 *
 * @param before the pod as it is injected now
 * @param after the pod as it would be
 * @param author the pod as its author wrote it
 */
export function comparePods(before: JsonObject, after: JsonObject, author: JsonObject = BARE): readonly Effect[] {
  const effects: Effect[] = [];
  const say: Say = (name, example) => void effects.push({ name, example });
  const [was, is] = [objectOf(before["spec"]), objectOf(after["spec"])];
  const [old, next] = [byName(was), byName(is)];
  for (const [name, container] of old) {
    const then = next.get(name);
    if (then === undefined) say("container-gone", name);
    else compareContainers(name, { pod: before, container }, { pod: after, container: then }, say);
  }
  for (const name of next.keys()) if (!old.has(name)) say("added", name);
  const powersOf = (pod: JsonObject) => injectionPowers(author, pod, { isStrict: true });
  effects.push(...powerEffects(powersOf(before), powersOf(after), [...old.keys()]));
  const [volumes, volumesThen] = [namesIn(was["volumes"]), namesIn(is["volumes"])];
  for (const name of more(volumesThen, volumes)) say("volume-gone", name);
  for (const name of more(volumes, volumesThen)) say("added", `volume ${name}`);
  const twice = doubled([...old.values()], [...next.values()]);
  if (twice !== undefined) say("resources-doubled", twice);
  // A rule that is gone captures nothing; one that a new container brings is of a new pod.
  for (const [key] of changed(captureOf(before), captureOf(after))) say("capture-changed", key);
  compareRest(before, after, say);
  return effects;
}

/**
 * What waits for a person of the powers of an injection, or of a branch of a template, that an earlier one has not.
 *
 * @param kept containers that are there already: of them, whatever widens what they may do does
 */
export function powerEffects(
  before: readonly Power[],
  after: readonly Power[],
  kept: readonly string[] = [],
): readonly Effect[] {
  const known = new Set(before.map(sayPower));
  return after.flatMap((power): readonly Effect[] => {
    const { kind, container = "" } = power;
    // Secrets and ConfigMaps of its own namespace are no such power: a new mount is an everyday edit.
    const isWider = kept.includes(container) && kind !== "field" && !LIMITED.includes(kind);
    const [name, example] = [effectOf(power) ?? (isWider ? "privileges-widened" : undefined), sayPower(power)];
    return name === undefined || known.has(example) ? [] : [{ name, example }];
  });
}

function sayPower(power: Power): string {
  const { kind, container } = power;
  return container === undefined || kind === "field" ? powerText(power) : `${container}: ${powerText(power)}`;
}

const BARE: JsonObject = { metadata: {}, spec: {} };

/** A container, in its pod. */
interface Placed {
  readonly pod: JsonObject;
  readonly container: JsonObject;
}

function compareContainers(name: string, before: Placed, after: Placed, say: Say): void {
  const [image, then] = [before, after].map(({ container }) => String(container["image"] ?? "")) as [string, string];
  const [repository, repositoryThen] = [repositoryOf(image), repositoryOf(then)];
  if (repository !== repositoryThen) {
    const meant = meantRepository(repositoryThen, repository);
    if (meant !== undefined) say("registry-misspelt", `${name} from ${repositoryThen}, did you mean ${meant}`);
    say("image-registry", `${name} from ${repositoryThen || "docker.io"}`);
  } else if (image !== then) say("image", `${name} ${then}`);
  for (const [key, value = "gone"] of changed(trustOf(before), trustOf(after)))
    say("control-plane-address", `${name} ${key} ${typeof value === "object" ? "another" : value}`);
  const found = diffObjects(before.container, after.container, { type: undefined });
  const fields = new Set(found.map(({ path }) => String(path[0])));
  const [command, args] = ["command", "args"].map((field) => fields.delete(field));
  if (command || args) say("command", name);
  fields.delete("image");
  if (fields.size > 0) say("settings", name);
}

type Values = Readonly<Record<string, JsonValue | undefined>>;

/** The keys with another value, and that value. */
function changed(before: Values, after: Values): readonly (readonly [key: string, value: JsonValue | undefined])[] {
  const keys = Object.keys({ ...before, ...after });
  return keys.flatMap((key) => (jsonEqual(before[key] ?? null, after[key] ?? null) ? [] : [[key, after[key]]]));
}

/** Containers, and volumes that only one of the two has, are judged above. */
function compareRest(before: JsonObject, after: JsonObject, say: Say): void {
  const found = diffObjects(withAnnotations(before), withAnnotations(after));
  const isOfPod = ({ kind, path: [part, field = "", ...rest] }: Difference) => {
    if (part !== "spec" || CONTAINERS.has(field)) return false;
    return field !== "volumes" || (rest.length !== 1 && kind !== "reordered");
  };
  if (found.some(isOfPod)) say("settings", "the pod");
  const isMetadata = ({ path: [part, , key] }: Difference) => part === "metadata" && key !== STATUS;
  if (found.some(isMetadata)) say("metadata", "labels or annotations");
}

/** A pod without annotations differs by each that the other has. */
function withAnnotations(pod: JsonObject): JsonObject {
  const metadata = objectOf(pod["metadata"]);
  return { ...pod, metadata: { ...metadata, annotations: objectOf(metadata["annotations"]) } };
}

const CONTAINERS: ReadonlySet<unknown> = new Set(["containers", "initContainers"]);

/** A container's name is unique in a pod: one that becomes a native sidecar is the same container. */
function byName(spec: JsonObject): ReadonlyMap<string, JsonObject> {
  return new Map(containersOf(spec).map((each) => [String(each["name"]), each]));
}

function namesIn(list: JsonValue | undefined): readonly string[] {
  return objectsOf(list).map(({ name }) => String(name));
}

/** What is in the second list and not in the first. */
function more(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.filter((each) => !before.includes(each));
}

/** Arguments of istio-iptables that leave out or add single ports, or say how to log: everyday edits. */
const EVERYDAY: Readonly<Record<string, number>> = { "-d": 1, "-o": 1, "-q": 1, "--log_as_json": 0 };

/** Annotations by which a CNI plugin captures; those that leave out single ports do not count. */
const CAPTURE_ANNOTATIONS = `sidecar.istio.io/interceptionMode traffic.sidecar.istio.io/includeOutboundIPRanges
  traffic.sidecar.istio.io/excludeOutboundIPRanges traffic.sidecar.istio.io/includeInboundPorts
  k8s.v1.cni.cncf.io/networks`.split(/\s+/);

/** What captures a pod's traffic, by where that is said; undefined where nothing is. */
function captureOf({ metadata, spec }: JsonObject): Values {
  const annotations = objectOf(objectOf(metadata)["annotations"]);
  const own = containersOf(spec).flatMap((container) => [
    [`${container["name"]} ISTIO_META_INTERCEPTION_MODE`, envOf(container, "ISTIO_META_INTERCEPTION_MODE")],
    [`${container["name"]} istio-iptables`, iptablesOf(container)],
  ]);
  return Object.fromEntries([...CAPTURE_ANNOTATIONS.map((key) => [key, annotations[key]]), ...own]);
}

/** Variables that say whom an agent takes its configuration and certificates from. */
const TRUST_VARIABLES = "CA_ADDR CA_PROVIDER CA_ROOT_CA XDS_ROOT_CA XDS_AUTH_PROVIDER PILOT_CERT_PROVIDER".split(" ");

/** Fields of the proxy's configuration that do, or that say which program it runs. */
const TRUST_FIELDS = "discoveryAddress binaryPath customConfigFile proxyBootstrapTemplatePath caCertificatesPem".split(
  " ",
);

/** Where an agent has its certificates of the control plane. */
const TRUST_FOLDER = "/var/run/secrets/istio";

/** What a container trusts, of the proxy's configuration as the agent computes it: from the variable, then from the annotation. */
function trustOf({ pod: { metadata, spec }, container }: Placed): Values {
  const text = envOf(container, "PROXY_CONFIG");
  const mounts = objectsOf(container["volumeMounts"]);
  const mount = mounts.find(({ mountPath }) => String(mountPath).startsWith(TRUST_FOLDER));
  const volumes = objectsOf(objectOf(spec)["volumes"]);
  const { name: _, ...volume } = volumes.find((each) => each["name"] === mount?.["name"]) ?? {};
  const annotated = objectOf(objectOf(metadata)["annotations"])["proxy.istio.io/config"];
  const config: JsonObject =
    text === undefined ? {} : configOf(configOf(defaultMeshConfig, text), annotated).defaultConfig;
  const said = (name: string) => envOf(container, name) ?? objectOf(config["proxyMetadata"])[name];
  return {
    ...Object.fromEntries(TRUST_FIELDS.map((field) => [field, config[field]])),
    ...Object.fromEntries(TRUST_VARIABLES.map((name) => [name, said(name)])),
    roots: mount === undefined ? undefined : volume,
  };
}

function configOf(mesh: MeshConfig, text: JsonValue | undefined): MeshConfig {
  if (typeof text !== "string") return mesh;
  const annotations = { "proxy.istio.io/config": text };
  return { ...mesh, defaultConfig: effectiveProxyConfig(mesh, [], { namespace: "", labels: {}, annotations }) };
}

function iptablesOf({ args, command }: JsonObject): JsonValue | undefined {
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list : []));
  if (!words.includes("istio-iptables")) return undefined;
  const kept: JsonValue[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as JsonValue;
    const values = typeof word === "string" && Object.hasOwn(EVERYDAY, word) ? EVERYDAY[word] : undefined;
    if (values !== undefined) at += values;
    else if (typeof word !== "string" || !word.startsWith("--log_output_level=")) kept.push(word);
  }
  return kept;
}

function envOf({ env }: JsonObject, name: string): string | undefined {
  const value = objectsOf(env).findLast((entry) => entry["name"] === name)?.["value"];
  return typeof value === "string" ? value : undefined;
}

/** Where Istio's images are published. */
const WELL_KNOWN = "registry.istio.io/release registry.istio.io/testing docker.io/istio gcr.io/istio-release".split(
  " ",
);

/** No slip makes more edits. */
const SLIP = 2;

/** `registry.example:5000/istio` of `registry.example:5000/istio/proxyv2:1.31.0@sha256:00`; empty for a name alone. */
function repositoryOf(image: string): string {
  const [name = ""] = image.split("@");
  return name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
}

/** The repository that is probably meant, where one differs by a slip from what is served now, or from where Istio publishes. */
function meantRepository(repository: string, served: string): string | undefined {
  if (repository === "" || WELL_KNOWN.includes(repository)) return undefined;
  const near = nearestName(repository, served === "" ? WELL_KNOWN : [served, ...WELL_KNOWN], SLIP);
  // A longer path is no slip.
  return near === undefined || Math.abs(near.length - repository.length) > SLIP ? undefined : near;
}

/** `requests.cpu`, where containers ask for more than twice as much of it together; what was not asked for cannot double. */
function doubled(before: readonly JsonObject[], after: readonly JsonObject[]): string | undefined {
  const [was, is] = [totals(before), totals(after)];
  return [...is].find(([name, amount]) => amount > 2 * (was.get(name) ?? Number.POSITIVE_INFINITY))?.[0];
}

function totals(containers: readonly JsonObject[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { resources } of containers) {
    for (const [kind, amounts] of Object.entries(objectOf(resources))) {
      for (const [name, amount] of Object.entries(objectOf(amounts))) {
        const key = `${kind}.${name}`;
        sums.set(key, (sums.get(key) ?? 0) + amountOf(amount ?? null));
      }
    }
  }
  return sums;
}

/** In thousandths; 0 for what is none, which an injected pod does not have. */
function amountOf(value: JsonValue): number {
  const quantity = String(value);
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : 0;
}
