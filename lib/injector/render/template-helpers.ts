// Helpers for pods and proxy configurations, in addition to the general ones of lib/template/helpers.

import { isObject, OutriggerError, objectsOf } from "@outrigger/base";
import { type ProxyConfig, proxyConfigDifferences } from "@outrigger/mesh";
import { type HelperTable, helpers } from "@outrigger/template";
import { containerNames } from "../keys.ts";
import { readUserVolumeMounts, readUserVolumes } from "./user-volumes.ts";

/** Every helper that a template may use. */
export const injectionHelpers: HelperTable = {
  ...helpers,
  /** `{{protoToJSON proxyConfig}}`: the JSON text of what differs from Istio's defaults. */
  protoToJSON: ([proxyConfig]) => (isObject(proxyConfig) ? proxyConfigText(proxyConfig as ProxyConfig) : "{}"),
  /** `{{appContainers spec.containers}}`: the names of all containers but the proxy. */
  appContainers: ([containers]) => names(containers).filter((name) => name !== containerNames.proxy),
  /** `{{podPorts spec.containers}}`: the ports of all containers, in order. */
  podPorts: ([containers]) => objectsOf(containers).flatMap((container) => objectsOf(container["ports"])),
  /** `{{userVolumes (lookup metadata.annotations "sidecar.istio.io/userVolume")}}`: the author's volumes. */
  userVolumes: ([text]) => (typeof text === "string" ? readUserVolumes(text) : []),
  /** `{{userVolumeMounts (lookup metadata.annotations "sidecar.istio.io/userVolumeMount")}}`: the author's mounts. */
  userVolumeMounts: ([text]) => (typeof text === "string" ? readUserVolumeMounts(text) : []),
};

/** Every render needs the text, mostly for the same object: the release's default. */
const texts = new WeakMap<ProxyConfig, string>();

function proxyConfigText(proxyConfig: ProxyConfig): string {
  const known = texts.get(proxyConfig);
  if (known !== undefined) return known;
  const text = JSON.stringify(proxyConfigDifferences(proxyConfig));
  texts.set(proxyConfig, text);
  return text;
}

function names(containers: unknown): readonly string[] {
  return objectsOf(containers).map((container) => String(container["name"]));
}

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
