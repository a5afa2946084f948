// What is said in two places and must be the same in both: the values, which templates write into a pod, and the mesh
// configuration, which the proxy reads. Each is valid alone; together, a proxy asks two different control planes.
// So are the release of the config and the tag of the images, which stays behind when the release moves.

import { isObject, valueAt } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import { reservedPorts } from "../../data-plane.ts";
import type { Release } from "../load-release.ts";
import type { ReadLayer } from "../read/read-tree.ts";
import { settingFile } from "../read/source-text.ts";
import type { TreeFinding } from "../tree-finding.ts";

type Settings = Pick<Release, "values" | "meshConfig" | "config">;

interface Disagreement {
  /** The path of the value below `values`. */
  readonly steps: readonly string[];
  /** The setting that it does not agree with, in mesh or in config. */
  readonly other: readonly string[];
  readonly message: string;
}

/**
 * Adds a warning for each pair of settings that do not agree, at the one that the tree itself says.
 *
 * @param own the tree that is edited, without the layers below it
 */
export function checkAgreement(own: ReadLayer | undefined, settings: Settings, warnings: TreeFinding[]): void {
  const found = [istiod, trustDomain, meshId, ports, revision].flatMap((compare) => compare(settings));
  for (const { message, ...pair } of found) warnings.push({ severity: "warning", ...placeOf(pair, own), message });
}

function placeOf({ steps, other }: Omit<Disagreement, "message">, own: ReadLayer | undefined) {
  const file = settingFile(own?.values ?? [], steps);
  if (file !== undefined) return { path: file.path, ...locateYaml(file.text, steps, "value") };
  const [path = "", ...field] = other;
  const text = path === "mesh" ? own?.mesh : own?.config?.text;
  const place = text === undefined ? undefined : locateYaml(text, field, "value");
  return place === undefined ? { path: "" } : { path, ...place };
}

/** The text of a setting. Numbers count too, because Istio's chart writes them as text. */
function text({ values }: Settings, ...steps: readonly string[]): string {
  const value = valueAt(values, steps);
  return isObject(value) || Array.isArray(value) ? "" : String(value ?? "");
}

/** Istiod's service in a cluster, by Istio's chart. */
const ISTIOD = /^istiod(?:-(?<revision>[a-z0-9-]+))?\.(?<namespace>[a-z0-9-]+)\.svc(?:\.[a-z0-9.-]+)?(?::\d+)?$/;

/**
 * Compares the istiod in the values with that in the mesh config. Another certificate authority, and an istiod at an
 * address of its own, are not compared.
 */
function istiod(settings: Settings): readonly Disagreement[] {
  const namespace = text(settings, "global", "istioNamespace");
  if (namespace === "") return [];
  const named = text(settings, "revision");
  const address = text(settings, "global", "caAddress");
  const ca = address || `istiod${named === "" ? "" : `-${named}`}.${namespace}.svc:15012`;
  const discovery = settings.meshConfig.defaultConfig.discoveryAddress ?? "";
  const [from, to] = [ISTIOD.exec(ca)?.groups, ISTIOD.exec(discovery)?.groups];
  if (from === undefined || to === undefined) return [];
  // The chart's service for an istiod outside the cluster serves the configuration alone.
  const isRemote = /(?:^|-)remote$/.test(to["revision"] ?? "");
  const isNear = from["namespace"] === to["namespace"];
  if (isNear && (isRemote || from["revision"] === to["revision"])) return [];
  const own = isNear ? ["revision"] : ["global", "istioNamespace"];
  const steps = address === "" ? own : ["global", "caAddress"];
  const message = `proxies get their certificates from ${ca}, and their configuration from ${discovery} (defaultConfig.discoveryAddress in mesh): name the same istiod in both`;
  return [{ steps, other: ["mesh", "defaultConfig", "discoveryAddress"], message }];
}

function trustDomain(settings: Settings): readonly Disagreement[] {
  const wanted = text(settings, "global", "trustDomain");
  const { trustDomain: used = "" } = settings.meshConfig;
  if (wanted === "" || used === "" || wanted === used) return [];
  const message = `values.global.trustDomain ${wanted} is not used: trustDomain in mesh is ${used}, and wins; write the same in both`;
  return [{ steps: ["global", "trustDomain"], other: ["mesh", "trustDomain"], message }];
}

function meshId(settings: Settings): readonly Disagreement[] {
  const { meshId: expected = "" } = settings.meshConfig.defaultConfig;
  const id = text(settings, "global", "meshID");
  if (expected === "" || id === expected) return [];
  const given = id === "" ? "is not set" : `is ${id}`;
  const message = `values.global.meshID ${given}, and defaultConfig.meshId in mesh is ${expected}: write the same in both`;
  return [{ steps: ["global", "meshID"], other: ["mesh", "defaultConfig", "meshId"], message }];
}

function ports(settings: Settings): readonly Disagreement[] {
  const steps = ["global", "proxy", "statusPort"];
  const port = valueAt(settings.values, steps);
  if (typeof port !== "number") return [];
  const { statusPort } = settings.meshConfig.defaultConfig;
  const taken = reservedFor(port, settings.meshConfig);
  const other = ["mesh", "defaultConfig", "statusPort"];
  const two = `values.global.proxy.statusPort is ${port}, and defaultConfig.statusPort in mesh is ${statusPort}: the agent listens on one, and calls to the other are let through; write the same in both`;
  const inUse = `values.global.proxy.statusPort is ${port}, which is reserved for Istio (${taken}): choose another port`;
  return [
    ...(port === statusPort ? [] : [{ steps, other, message: two }]),
    ...(taken === undefined ? [] : [{ steps, other, message: inUse }]),
  ];
}

/** The mesh can move the ports of captured traffic, and 15020 is the default of the status port itself. */
function reservedFor(port: number, mesh: Settings["meshConfig"]): string | undefined {
  const { proxyListenPort = 15001, proxyInboundListenPort = 15006 } = mesh;
  if (port === proxyInboundListenPort) return reservedPorts["15006"];
  if (port === proxyListenPort) return reservedPorts["15001"];
  return [15001, 15006, 15020].includes(port) ? undefined : reservedPorts[port];
}

function revision(settings: Settings): readonly Disagreement[] {
  const own = text(settings, "revision") || "default";
  if (valueAt(settings.values, ["revision"]) === undefined || own === settings.config.revision) return [];
  const message = `values.revision is ${own}, and revision in config is ${settings.config.revision}: pods would be labelled with one revision, and get their certificates from the istiod of the other; write the same in both`;
  return [{ steps: ["revision"], other: ["config", "revision"], message }];
}
