// What a release writes into pods, whatever pod comes: the writes of its templates, and the settings by which the injection itself decides
// or adds something. An edit is the difference between the writes of two releases.
import { isObject, type JsonValue, memoizeObject } from "@outrigger/base";
import { baseProxyConfig } from "@outrigger/mesh";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { type TemplateWrite, type TemplateWrites, templateWrites, type WriteStep } from "@outrigger/template";
import { injectionHelpers } from "../../render/injection-helpers.ts";
import { proxyImage, proxyInitImage } from "../../render/proxy-image.ts";
import { constantRoots, usualRoots } from "../../render/template-data.ts";
import type { Release } from "../load-release.ts";
import { injectorOf } from "../samples/outcome-of.ts";
import { treePath } from "../source-tree.ts";

/** One thing that a release writes, or one setting that decides what is written. */
export interface ReleaseWrite {
  /** The template; empty for a setting. */
  readonly template: string;
  /** `spec.containers[istio-proxy].image`, `config.policy`, `mesh.defaultConfig.concurrency`. */
  readonly path: string;
  /** What is written, with each expression in double braces. */
  readonly written: string;
  /** The value; left out where it depends on the pod. */
  readonly value?: JsonValue;
  /** Conditions above it, sorted: `if native`. */
  readonly conditions: readonly string[];
  /** The text of the source tree that writes it, with line and column where they are known. */
  readonly place: { readonly path: string; readonly line?: number; readonly column?: number };
}

/** All that a release writes, and the structure of its templates. */
export interface ReleaseWrites {
  /** By what makes two writes equal: everything but the place. */
  readonly writes: ReadonlyMap<string, ReleaseWrite>;
  /** The skeleton of each template, by its name. */
  readonly skeletons: Readonly<Record<string, string>>;
}

/**
 * Reads what a release writes. Slow (about a second for the shipped templates): for publishing and for people who look at an edit.
 *
 * @param names the templates to read; all of them where it is left out
 * @param variants for which pods: those that share the mesh's ProxyConfig, and those with one of their own
 * @param isImageRead whether the images of the proxy are followed to what is written of them
 * @throws OutriggerError `release-unsupported` for a release in a form that this version does not know
 */
export function releaseWrites(
  release: Release,
  names: readonly string[] = Object.keys(release.templates.templates),
  variants: readonly Variant[] = ["usual", "own"],
  isImageRead = false,
): ReleaseWrites {
  const writes = new Map<string, ReleaseWrite>();
  const skeletons: Record<string, string> = {};
  const readTemplate = readerOf(release, variants, isImageRead);
  for (const name of names) {
    for (const [variant, read] of readTemplate(name)) {
      skeletons[`${name} (${variant})`] = read.skeleton;
      for (const write of read.writes) {
        const { path, written, conditions } = write;
        writes.set(JSON.stringify([variant, name, path, written, conditions]), write);
      }
    }
  }
  for (const write of settingsOf(release)) writes.set(JSON.stringify(["setting", write.path, write.written]), write);
  return { writes, skeletons };
}

/** The roots that most pods share; the images of the proxy are among them where a text of the tree may read those. */
export function usualOf(release: Release, isImageRead: boolean): Readonly<Record<string, unknown>> {
  return { ...usualRoots(injectorOf(release)), ...(isImageRead && imagesOf(release)) };
}

function imagesOf({ values, meshConfig, config }: Release) {
  const { image } = baseProxyConfig(meshConfig);
  return { proxyImage: proxyImage(values, image, {}, config.istio), proxyInitImage: proxyInitImage(values, {}) };
}

/** Most pods share the mesh's ProxyConfig: what it decides is a value there, and an expression for pods with one of their own. */
type Variant = "usual" | "own";

interface Read {
  readonly writes: readonly ReleaseWrite[];
  readonly skeleton: string;
}

function readerOf(release: Release, variants: readonly Variant[], isImageRead: boolean) {
  const own = constantRoots(injectorOf(release));
  const roots = { own, usual: { ...own, ...usualOf(release, isImageRead) } };
  return (name: string) =>
    variants.map((variant) => {
      const query = { compiled: release.templates, helpers: injectionHelpers, constants: roots[variant], name };
      return [variant, readOf(templateWrites(query))] as const;
    });
}

const readOf = memoizeObject(({ name, writes, skeleton }: TemplateWrites): Read => {
  return { writes: writes.map((write) => ofTemplate(name, write)), skeleton };
});

function ofTemplate(template: string, { path, position, ...write }: TemplateWrite): ReleaseWrite {
  const { source, line, column } = position;
  return { template, path: pathText(path), ...write, place: { path: treePath(source), line, column } };
}

/** Names items as the Pod schema merges them, and those of a list without a merge key by `name`. */
function pathText(path: readonly WriteStep[]): string {
  let type: TypeSchema | undefined = POD_TYPE;
  let mergeKey = "name";
  return path.reduce((text: string, step): string => {
    if (typeof step !== "string") {
      type = type?.element;
      return `${text}[${step.item[mergeKey] ?? step.at}]`;
    }
    const field = type?.fields.get(step);
    mergeKey = field?.mergeKey ?? "name";
    type = field?.type ?? type?.element;
    if (!/^[\w$-]+$/.test(step)) return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

function settingsOf(release: Release): readonly ReleaseWrite[] {
  const { config, values, meshConfig, proxyConfigs, namespaceAnnotations } = release;
  const images = imagesOf(release);
  const { policy, inboundTrafficPolicy, enablePrometheusMerge, defaultConfig } = {
    policy: config.policy,
    ...meshConfig,
  };
  const global = isObject(values["global"]) ? values["global"] : {};
  const parts: readonly (readonly [part: string, value: unknown, file: string])[] = [
    ["config", { ...config, policy }, "config"],
    ["mesh", { inboundTrafficPolicy, enablePrometheusMerge, defaultConfig }, "mesh"],
    ["proxyconfigs", proxyConfigs, "proxyconfigs"],
    ["namespaces", namespaceAnnotations, "namespaces"],
    ["values.global", { network: global["network"], multiCluster: global["multiCluster"] }, "values"],
    ["values.sidecarInjectorWebhook", values["sidecarInjectorWebhook"], "values"],
    [
      "values.global.proxy",
      { holdApplicationUntilProxyStarts: proxySetting(global, "holdApplicationUntilProxyStarts") },
      "values",
    ],
    ["images.proxy", images.proxyImage, "values"],
    ["images.init", images.proxyInitImage, "values"],
  ];
  return parts.flatMap(([part, value, file]) => leavesOf(part, value, file));
}

function proxySetting(global: Readonly<Record<string, unknown>>, key: string): unknown {
  const { proxy } = global;
  return isObject(proxy) ? proxy[key] : undefined;
}

function leavesOf(path: string, value: unknown, file: string): readonly ReleaseWrite[] {
  if (value === undefined) return [];
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) =>
      leavesOf(/^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${key}]`, inner, file),
    );
  }
  const written = JSON.stringify(value);
  return [{ template: "", path, written, value: value as JsonValue, conditions: [], place: { path: file } }];
}
