// Metrics merging: Prometheus scrapes the proxy's agent, which learns from its environment where the application's own
// metrics are.

import { memoize, metadataKeys, type OutriggerError, parseGoBoolean, textOf } from "@outrigger/base";
import { isSince } from "@outrigger/mesh";
import type { Pod } from "@outrigger/pod";
import { reservedPorts } from "../data-plane.ts";
import { annotationError } from "../decide/validate-annotations.ts";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { hasProxy, withMetadata, withoutKeys } from "../pod-edit.ts";
import type { EarlierInjection } from "../undo/earlier-injection.ts";
import { prometheusNote } from "../undo/injection-status.ts";
import { agentSettings, withAgentSettings, withoutAgentSettings } from "./agent-settings.ts";

export const prometheusMerge: InjectionStep = {
  apply: mergePrometheus,
  undo: (pod, earlier) => withoutAgentSettings(restoreScrapeAnnotations(pod, earlier), scrapeVariable),
};

/** The agent's variable that holds the application's scrape settings, as JSON. */
export const scrapeVariable = "ISTIO_PROMETHEUS_ANNOTATIONS";

const mergedPath = "/stats/prometheus";

type ScrapeKey = (typeof mergedKeys)[number] | typeof targetsKey;
const mergedKeys = ["prometheus_io_scrape", "prometheus_io_port", "prometheus_io_path"] as const;

/** The annotation with scrape targets, which is read since Istio 1.31. */
const targetsKey = "prometheus_istio_io_scrape_targets";

/**
 * Moves the pod's scrape annotations into the proxy's environment and points Prometheus at the agent instead. Does
 * nothing if scraping or merging is turned off, if the annotations already point at the agent, or if the pod has no proxy:
 * then nobody listens there. The reference does not ask for the proxy. Before Istio 1.31, scrape targets are not read and
 * no port is denied.
 *
 * @throws OutriggerError `annotation-invalid` for a port that cannot be scraped
 */
function mergePrometheus(pod: Pod, { injector }: RenderedInjection): Pod {
  if (injector.config.compatibility === undefined && !hasProxy(pod)) return pod;
  const readsScrapeTargets = isSince("1.31", injector.config.istio);
  const found = scrapeAnnotations(pod, readsScrapeTargets ? [...mergedKeys, targetsKey] : mergedKeys);
  const { enablePrometheusMerge = true } = injector.meshConfig;
  if (parseGoBoolean(found.get("prometheus_io_scrape")?.value) === false) return pod;
  if (!(parseGoBoolean(pod.metadata?.annotations?.[metadataKeys.mergeMetrics]) ?? enablePrometheusMerge)) return pod;
  const statusPort = String(injector.meshConfig.defaultConfig.statusPort);
  if (found.get("prometheus_io_port")?.value === statusPort) return pod;
  const targets = parseTargets(found.get(targetsKey)?.value);
  for (const { port } of targets) checkPort(port, statusPort, metadataKeys.scrapeTargets);
  const first = targets[0];
  const port = first?.port ?? found.get("prometheus_io_port")?.value ?? "";
  const path = first?.path ?? found.get("prometheus_io_path")?.value ?? "";
  if (readsScrapeTargets && first === undefined && port !== "") checkPort(port, statusPort, metadataKeys.scrapePort);
  const scrape = found.get("prometheus_io_scrape")?.value ?? "";
  const settings = { scrape, path, port, ...(targets.length > 0 && { targets }) };
  const informed = scrape + path + port === "" ? pod : withAgentSettings(pod, scrapeVariable, settings);
  return withScrapeKeys(informed, found, {
    [metadataKeys.scrapePort]: statusPort,
    [metadataKeys.scrapePath]: mergedPath,
    [metadataKeys.scrape]: "true",
  });
}

export function isPrometheusMerged(pod: Pod, statusPort: number): boolean {
  const annotations = pod.metadata?.annotations ?? {};
  return (
    annotations[metadataKeys.scrapePort] === String(statusPort) && annotations[metadataKeys.scrapePath] === mergedPath
  );
}

/** Whether the pod's scrape annotations ask for the path of the proxy's agent, at any port. */
export function scrapesAgent(pod: Pod): boolean {
  return pod.metadata?.annotations?.[metadataKeys.scrapePath] === mergedPath;
}

/** The agent's settings, and the annotations that an author usually writes them as. */
const SETTINGS = [
  ["scrape", metadataKeys.scrape],
  ["port", metadataKeys.scrapePort],
  ["path", metadataKeys.scrapePath],
] as const;

/** The annotations that merging writes, which undoing it restores. */
export const mergedAnnotations: ReadonlySet<string> = new Set(SETTINGS.map(([, key]) => key));

/** Whether undoing gives the merged annotations back as the author wrote them, if no other of the author's were taken away. */
export function keepsScrapeAnnotations(pod: Pod, { metadata }: Pod): boolean {
  const settings = agentSettings(pod, scrapeVariable);
  const isKept = SETTINGS.every(([name, key]) => metadata?.annotations?.[key] === (settings[name] || undefined));
  return isKept && settings["targets"] === undefined;
}

/** Restores the annotations from what the agent's environment says, which keeps it, if an injection merged them. */
function restoreScrapeAnnotations(
  pod: Pod,
  { trust, notes, meshStatusPort }: Pick<EarlierInjection, "trust" | "notes" | "meshStatusPort">,
): Pod {
  const isMerged = trust === "whole" ? notes.includes(prometheusNote) : isPrometheusMerged(pod, meshStatusPort);
  return isMerged ? withScrapeAnnotations(pod, agentSettings(pod, scrapeVariable)) : pod;
}

function withScrapeAnnotations(pod: Pod, settings: Readonly<Record<string, unknown>>): Pod {
  const targets = Array.isArray(settings["targets"])
    ? settings["targets"].map((target) => `${target?.port}:${target?.path}`).join(",")
    : "";
  const restored: Record<string, string> = {};
  for (const [name, key] of SETTINGS) {
    const text = targets === "" || name === "scrape" ? textOf(settings[name]) : undefined;
    if (text) restored[key] = text;
  }
  if (targets !== "") restored[metadataKeys.scrapeTargets] = targets;
  return withScrapeKeys(pod, scrapeAnnotations(pod, mergedKeys), restored);
}

type Found = ReadonlyMap<ScrapeKey, { readonly value: string; readonly keys: readonly string[] }>;

/** The scrape annotations in every spelling that is the same to Prometheus. */
function scrapeAnnotations(pod: Pod, wanted: readonly ScrapeKey[]): Found {
  const found = new Map<ScrapeKey, { value: string; keys: string[] }>();
  const annotations = pod.metadata?.annotations ?? {};
  for (const key in annotations) {
    if (!key.startsWith("prometheus")) continue;
    const spelled = asLabelName(key);
    const name = wanted.find((one) => one === spelled);
    if (name === undefined) continue;
    const value = String(annotations[key]);
    const entry = found.get(name);
    if (entry === undefined) found.set(name, { value, keys: [key] });
    else entry.keys.push(key);
  }
  return found;
}

/** The name of a key as Prometheus sees it: it replaces every character that a label name cannot contain by `_`. */
export const asLabelName = memoize((key) => key.replace(/[^a-zA-Z0-9_]/g, "_"));

/** Comma-separated `port:path` pairs. As in the reference, a list with an empty port counts as an empty list. */
function parseTargets(text: string | undefined): readonly { readonly port: string; readonly path: string }[] {
  const targets: { port: string; path: string }[] = [];
  for (const entry of (text ?? "").split(",")) {
    const trimmed = entry.trim();
    if (trimmed === "") continue;
    const colon = trimmed.indexOf(":");
    const port = (colon < 0 ? trimmed : trimmed.slice(0, colon)).trim();
    if (port === "") return [];
    const path = colon < 0 ? "" : trimmed.slice(colon + 1).trim();
    targets.push({ port, path: path === "" ? "/metrics" : path });
  }
  return targets;
}

function checkPort(text: string, statusPort: string, annotation: string): void {
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= 1 && number <= 65535)) throw badPort(text, annotation, "use a port from 1 to 65535");
  const port = String(number);
  if (port === statusPort) throw badPort(text, annotation, "it is the agent's own; name the application's port");
  const owner = Object.hasOwn(reservedPorts, port) ? reservedPorts[port] : undefined;
  if (owner !== undefined) throw badPort(text, annotation, `it is reserved for Istio (${owner})`);
}

function badPort(port: string, annotation: string, remedy: string): OutriggerError {
  return annotationError(
    annotation,
    `Cannot scrape port ${JSON.stringify(port.slice(0, 32))} of annotation ${annotation}: ${remedy}`,
    `Cannot scrape the port of annotation ${annotation}: ${remedy}`,
  );
}

/** The pod with scrape annotations in place of those that were found. */
function withScrapeKeys(pod: Pod, found: Found, annotations: Readonly<Record<string, string>>): Pod {
  const removed = [...found.values()].flatMap(({ keys }) => keys);
  const others = withoutKeys(pod.metadata?.annotations ?? {}, removed);
  return withMetadata(pod, { annotations: { ...others, ...annotations } });
}
