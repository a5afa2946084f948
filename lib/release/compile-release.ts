// Source trees → a release: parse, lint, compile, load, and try it on every sample pod. What cannot serve fails here, with
// the place in the tree, and never reaches a pod.

import { OutriggerError } from "../errors.ts";
import { decodePod } from "../inject/decode-pod.ts";
import { injectionHelpers } from "../inject/template-helpers.ts";
import { isObject, type JsonObject } from "../json.ts";
import { parseYaml } from "../kube/yaml.ts";
import { checkSwitches } from "../mesh/check-switches.ts";
import { readMeshConfig } from "../mesh/mesh-config.ts";
import { parseProxyConfigResources } from "../mesh/proxy-config-resources.ts";
import { mergeValues } from "../mesh/values.ts";
import { compileTemplates } from "../template/compile/compile-templates.ts";
import { unresolvedValues } from "../template/compile/unresolved-values.ts";
import { describeTemplate, type Finding } from "../template/finding.ts";
import { loadRelease } from "./load-release.ts";
import { parseConfig } from "./parse-config.ts";
import { RELEASE_FORMAT, type Release } from "./release.ts";
import { checkSourcePath, folderEntries, type SourceFolder, type SourceTree } from "./source-tree.ts";
import { type Sample, trySamples } from "./try-samples.ts";

/**
 * Compiles layers of source trees, the first the lowest: templates, partials and samples of a later layer replace those
 * of the same name, values are merged, config keys replaced, mesh config applied over. With `defaults: none` in the
 * config, values and mesh config of the layers below the last do not count.
 *
 * Pure. Throws an OutriggerError with the path, line and column of what is wrong.
 */
export function compileRelease(layers: readonly SourceTree[]): Release {
  for (const layer of layers) for (const path of Object.keys(layer)) checkSourcePath(path);
  const texts = (path: string, from = layers) =>
    from.flatMap((layer) => (Object.hasOwn(layer, path) ? [layer[path] as string] : []));
  const config = parseConfig(texts("config"));
  const counting = config.defaults === "none" ? layers.slice(-1) : layers;
  const templates = merged(layers, "templates");
  const partials = merged(layers, "partials");
  const { meshConfig, warnings: meshWarnings } = readMeshConfig(texts("mesh", counting), "mesh");
  const draft: Release = {
    format: RELEASE_FORMAT,
    config: config.injection,
    values: mergeValues(counting.flatMap((layer) => folderEntries(layer, "values").map(parseLayer))),
    meshConfig,
    proxyConfigs: texts("proxyconfigs").flatMap((text) => parseProxyConfigResources(text, "proxyconfigs")),
    namespaceAnnotations: Object.assign({}, ...texts("namespaces").map(parseNamespaces)),
    templates: compileTemplates({ templates, partials }, Object.keys(injectionHelpers)),
    shapes: [],
    warnings: [],
    injectableNames: namesSpeltOut([...Object.values(templates), ...Object.values(partials)]),
  };
  checkAliases(draft);
  const injector = loadRelease(draft);
  const samples = Object.entries(merged(layers, "samples")).map(parseSample);
  const sampleWarnings = trySamples({ release: draft, injector, spare: loadRelease(draft) }, samples);
  const unresolved = unresolvedValues(draft.templates, draft.values, injectionHelpers).map(unresolvedWarning);
  return {
    ...draft,
    shapes: injector.templates.shapes(),
    warnings: [...config.warnings, ...meshWarnings, ...unresolved, ...sampleWarnings],
  };
}

/** The folder's entries of all layers by name; the last layer wins. */
function merged(layers: readonly SourceTree[], folder: SourceFolder): Readonly<Record<string, string>> {
  return Object.fromEntries(layers.flatMap((layer) => folderEntries(layer, folder)));
}

function parseLayer([name, text]: readonly [string, string]): JsonObject {
  const path = `values/${name}`;
  const layer = parseYaml(text, path) ?? {};
  if (!isObject(layer))
    throw new OutriggerError("values-invalid", `Cannot use ${path}: values must be a mapping`, { path });
  checkSwitches(layer, path);
  return layer;
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

/** An alias is expanded once, so that what it names must be templates. */
function checkAliases({ config, templates }: Release): void {
  for (const [alias, names] of Object.entries(config.aliases)) {
    const unknown = names.find((name) => !Object.hasOwn(templates.templates, name));
    if (unknown === undefined) continue;
    const path = `config.aliases.${alias}`;
    const known = Object.keys(templates.templates).join(", ");
    const message = `Cannot use alias ${JSON.stringify(alias)}: there is no template ${JSON.stringify(unknown)}; use ${known}`;
    throw new OutriggerError("config-invalid", message, { path });
  }
}

function parseSample([name, text]: readonly [string, string]): Sample {
  const path = `samples/${name}`;
  const pod = parseYaml(text, path);
  if (!isObject(pod) || pod["kind"] !== "Pod") {
    throw new OutriggerError("tree-invalid", `Cannot use ${path}: a sample is a Pod, with "kind: Pod"`, { path });
  }
  try {
    return { path, pod: decodePod(pod, "written") };
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    throw new OutriggerError("tree-invalid", `Cannot use ${path}: ${cause.message}`, { path, cause });
  }
}

function unresolvedWarning({ template, message, line, column }: Finding): string {
  return `In ${describeTemplate(template)}, ${message} (line ${line}, column ${column})`;
}
