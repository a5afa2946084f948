// Source trees → a release, or the first error with its position in the tree; or everything that is wrong with it, in one pass: each
// text is parsed once. Errors never stop the examination of other files; only the templates that compile are tried, and only where
// nothing else has an error.

import {
  defined,
  isObject,
  type JsonObject,
  memoizeJson,
  OutriggerError,
  objectOf,
  suggestName,
  unlessOwnError,
} from "@outrigger/base";
import { parseProxyConfigResources, readMeshConfig } from "@outrigger/mesh";
import { parseFieldPath } from "@outrigger/pod";
import {
  examineTemplates,
  findingError,
  type TemplateSources,
  unresolvedValues,
  usedValues,
} from "@outrigger/template";
import { locateYaml } from "@outrigger/yaml";
import { injectionHelpers } from "../render/injection-helpers.ts";
import { MAX_ID, tooHighRange } from "../render/proxy-ids.ts";
import { checkBranches } from "./branches/check-branches.ts";
import { checkWhoGetsWhat } from "./check-who-gets-what.ts";
import { isWithoutMesh, valuesTexts, withIstioRelease } from "./istio-layers.ts";
import { formatOf, loadRelease, type Release } from "./load-release.ts";
import { wantedOrders } from "./read/order-default-templates.ts";
import { FOR_NO_POD, type ReadConfig, readConfig } from "./read/parse-config.ts";
import { mergedFolder, readLayer, readSample, type Sample } from "./read/read-tree.ts";
import { fieldError, type SourceText } from "./read/source-text.ts";
import { doubledKeyErrors } from "./samples/branch-coverage.ts";
import { writtenOverAuthor } from "./samples/check-written-over.ts";
import type { Trial } from "./samples/try-injection.ts";
import { tryIntact, trySamples } from "./samples/try-samples.ts";
import type { SourceTree } from "./source-tree.ts";
import {
  describeWarning,
  errorFinding,
  type Findings,
  sortFindings,
  type TreeFinding,
  templateFinding,
} from "./tree-finding.ts";
import { checkAgreement } from "./values/check-agreement.ts";
import { checkProxyTag } from "./values/check-proxy-tag.ts";
import { checkSchema } from "./values/check-schema.ts";
import { checkValues } from "./values/check-values.ts";
import { checkVariant } from "./values/check-variant.ts";
import { mergeValues } from "./values/merge-values.ts";

/**
 * Compiles layers of source trees, the lowest first: templates, partials and samples of a later layer replace those of the
 * same name, values are merged, config keys replaced, and mesh config is applied over the layers below. With
 * `defaults: none` in the config, values and mesh config below the last layer do not count.
 *
 * @throws OutriggerError with the path, line and column of the first error; lintTree returns all of them
 */
export function compileRelease(layers: readonly SourceTree[]): Release {
  const { release, errors } = examineTree({ layers, isQuick: false });
  const [first, ...others] = errors;
  if (first === undefined) return release as Release;
  if (others.length === 0) throw first;
  const { code, message, path, line, column } = first;
  const more = `${message}; ${others.length} more ${others.length === 1 ? "error" : "errors"}`;
  throw new OutriggerError(code, more, { ...defined({ path, line, column }), cause: first });
}

/**
 * Lints layers of trees, the lowest first, by the rules of compileRelease. Publishing asks lintSource, which also knows what can be
 * stored.
 *
 * @param isQuick branches that no sample takes are not read: a preview follows each key
 * @returns findings in the order of paths and positions
 * @example
 * ```ts
 * lintTree([{ "templates/a": "spec: {}" }]).findings // => []
 * lintTree([{ config: "polcy: enabled" }]).findings[0]?.path // => "config.polcy"
 * ```
 */
export function lintTree(layers: readonly SourceTree[], isQuick = false): LintedTree {
  const { errors, warnings, ...examined } = examineTree({ layers, isQuick });
  return { findings: sortFindings([...errors.map((error) => errorFinding(error)), ...warnings]), ...examined };
}

interface LintedTree extends Omit<ExaminedTree, keyof Findings> {
  readonly findings: readonly TreeFinding[];
}

interface ExaminedTree extends Findings {
  /** The channel that a published edit goes to; the default where the config has an error. */
  readonly publishTo: string | undefined;
  /** The compiled tree; undefined if it does not compile. */
  readonly release?: Release;
}

/** Bounds of a cache of results for trees. A result takes a multiple of its tree's bytes. */
const OF_TREES = { longest: 4_000_000, bytesOf: (_: unknown, text: string) => 8 * text.length };

/**
 * Examines layers of trees, the lowest first. Never throws an OutriggerError. The same texts are examined once: a push lints a
 * tree and then publishes it, and a diff compiles the same shipped tree twice.
 */
const examineTree = memoizeJson(examine, OF_TREES);

/**
 * Examines the templates of a tree. It is cached apart, because trees that differ in their values have the same
 * templates.
 */
const examineSources = memoizeJson((sources: TemplateSources) => examineTemplates(sources, injectionHelpers), OF_TREES);

function examine(asked: { readonly layers: readonly SourceTree[]; readonly isQuick: boolean }): ExaminedTree {
  const { isQuick } = asked;
  const layers = withIstioRelease(asked.layers);
  const errors: OutriggerError[] = [];
  const warnings: TreeFinding[] = [];
  const attempt = <T>(read: () => T): T | undefined => unlessOwnError(read, (error) => errors.push(error));
  const read = layers.map((layer) => readLayer(layer, errors));
  const configs = read.flatMap((layer) => layer.config ?? []);
  const configured = readConfig(configs, errors, warnings);
  const { config } = configured;
  const { publishTo } = config;
  const counting = config.defaults === "none" ? read.slice(-1) : read;
  const values = valuesTexts(read, config.defaults);
  const meshTexts = counting.flatMap((layer) => layer.mesh ?? []);
  const mesh = attempt(() => readMesh(meshTexts));
  for (const field of mesh?.unknown ?? []) warnings.push(meshWarning(field, meshTexts));
  const sources = { templates: mergedFolder(layers, "templates"), partials: mergedFolder(layers, "partials") };
  const { compiled, findings } = examineSources(sources);
  for (const finding of findings) {
    if (finding.severity === "error") errors.push(findingError(finding));
    else warnings.push(templateFinding(finding));
  }
  const proxyConfigs = read.map(
    ({ proxyconfigs: text = "" }) => attempt(() => parseProxyConfigResources(text, "proxyconfigs")) ?? [],
  );
  const draft: Omit<Release, "meshConfig"> = {
    format: formatOf(config.injection),
    config: { ...config.injection, defaultTemplates: config.ordered },
    values: mergeValues(values.map(({ value }) => value as JsonObject)),
    proxyConfigs: proxyConfigs.flat(),
    namespaceAnnotations: Object.assign(
      {},
      ...read.map(({ namespaces: text }) => text && attempt(() => parseNamespaces(text))),
    ),
    templates: compiled,
    shapes: [],
    warnings: [],
    injectableNames: literalNames([...Object.values(sources.templates), ...Object.values(sources.partials)]),
  };
  const below = layers.length > 1 && config.defaults !== "none" ? read.slice(0, -1) : undefined;
  const base =
    below && mergeValues(below.flatMap(({ values: files }) => files.map(({ value }) => value as JsonObject)));
  const faulty = checkValues(read.at(-1)?.values ?? [], { base, used: usedValues(compiled) }, errors, warnings);
  checkProxyTag(read.at(-1)?.values ?? [], config.injection.istio ?? "development", warnings);
  checkVariant({ layer: read.at(-1), mesh: mesh?.meshConfig, proxyConfigs: proxyConfigs.at(-1) }, warnings);
  const schema = read.findLast((layer) => layer.schema !== undefined)?.schema;
  if (schema !== undefined) checkSchema(schema, draft.values, values, errors);
  if (!findings.some(({ severity }) => severity === "error")) {
    // Values that cannot be read are not missing.
    const areRead = !errors.some(({ path }) => path?.startsWith("values/"));
    const isReported = (message: string) =>
      faulty.some((name) => message.startsWith(`"${name}.`) || message.startsWith(`"${name}"`));
    for (const finding of areRead ? unresolvedValues(compiled, draft.values, injectionHelpers) : []) {
      if (finding.severity === "error") errors.push(findingError(finding));
      else if (!isReported(finding.message)) warnings.push(templateFinding(finding));
    }
    checkTemplateNames(configured, Object.keys(compiled.templates), errors);
  }
  // Of samples of one name, the last.
  const written = new Map(read.flatMap(({ samples: texts }) => texts.map((text) => [text.path, text])));
  const samples = [...written.values()].flatMap((text) => attempt(() => readSample(text)) ?? []);
  if (mesh === undefined) return { errors, warnings, publishTo };
  const release: Release = { ...draft, meshConfig: mesh.meshConfig };
  checkAgreement(read.at(-1), release, warnings);
  const who = { config: read.at(-1)?.config, tree: layers.at(-1) ?? {}, injection: config.injection };
  // Below every tree is the shipped one, which says of itself who gets what.
  if (layers.length > 1 && !errors.some(({ path }) => path?.startsWith("config")))
    checkWhoGetsWhat({ ...who, hasMesh: !isWithoutMesh(layers), templates: sources.templates, samples }, warnings);
  const own = new Set(Object.keys(layers.at(-1) ?? {}));
  if (errors.length > 0) {
    const isElsewhere = errors.length > findings.filter(({ severity }) => severity === "error").length;
    const more = tryIntact({ release, findings, samples, values, own, isElsewhere });
    return { errors: [...errors, ...more.errors], warnings: [...warnings, ...more.warnings], publishTo };
  }
  const injector = loadRelease(release);
  const orders = wantedOrders(objectOf(read.at(-1)?.config?.value)["defaultTemplates"]);
  const tried = trySamples({ release, injector, spare: loadRelease(release), values, own, orders }, samples);
  // Before anything else is tried: a release ships the shapes of its samples.
  const shapes = injector.templates.shapes();
  const found = isQuick ? tried : withBranches(tried, { release, injector, own, samples });
  const all = [...warnings, ...found.warnings];
  if (found.errors.length > 0) return { errors: found.errors.map(placeIn(configured)), warnings: all, publishTo };
  if (!isQuick) all.push(...writtenOverAuthor(release, injector, layers.at(-1) ?? {}));
  const whole = { ...release, shapes, warnings: all.map(describeWarning) };
  return { errors, warnings: all, publishTo, release: whole };
}

type Lined = Partial<Pick<OutriggerError, "path" | "line" | "reason">>;

interface TriedTree extends Pick<Trial, "release" | "injector" | "own"> {
  readonly samples: readonly Sample[];
}

/** What is wrong in branches that no sample takes, besides what the samples show: of one line, the sample's says more. */
function withBranches(tried: Findings, { release, injector, own, samples }: TriedTree): Findings {
  const doubled = tried.errors.length > 0 ? [] : doubledKeyErrors(release, injector, own);
  if (doubled.length > 0) return { ...tried, errors: doubled };
  const pods = samples.map(({ pod }) => pod);
  const branches = checkBranches(release, injector, own, pods);
  const lineOf = ({ path, line }: Lined) => `${path}:${line}`;
  const shown = new Set(tried.errors.map(lineOf));
  // What a value makes wrong is said at the value, wherever branches insert it: its own field has one name.
  const slipOf = ({ reason }: Lined) => reason?.replace(/^\S*\./, "");
  const ofValues = tried.errors
    .filter(({ path }) => path?.startsWith("values/"))
    .flatMap((error) => slipOf(error) ?? []);
  const isNew = (each: Lined) => !shown.has(lineOf(each)) && !ofValues.includes(slipOf(each) ?? "");
  return {
    errors: [...tried.errors, ...branches.errors.filter(isNew)],
    warnings: [...tried.warnings, ...branches.warnings.filter(isNew)],
  };
}

const readMesh = memoizeJson((texts: readonly string[]) => readMeshConfig(texts, "mesh"), { longest: 100_000 });

/**
 * Warns of a field that the mesh configuration does not have. It is ignored, as in the reference, but probably
 * misspelt. Its position is in the last text that has it.
 */
function meshWarning(field: string, texts: readonly string[]): TreeFinding {
  const steps = parseFieldPath(field);
  const text = texts.findLast((one) => one.includes(String(steps.at(-1) ?? "")));
  const place = text === undefined ? undefined : locateYaml(text, steps, "key");
  const message = `MeshConfig has no field ${field}: it has no effect (in mesh)`;
  return { severity: "warning", path: "mesh", ...place, message };
}

/** Every literal name in the texts. A name that comes from a value cannot be known here. */
function literalNames(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => [...text.matchAll(/\bname["']?:\s*["']?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/g)]);
  return [...new Set(names.map((match) => match[1] as string))].sort();
}

/** A sample that meets a default template which is not there tells no place. */
function placeIn({ config, errorAt }: ReadConfig): (error: OutriggerError) => OutriggerError {
  return (error) => {
    if (error.path !== "config.defaultTemplates" || error.line !== undefined) return error;
    const named = config.injection.defaultTemplates.findIndex((entry) => error.message.includes(JSON.stringify(entry)));
    const { line, column } = errorAt(["defaultTemplates", ...(named === -1 ? [] : [named])], error.message);
    return new OutriggerError(error.code, error.message, {
      ...defined({ path: error.path, line, column }),
      cause: error,
    });
  };
}

/** An alias is expanded once, so it must name templates. A default template that only some pods get may be in no sample. */
function checkTemplateNames({ config, errorAt }: ReadConfig, known: readonly string[], errors: OutriggerError[]): void {
  const { aliases, defaultTemplates } = config.injection;
  for (const [index, entry] of defaultTemplates.entries()) {
    if (
      typeof entry === "string" ||
      entry === FOR_NO_POD ||
      known.includes(entry.name) ||
      Object.hasOwn(aliases, entry.name)
    )
      continue;
    const message = `Cannot use config key "defaultTemplates[${index}].name": there is no template ${JSON.stringify(entry.name)}`;
    const choices = [...known, ...Object.keys(aliases)];
    const more = `${suggestName(entry.name, choices)}; use ${choices.join(", ")}`;
    errors.push(errorAt(["defaultTemplates", index, "name"], message + more));
  }
  for (const [alias, names] of Object.entries(aliases)) {
    for (const name of names) {
      if (known.includes(name)) continue;
      const message = `Cannot use alias ${JSON.stringify(alias)}: there is no template ${JSON.stringify(name)}`;
      errors.push(errorAt(["aliases", alias], `${message}${suggestName(name, known)}; use ${known.join(", ")}`));
    }
  }
}

/** @throws OutriggerError `config-invalid` with the namespace and its position */
function parseNamespaces(source: SourceText): Release["namespaceAnnotations"] {
  const namespaces = source.value ?? {};
  if (!isObject(namespaces)) throw invalid(source, [], "a mapping of namespace to its metadata");
  return Object.fromEntries(
    Object.entries(namespaces).map(([name, metadata]) => {
      const annotations = isObject(metadata) ? (metadata["annotations"] ?? {}) : undefined;
      const isMap = isObject(annotations) && Object.values(annotations).every((value) => typeof value === "string");
      if (!isMap) throw invalid(source, [name], "a mapping with annotations, all strings");
      const texts = annotations as Readonly<Record<string, string>>;
      const range = tooHighRange(texts);
      if (range !== undefined)
        throw invalid(source, [name, "annotations", range], `a range that ends at ${MAX_ID} or below`);
      return [name, texts];
    }),
  );
}

function invalid(source: SourceText, steps: readonly string[], allowed: string): OutriggerError {
  const path = ["namespaces", ...steps].join(".");
  return fieldError("config-invalid", { path, text: source.text }, steps, `Cannot use ${path}: it must be ${allowed}`);
}
