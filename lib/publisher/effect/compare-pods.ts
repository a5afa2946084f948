// What is different between a pod as it is injected now and as it would be. Pure.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  metadataKeys,
  nearestName,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "@outrigger/base";
import { effectOf, injectionPowers, isLimited, type Power, powerText } from "@outrigger/guardrails";
import { containerNames } from "@outrigger/injector";
import { defaultMeshConfig, effectiveProxyConfig, type MeshConfig } from "@outrigger/mesh";
import { containersOf, type Difference, diffObjects, isQuantity, quantityThousandths } from "@outrigger/pod";
import type { Effect, EffectName } from "./effects.ts";

/** A pod's record of its own injection differs whenever anything else does. */
const STATUS: readonly unknown[] = [metadataKeys.status, metadataKeys.ownStatus];

/**
 * The classes of change between two injections of one pod, with what each is about: names of containers and volumes, images and
 * addresses, and no value of an environment.
 *
 * @param before the pod as it is injected now
 * @param after the pod as it would be
 * @param author the pod as its author wrote it
 */
export function comparePods(before: JsonObject, after: JsonObject, author: JsonObject = {}): readonly Effect[] {
  const [old, next] = [containersOf(before["spec"]), containersOf(after["spec"])];
  const powersOf = (pod: JsonObject) => injectionPowers(author, pod, { isStrict: true });
  const isKept = ({ name }: JsonObject) => [old, next].every((list) => list.some((each) => each["name"] === name));
  const [were, are] = [readingsOf(before, old, isKept), readingsOf(after, next, isKept)];
  return [
    ...powerEffects(powersOf(before), powersOf(after), old.map(nameOf)),
    ...diffObjects(comparable(before, old), comparable(after, next)).flatMap(effectsOf),
    ...READINGS.flatMap((name) =>
      changed(were[name], are[name])
        .filter(([, value]) => value !== undefined || MATTERS_GONE.includes(name))
        .map((entry) => ({ name, example: sayChange(name, entry) })),
    ),
    ...doubled(old, next),
  ];
}

/** The classes of what a pod says of itself and its containers, whatever the level of the guardrails. */
export const READINGS = ["control-plane-address", "capture-changed", "privileges-widened", "pod-may-not-run"] as const;

type Reading = (typeof READINGS)[number];

/** Where taking away what was said is a change of its class too. */
const MATTERS_GONE: readonly Reading[] = ["control-plane-address", "capture-changed"];

/**
 * What a pod, or a branch of a template, says of each class, by where it is said; undefined where it says nothing.
 *
 * @param isKept whether a container is there before and after: whom another one trusts, or what it may do, is no change of an edit's
 */
export function readingsOf(
  pod: JsonObject,
  containers: readonly JsonObject[],
  isKept: (container: JsonObject) => boolean = () => true,
): Readonly<Record<Reading, Values>> {
  const kept = containers.filter(isKept);
  const all = (list: readonly JsonObject[], read: (container: JsonObject) => Values): Values =>
    Object.fromEntries(
      list.flatMap((each) => Object.entries(read(each)).map(([key, value]) => [`${nameOf(each)} ${key}`, value])),
    );
  return {
    "control-plane-address": all(kept, (container) => trustOf(pod, container)),
    // A rule that is gone captures nothing; one that a new container brings is of a new pod.
    "capture-changed": captureOf(pod, containers),
    "privileges-widened": all(kept, ({ securityContext }) => ({
      "runs as root": objectOf(securityContext)["runAsUser"] === 0 ? true : undefined,
    })),
    // Its image has to be on each node.
    "pod-may-not-run": all(kept, ({ imagePullPolicy }) => ({
      "imagePullPolicy: Never": imagePullPolicy === "Never" ? true : undefined,
    })),
  };
}

/** `istio-proxy CA_ADDR ca.example`, `istio-proxy runs as root` */
export function sayChange(reading: Reading, [key, value = "gone"]: readonly [string, JsonValue | undefined]): string {
  if (reading !== "control-plane-address") return key;
  return `${key} ${typeof value === "object" ? "another" : value}`;
}

/**
 * A container's name is unique in a pod: one that becomes a native sidecar is the same container. A pod without annotations differs
 * by each that the other has.
 */
function comparable({ metadata, spec }: JsonObject, containers: readonly JsonObject[]): JsonObject {
  const { annotations, ...rest } = objectOf(metadata);
  const { initContainers: _, ...fields } = objectOf(spec);
  return { spec: { ...fields, containers }, metadata: { ...rest, annotations: objectOf(annotations) } };
}

function effectsOf({ kind, path, before, after }: Difference): readonly Effect[] {
  const [part, list, step, field] = path;
  const one = (name: EffectName, example: string): readonly Effect[] => [{ name, example }];
  if (part === "metadata") return STATUS.includes(step) ? [] : one("metadata", "labels or annotations");
  const isContainer = list === "containers";
  if (!isContainer && list !== "volumes") return one("settings", "the pod");
  if (typeof step !== "object") return kind === "reordered" ? [] : one("settings", "the pod");
  const { item } = step;
  if (field === undefined && kind === "removed") return one(isContainer ? "container-gone" : "volume-gone", item);
  if (field === undefined && kind === "added") return one("added", isContainer ? item : `volume ${item}`);
  if (!isContainer) return one("settings", "the pod");
  if (field === "image") return imageEffects(item, textOf(before) ?? "", textOf(after) ?? "");
  return one(field === "command" || field === "args" ? "command" : "settings", item);
}

function imageEffects(container: string, image: string, then: string): readonly Effect[] {
  const [repository, repositoryThen] = [repositoryOf(image), repositoryOf(then)];
  if (repository === repositoryThen) return [{ name: "image", example: `${container} ${then}` }];
  const meant = meantRepository(repositoryThen, repository);
  const from = `${container} from ${repositoryThen || "docker.io"}`;
  const misspelt = { name: "registry-misspelt", example: `${from}, did you mean ${meant}` } as const;
  return [...(meant === undefined ? [] : [misspelt]), { name: "image-registry", example: from }];
}

/**
 * What waits for a person of the powers of an injection, or of a branch of a template, that an earlier one has not.
 *
 * @param kept containers that are there already: of them, whatever widens what they may do does
 */
export function powerEffects(before: readonly Power[], after: readonly Power[], kept: readonly string[] = []) {
  const known = new Set(before.map(sayPower));
  return after.flatMap((power): readonly Effect[] => {
    const { kind, container = "" } = power;
    // A ConfigMap of its own namespace is no such power: a new mount is an everyday edit. A Secret has a class of its own.
    const isWider = kept.includes(container) && kind !== "field" && !isLimited(kind);
    // A pod that has a sidecar captures its traffic already, or another does.
    const asked = kept.length > 0 ? { ...power, isNeeded: false } : power;
    const [name, example] = [effectOf(asked) ?? (isWider ? "privileges-widened" : undefined), sayPower(power)];
    return name === undefined || known.has(example) ? [] : [{ name, example }];
  });
}

function sayPower(power: Power): string {
  const { kind, container } = power;
  return container === undefined || kind === "field" ? powerText(power) : `${container}: ${powerText(power)}`;
}

type Values = Readonly<Record<string, JsonValue | undefined>>;

/** The keys with another value, and that value. */
function changed(before: Values, after: Values): readonly (readonly [key: string, value: JsonValue | undefined])[] {
  const keys = Object.keys({ ...before, ...after });
  return keys.flatMap((key) => (jsonEqual(before[key] ?? null, after[key] ?? null) ? [] : [[key, after[key]]]));
}

function nameOf(container: JsonObject): string {
  return String(container["name"]);
}

/** Arguments of istio-iptables that leave out or add single ports, or say how to log: everyday edits. */
const EVERYDAY: Readonly<Record<string, number>> = { "-d": 1, "-o": 1, "-q": 1, "--log_as_json": 0 };

/** Annotations by which a CNI plugin captures; those that leave out single ports do not count. */
const CAPTURE_ANNOTATIONS: readonly string[] = [
  metadataKeys.interceptionMode,
  metadataKeys.includeOutboundRanges,
  metadataKeys.excludeOutboundRanges,
  metadataKeys.includeInboundPorts,
  metadataKeys.networks,
];

/** The label by which ambient mode takes the traffic of a pod, or leaves it. */
const CAPTURE_LABEL = metadataKeys.dataplaneMode;

/** The user and group whose traffic the rules let pass: Istio's own. */
const PROXY_ID = 1337;

export const PROXY_CONTAINERS: readonly string[] = Object.values(containerNames);

/** What captures a pod's traffic, or goes past it, by where that is said; undefined where nothing is. */
function captureOf({ metadata }: JsonObject, containers: readonly JsonObject[]): Values {
  const { annotations: written, labels } = objectOf(metadata);
  const annotations = objectOf(written);
  const own = containers.flatMap((container) => [
    [`${nameOf(container)} ISTIO_META_INTERCEPTION_MODE`, envOf(container, "ISTIO_META_INTERCEPTION_MODE")],
    [`${nameOf(container)} istio-iptables`, iptablesOf(container)],
    [`${nameOf(container)} with the proxy's user or group`, passesCapture(container)],
  ]);
  const ofPod = CAPTURE_ANNOTATIONS.map((key) => [key, annotations[key]]);
  return Object.fromEntries([[CAPTURE_LABEL, objectOf(labels)[CAPTURE_LABEL]], ...ofPod, ...own]);
}

/** What a container that is not of the mesh calls as the proxy's user or group goes past the proxy. */
function passesCapture(container: JsonObject): true | undefined {
  const { runAsUser, runAsGroup } = objectOf(container["securityContext"]);
  const isProxy = PROXY_CONTAINERS.includes(nameOf(container));
  return !isProxy && [runAsUser, runAsGroup].includes(PROXY_ID) ? true : undefined;
}

/** Variables that say whom an agent takes its configuration and certificates from, and in which domain of trust it asks for them. */
const TRUST_VARIABLES = `CA_ADDR CA_PROVIDER CA_ROOT_CA XDS_ROOT_CA XDS_AUTH_PROVIDER PILOT_CERT_PROVIDER
  TRUST_DOMAIN`.split(/\s+/);

/** Fields of the proxy's configuration that do, or that say which program it runs. */
const TRUST_FIELDS = `discoveryAddress binaryPath customConfigFile proxyBootstrapTemplatePath
  caCertificatesPem`.split(/\s+/);

/** The folders in which an agent looks for the certificates of the control plane, and for its own with the roots to trust. */
const TRUST_FOLDERS = ["/var/run/secrets/istio", "/var/run/secrets/workload-spiffe-credentials", "/etc/certs"];

/** The mounts of a container from which an agent takes whom it trusts: the first in each of the folders. */
export function trustMounts(container: JsonObject): readonly JsonObject[] {
  const mounts = objectsOf(container["volumeMounts"]);
  const inFolder = (folder: string) => mounts.find(({ mountPath }) => String(mountPath).startsWith(folder));
  return TRUST_FOLDERS.map(inFolder).filter((mount) => mount !== undefined);
}

/** What a container trusts, of the proxy's configuration as the agent computes it: from the variable, then from the annotation. */
function trustOf({ metadata, spec }: JsonObject, container: JsonObject): Values {
  const text = envOf(container, "PROXY_CONFIG");
  const volumes = objectsOf(objectOf(spec)["volumes"]);
  const roots = trustMounts(container).flatMap((mount) => {
    const volume = volumes.find((each) => each["name"] === mount["name"]);
    const { name: _, emptyDir: __, ...source } = volume ?? {};
    // An empty folder has none. What a branch does not write, a pod may have.
    return volume !== undefined && Object.keys(source).length === 0 ? [] : [source];
  });
  const annotated = objectOf(objectOf(metadata)["annotations"])[metadataKeys.proxyConfig];
  // Of a branch, it may be a text that only a pod decides.
  const isKnown = text !== undefined && isObject(parseJson(text));
  const config: JsonObject = !isKnown ? {} : configOf(configOf(defaultMeshConfig, text), annotated).defaultConfig;
  const said = (name: string) => envOf(container, name) ?? objectOf(config["proxyMetadata"])[name];
  return {
    ...Object.fromEntries(TRUST_FIELDS.map((field) => [field, config[field]])),
    ...Object.fromEntries(TRUST_VARIABLES.map((name) => [name, said(name)])),
    roots: roots.length === 0 ? undefined : roots,
  };
}

function configOf(mesh: MeshConfig, text: JsonValue | undefined): MeshConfig {
  if (typeof text !== "string") return mesh;
  const annotations = { [metadataKeys.proxyConfig]: text };
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

/** The repositories in which Istio's images are published. */
const WELL_KNOWN = `registry.istio.io/release registry.istio.io/testing docker.io/istio
  gcr.io/istio-release`.split(/\s+/);

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
function doubled(before: readonly JsonObject[], after: readonly JsonObject[]): readonly Effect[] {
  const [was, is] = [totals(before), totals(after)];
  const keys = Object.keys(is).filter((key) => (is[key] ?? 0) > 2 * (was[key] ?? Number.POSITIVE_INFINITY));
  return keys.map((example) => ({ name: "resources-doubled", example }));
}

/** Sums the resources of containers, in thousandths. What is no quantity counts as 0; an injected pod has only quantities. */
function totals(containers: readonly JsonObject[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { resources } of containers) {
    for (const [kind, amounts] of Object.entries(objectOf(resources))) {
      for (const [name, amount] of Object.entries(objectOf(amounts))) {
        const key = `${kind}.${name}`;
        sums[key] = (sums[key] ?? 0) + (isQuantity(String(amount)) ? Number(quantityThousandths(String(amount))) : 0);
      }
    }
  }
  return sums;
}
