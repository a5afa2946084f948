// The data that templates can use, from the pod and from the release: the roots of every `{{path}}`. The images
// and user ids of the proxy among them are computed here.

import {
  isObject,
  type JsonObject,
  type JsonValue,
  memoizeObject,
  metadataKeys,
  OutriggerError,
  objectOf,
  objectsOf,
} from "@outrigger/base";
import { baseProxyConfig, type IstioRelease, isSince, type ProxyConfig, proxyConfigDifferences } from "@outrigger/mesh";
import { type HelperTable, helpers } from "@outrigger/template";
import { containerNames } from "../data-plane.ts";
import type { Injection, Injector, InjectRequest } from "../injection.ts";
import { ownerOf } from "../owner.ts";
import { readUserVolumeMounts, readUserVolumes } from "./user-volumes.ts";

/** Roots that are the same for every pod of a release: what depends on them alone is decided when the release is loaded. */
export function constantRoots(injector: Omit<Injector, "templates">): Readonly<Record<string, unknown>> {
  return {
    values: injector.values,
    meshConfig: injector.meshConfig,
    compliancePolicy: injector.config.compliancePolicy,
    inboundTrafficPolicyMode: injector.settings.inboundTrafficPolicyMode,
  };
}

/** The usual values of roots that most pods share. */
export function usualRoots(injector: Omit<Injector, "templates">): Readonly<Record<string, unknown>> {
  return { proxyConfig: baseProxyConfig(injector.meshConfig), revision: injector.config.revision };
}

/** All roots for one pod. `proxyImage`, `proxyUID` and others are computed here because an annotation can decide them. */
export function templateData(injection: Injection): Readonly<Record<string, unknown>> {
  const { injector, pod, proxyConfig, environment } = injection;
  const annotations = pod.metadata?.annotations ?? {};
  const namespace = namespaceOf(injection.request);
  const known = injector.namespaceAnnotations;
  const ids = proxyIds(Object.hasOwn(known, namespace) ? known[namespace] : undefined);
  return {
    ...constantRoots(injector),
    metadata: pod.metadata ?? {},
    spec: pod.spec ?? {},
    owner: injection.request.owner ?? ownerOf({ ...pod.metadata, namespace }),
    proxyConfig,
    revision: injection.revision,
    cluster: environment["ISTIO_META_CLUSTER_ID"] ?? "",
    network: environment["ISTIO_META_NETWORK"] ?? "",
    nativeSidecars: injection.nativeSidecars,
    proxyImage: proxyImage(injector.values, proxyConfig.image, annotations, injector.config.istio),
    proxyInitImage: proxyInitImage(injector.values, annotations),
    proxyUID: ids.uid,
    proxyGID: ids.gid,
  };
}

/** The pod's own namespace or, if it has none, the request's. */
export function namespaceOf(request: InjectRequest): string {
  return request.pod.metadata?.namespace || request.namespace;
}

export const IMAGE_TYPE_ANNOTATION = metadataKeys.proxyImageType;

const DEFAULT_NAME = "proxyv2";
const DEFAULT_TYPE = "default";
const KNOWN_TYPES = ["distroless", "debug"];

type Annotations = Readonly<Record<string, string>> | undefined;

/**
 * The proxy's image. Its type is that of the annotation `sidecar.istio.io/proxyImageType`, else that of the
 * ProxyConfig, else `values.global.variant`: before Istio 1.31 only where the ProxyConfig has no image. A type at the end
 * of the tag is replaced; `default` means no type.
 *
 * @example
 * ```ts
 * proxyImage({ global: { hub: "example.com", tag: "1.31.0-debug" } }, { imageType: "distroless" }, {}) // => "example.com/proxyv2:1.31.0-distroless"
 * ```
 */
export function proxyImage(
  values: JsonObject,
  image: { readonly imageType?: string } | undefined,
  annotations: Annotations,
  istio?: IstioRelease,
): string {
  const variant = image === undefined || isSince("1.31", istio) ? variantOf(values) : "";
  return imageOf(values, "proxy", image?.imageType || variant, annotations);
}

/** The image of the init container: named by `values.global.proxy_init.image`, otherwise like the proxy's. */
export function proxyInitImage(values: JsonObject, annotations: Annotations): string {
  return imageOf(values, "proxy_init", variantOf(values), annotations);
}

function imageOf(values: JsonObject, part: string, imageType: string, annotations: Annotations): string {
  const global = objectOf(values["global"]);
  const name = scalarText(objectOf(global[part])["image"]) || DEFAULT_NAME;
  const tag = scalarText(global["tag"]);
  const type = annotations?.[IMAGE_TYPE_ANNOTATION] ?? imageType;
  return `${scalarText(global["hub"])}/${name}:${taggedWith(tag, type)}`;
}

function variantOf(values: JsonObject): string {
  return scalarText(objectOf(values["global"])["variant"]);
}

function taggedWith(tag: string, type: string): string {
  if (type === "") return tag;
  const known = KNOWN_TYPES.find((each) => tag.endsWith(`-${each}`));
  const bare = known === undefined ? tag : tag.slice(0, -known.length - 1);
  return type === DEFAULT_TYPE ? bare : `${bare}-${type}`;
}

/** Tags are written as numbers too (`1.5`). */
function scalarText(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

const UID_RANGE = metadataKeys.openshiftUserIds;
const GROUPS = metadataKeys.openshiftGroupIds;
const DEFAULT_ID = 1337;
const UINT32 = 2 ** 32;
const BLOCK = /^ *([0-9]+)([/-]) *([0-9]+)/;

/**
 * The last id of the namespace's user range, and of its first block of supplemental groups (without groups, of its user
 * range). Annotations that cannot be read leave 1337.
 *
 * @example
 * ```ts
 * proxyIds({ "openshift.io/sa.scc.uid-range": "1000/10" }) // => { uid: 1009, gid: 1009 }
 * ```
 */
export function proxyIds(annotations: Annotations): { readonly uid: number; readonly gid: number } {
  if (annotations === undefined) return DEFAULT_IDS;
  const users = annotations[UID_RANGE];
  const groups = (annotations[GROUPS] ?? users)?.split(",").map(lastOfBlock) ?? [];
  // If one block cannot be read, the whole list is ignored.
  const gid = groups.includes(undefined) ? undefined : groups[0];
  return { uid: lastOfBlock(users) ?? DEFAULT_ID, gid: gid ?? DEFAULT_ID };
}

const DEFAULT_IDS = { uid: DEFAULT_ID, gid: DEFAULT_ID };

/** `start/size` or `start-end`, both 32 bits. Text after it is ignored. */
function lastOfBlock(text: string | undefined): number | undefined {
  const [, first, separator, second] = BLOCK.exec(text ?? "") ?? [];
  if (first === undefined || second === undefined) return undefined;
  const start = Number(first);
  const number = Number(second);
  if (start >= UINT32 || number >= UINT32 || (separator === "-" && text?.includes("/"))) return undefined;
  return separator === "-" ? number : (start + number - 1 + UINT32) % UINT32;
}

// What templates can call: helpers for pods and proxy configurations, in addition to the general ones of lib/template/helpers.

export const injectionHelpers: HelperTable = {
  ...helpers,
  /** `{{protoToJSON proxyConfig}}`: the JSON text of what differs from Istio's defaults. */
  protoToJSON: ([proxyConfig]) => (isObject(proxyConfig) ? proxyConfigText(proxyConfig as ProxyConfig) : "{}"),
  /** `{{appContainers spec.containers}}`: the names of all containers but the proxy. */
  appContainers: ([containers]) => {
    const names = objectsOf(containers).map((container) => String(container["name"]));
    return names.filter((name) => name !== containerNames.proxy);
  },
  /** `{{podPorts spec.containers}}`: the ports of all containers, in order. */
  podPorts: ([containers]) => objectsOf(containers).flatMap((container) => objectsOf(container["ports"])),
  /** `{{userVolumes (lookup metadata.annotations "sidecar.istio.io/userVolume")}}`: the author's volumes. */
  userVolumes: ([text]) => (typeof text === "string" ? readUserVolumes(text) : []),
  /** `{{userVolumeMounts (lookup metadata.annotations "sidecar.istio.io/userVolumeMount")}}`: the author's mounts. */
  userVolumeMounts: ([text]) => (typeof text === "string" ? readUserVolumeMounts(text) : []),
};

/** Every render needs the text, mostly for the same object: the release's default. */
const proxyConfigText = memoizeObject((proxyConfig: ProxyConfig) =>
  JSON.stringify(proxyConfigDifferences(proxyConfig)),
);

/** For `compatibility: reference`: every helper, as strict or as careless as Go's functions. */
export const referenceHelpers: HelperTable = {
  ...injectionHelpers,
  eq: (args, hash) => injectionHelpers["eq"]?.(ofOneType(args), hash),
  ne: (args, hash) => injectionHelpers["ne"]?.(ofOneType(args), hash),
  // Does not find a port between spaces, and leaves spaces where it finds the port.
  excludeInboundPort: ([port, excluded]) => {
    const [wanted, text] = [String(port ?? "").trim(), String(excluded ?? "")];
    const ports = text.split(",");
    if (wanted === "" || wanted === "0" || ports.includes(wanted)) return text;
    return [...ports.map((other) => other.trim()).filter((other) => other !== ""), wanted].join(",");
  },
};

const COMPARABLE: readonly string[] = ["boolean", "number", "string"];

function ofOneType(args: readonly unknown[]): readonly unknown[] {
  const types = new Set(args.map((value) => typeof value).filter((type) => COMPARABLE.includes(type)));
  if (types.size < 2) return args;
  const message = `${[...types].join(" and ")} cannot be compared: give both the same type`;
  throw new OutriggerError("template-render", message);
}
