// Source trees → a release: parse, lint, compile, load, and inject every sample pod. What cannot serve fails here, with
// the place in the tree, and never reaches a pod.

import { OutriggerError } from "../errors.ts";
import { injectPod } from "../inject/inject-pod.ts";
import type { Injector } from "../inject/injector.ts";
import { injectionHelpers } from "../inject/template-helpers.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Pod } from "../kube/pod-types.ts";
import { parseYaml } from "../kube/yaml.ts";
import { parseMeshConfig } from "../mesh/mesh-config.ts";
import { parseProxyConfigResources } from "../mesh/proxy-config-resources.ts";
import { mergeValues } from "../mesh/values.ts";
import { compileTemplates } from "../template/compile-templates.ts";
import { loadRelease } from "./load-release.ts";
import { parseConfig } from "./parse-config.ts";
import { RELEASE_FORMAT, type Release } from "./release.ts";
import { checkSourcePath, folderEntries, type SourceFolder, type SourceTree } from "./source-tree.ts";

/**
 * Compiles layers of source trees, the first the lowest: templates, partials and samples of a later layer replace those
 * of the same name, values are merged, config keys replaced, mesh config applied over. With `defaults: none` in the
 * config, values and mesh config of the layers below the last do not count.
 *
 * Pure. Throws an OutriggerError with the path, line and column of what is wrong.
 */
export function compileRelease(layers: readonly SourceTree[]): Release {
  for (const layer of layers) for (const path of Object.keys(layer)) checkSourcePath(path);
  const texts = (path: string, from = layers) => from.flatMap((layer) => (Object.hasOwn(layer, path) ? [layer[path] as string] : []));
  const config = parseConfig(texts("config"));
  const counting = config.defaults === "none" ? layers.slice(-1) : layers;
  const templates = merged(layers, "templates");
  const partials = merged(layers, "partials");
  const draft: Release = {
    format: RELEASE_FORMAT,
    config: config.injection,
    values: mergeValues(counting.flatMap((layer) => folderEntries(layer, "values").map(parseLayer))),
    meshConfig: parseMeshConfig(texts("mesh", counting), "mesh"),
    proxyConfigs: texts("proxyconfigs").flatMap((text) => parseProxyConfigResources(text, "proxyconfigs")),
    namespaceAnnotations: Object.assign({}, ...texts("namespaces").map(parseNamespaces)),
    templates: compileTemplates({ templates, partials }, Object.keys(injectionHelpers)),
    shapes: [],
    warnings: config.warnings,
    injectableNames: namesSpeltOut([...Object.values(templates), ...Object.values(partials)]),
  };
  const injector = loadRelease(draft);
  for (const [name, text] of Object.entries(merged(layers, "samples"))) injectSample(injector, name, text);
  return { ...draft, shapes: injector.templates.shapes() };
}

/** The folder's entries of all layers by name; the last layer wins. */
function merged(layers: readonly SourceTree[], folder: SourceFolder): Readonly<Record<string, string>> {
  return Object.fromEntries(layers.flatMap((layer) => folderEntries(layer, folder)));
}

function parseLayer([name, text]: readonly [string, string]): JsonObject {
  const path = `values/${name}`;
  const layer = parseYaml(text, path) ?? {};
  if (isObject(layer)) return layer;
  throw new OutriggerError("values-invalid", `Cannot use ${path}: values must be a mapping`, { path });
}

function parseNamespaces(text: string): Release["namespaceAnnotations"] {
  const namespaces = parseYaml(text, "namespaces") ?? {};
  if (!isObject(namespaces)) throw invalidNamespaces("namespaces", "a mapping of namespace to its metadata");
  return Object.fromEntries(
    Object.entries(namespaces).map(([name, metadata]) => {
      const annotations = isObject(metadata) ? (metadata["annotations"] ?? {}) : undefined;
      const isMap = isObject(annotations) && Object.values(annotations).every((value) => typeof value === "string");
      if (!isMap) throw invalidNamespaces(`namespaces.${name}`, "a mapping with annotations, all strings");
      return [name, annotations as Readonly<Record<string, string>>];
    }),
  );
}

function invalidNamespaces(path: string, allowed: string): OutriggerError {
  return new OutriggerError("config-invalid", `Cannot use ${path}: it must be ${allowed}`, { path });
}

/** Every literal name in the texts. Names that only a value gives are the author's or the operator's business. */
function namesSpeltOut(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => [...text.matchAll(/\bname["']?:\s*["']?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/g)]);
  return [...new Set(names.map((match) => match[1] as string))].sort();
}

function injectSample(injector: Injector, name: string, text: string): void {
  const path = `samples/${name}`;
  const pod = parseYaml(text, path);
  if (!isObject(pod) || pod["kind"] !== "Pod") {
    throw new OutriggerError("tree-invalid", `Cannot use ${path}: a sample is a Pod`, { path });
  }
  injectPod(injector, { pod: pod as Pod, namespace: "default", parameters: {} });
}
