// Istio's configuration → a source tree, with a finding for all that is left out or needs a look; and under which names istiod's
// injector serves its namespaces today: what a cluster must be registered with in its place.

import {
  defined,
  isObject,
  type JsonObject,
  metadataKeys,
  OutriggerError,
  objectOf,
  objectsOf,
  valueAt,
} from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { type IstioRelease, taggedMinor } from "@outrigger/mesh";
import { metadataOf } from "@outrigger/pod";
import { formatYaml } from "@outrigger/yaml";
import { injectorValues, isOfChart, istiodEnvironment, withPilotValues } from "../settings/chart-values.ts";
import { withProfiles } from "../settings/profiles.ts";
import { recogniseRelease } from "../settings/recognised-release.ts";
import { mergeSettings, type Settings } from "../settings/settings.ts";
import { settingsOfHelm, settingsOfOperator, settingsOfSail } from "../settings/settings-of-chart.ts";
import { settingsOfInjector } from "../settings/settings-of-injector.ts";
import { importTemplates } from "../templates/import-templates.ts";
import { importMesh, type MergedValues } from "./import-mesh.ts";
import {
  describe,
  type ImportDocument,
  type ImportFinding,
  type ImportSource,
  readDocuments,
} from "./read-documents.ts";

export interface ImportOptions {
  /** The revision of the istiod whose configuration is imported, where there are several. */
  readonly revision?: string;
  /** The namespace of istiod. Helm values do not hold it: without it, their `global.istioNamespace`. */
  readonly namespace?: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: (text: string) => string;
  /** The tag of the images of a release, where it is known. */
  readonly tagOf?: (istio: IstioRelease) => string | undefined;
}

export interface Imported {
  readonly tree: SourceTree;
  readonly findings: readonly ImportFinding[];
  readonly registration: Registration;
}

/** The labels of namespaces, for the options of `outrigger register`. */
export interface Registration {
  readonly revision: string;
  /** Istio's tags of the revision. */
  readonly tags: readonly string[];
  readonly enableNamespacesByDefault: boolean;
}

/**
 * Istio's configuration as a source tree: ConfigMaps of istiod, Helm values, IstioOperator, Sail's Istio, ProxyConfig and pods.
 * Later files lie over earlier ones: mappings are merged, everything else is replaced.
 *
 * @throws OutriggerError `usage` for injectors of several revisions, of which none is named
 */
export function importDocuments(sources: readonly ImportSource[], options: ImportOptions): Imported {
  const findings: ImportFinding[] = [];
  const documents = readDocuments(sources, findings).filter((document) => isOfRevision(document, options, findings));
  oneRevision(documents, options);
  const read = documents.map((document) => ({ document, settings: settingsOf(document, findings) }));
  const settings = read.flatMap((each) => each.settings ?? []);
  const config = settings.reduce<JsonObject>((all, each) => mergeSettings(all, each.config), {});
  const tree: Record<string, string> = {};
  const isComplete = settings.some((each) => each.isComplete);
  const { texts, recognised } = importTemplates(settings, options.digest, findings);
  const merged = mergeValues(settings, Object.values(texts), options, findings);
  const { values } = merged;
  const global = objectOf(values["global"]);
  const version = settings.findLast((each) => each.version !== undefined)?.version;
  const { istio, minor } = recogniseRelease(recognised, global["tag"] ?? version, findings);
  Object.assign(tree, texts);
  const revision = options.revision ?? settings.findLast((each) => each.revision !== undefined)?.revision;
  const whole: JsonObject = {
    ...config,
    ...(revision !== undefined && revision !== "" && { revision }),
    ...defined({ istio }),
    ...istiodEnvironment(merged.all, settings, minor, findings),
    ...(isComplete && { defaults: "none" }),
  };
  if (Object.keys(whole).length > 0) tree["config"] = formatYaml(whole);
  const kept = withReleaseTag(values, istio, options.tagOf ?? (() => undefined), findings);
  if (hasValues(kept)) tree["values/10-imported"] = formatYaml(kept);
  Object.assign(tree, defined({ mesh: importMesh(read, merged, options, findings) }));
  const proxyConfigs = documents.filter(({ kind }) => kind === "proxyconfig");
  if (proxyConfigs.length > 0) tree["proxyconfigs"] = proxyConfigs.map(textOf).join("---\n");
  for (const [index, pod] of documents.filter(({ kind }) => kind === "pod").entries()) {
    const metadata = metadataOf(pod.value);
    const name = /^.*[A-Za-z0-9]/s.exec(metadata.name || metadata.generateName)?.[0] ?? "";
    tree[`samples/${name === "" ? `imported-${index + 1}` : name}`] = textOf(pod);
  }
  return { tree, findings, registration: registrationOf(revision || "default", merged.all, documents, findings) };
}

/**
 * Merges what the chart makes of the values that it is given, and an injector's values. Later documents lie over
 * earlier ones.
 */
function mergeValues(
  settings: readonly Settings[],
  texts: readonly string[],
  { revision }: ImportOptions,
  findings: ImportFinding[],
): MergedValues {
  const merge = (list: readonly Settings[]) =>
    list.reduce<JsonObject>((all, each) => mergeSettings(all, each.values), {});
  const complete = merge(settings.filter(({ isComplete }) => isComplete));
  const isNamed = revision !== undefined && revision !== "default" && settings.every(({ isComplete }) => !isComplete);
  const charts = settings.filter(({ isComplete }) => !isComplete);
  const { file = "" } = charts.at(-1) ?? {};
  const given = withProfiles(merge(charts), (message) => void findings.push({ severity: "error", file, message }));
  const chart = isNamed ? { ...given, revision } : given;
  const injector = isOfChart(chart) ? injectorValues(chart, texts) : { values: chart, leftOut: [] };
  if (injector.leftOut.length > 0) {
    const message = `Left out values that change no injected pod: ${injector.leftOut.join(", ")}`;
    findings.push({ severity: "note", file, message });
  }
  const isLast = settings.at(-1)?.isComplete === true;
  const over = (under: JsonObject, above: JsonObject) =>
    isLast ? mergeSettings(above, under) : mergeSettings(under, above);
  return { complete, all: over(complete, withPilotValues(chart)), values: over(complete, injector.values) };
}

/** Whether there is more than an empty `global`: no file is written otherwise. */
function hasValues({ global, ...others }: JsonObject): boolean {
  return Object.keys(others).length > 0 || (isObject(global) ? Object.keys(global).length > 0 : global !== undefined);
}

function settingsOf(document: ImportDocument, findings: ImportFinding[]): Settings | undefined {
  if (document.kind === "injector") return settingsOfInjector(document, findings);
  if (document.kind === "operator") return settingsOfOperator(document, findings);
  if (document.kind === "sail") return settingsOfSail(document, findings);
  return document.kind === "helm" ? settingsOfHelm(document.value, document, findings) : undefined;
}

/** @throws OutriggerError `usage` for injectors of several revisions, of which none is named */
function oneRevision(documents: readonly ImportDocument[], { revision }: ImportOptions): void {
  const injectors = documents.filter(({ kind }) => kind === "injector");
  const found = [
    ...new Set(injectors.map(({ value }) => metadataOf(value).labels[metadataKeys.revision] ?? "default")),
  ];
  if (revision !== undefined || found.length < 2) return;
  const several = `the files hold injectors of several revisions, ${found.join(", ")}`;
  throw new OutriggerError("usage", `Cannot import: ${several}: name one with --revision`);
}

/** ConfigMaps of other revisions are not meant. */
function isOfRevision(document: ImportDocument, { revision }: ImportOptions, findings: ImportFinding[]): boolean {
  if (document.kind !== "injector" && document.kind !== "mesh") return true;
  const own = metadataOf(document.value).labels[metadataKeys.revision];
  if (revision === undefined || own === undefined || own === revision) return true;
  const { file, line } = document;
  const message = `Skipped ${describe(document.value)}: it is of revision ${own}, not ${revision}`;
  findings.push({ severity: "note", file, line, message });
  return false;
}

function textOf({ isWhole, text, value }: ImportDocument): string {
  const own = isWhole ? text.trim() : formatYaml(value);
  return own.endsWith("\n") ? own : `${own}\n`;
}

/**
 * Values without `global.tag`, where it is that of the release itself: the images follow the release that the config names. Any
 * other tag stays: pods keep the image that they have. Lint warns of the tag of another release.
 *
 * @param tagOf the tag of a release's images
 */
function withReleaseTag(
  values: JsonObject,
  istio: IstioRelease | undefined,
  tagOf: (istio: IstioRelease) => string | undefined,
  findings: ImportFinding[],
): JsonObject {
  const global = values["global"];
  if (istio === undefined || !isObject(global) || typeof global["tag"] !== "string") return values;
  const { tag, ...others } = global;
  const current = tagOf(istio);
  if (tag === current) {
    const message = `Left out global.tag ${tag}: it is that of istio: "${istio}", and the images follow that release`;
    findings.push({ severity: "note", file: "config.yaml", message });
    return { ...values, global: others };
  }
  if (`1.${taggedMinor(String(tag))}` === istio) {
    const message = `global.tag stays ${tag}, while istio: "${istio}" has ${current}: remove it before you move istio to another release, or the images stay behind`;
    findings.push({ severity: "note", file: "values/10-imported.yaml", message });
  }
  return values;
}

/**
 * Returns what istiod's webhooks and the chart's values say. Webhooks of other revisions have a note.
 *
 * @param values the values that the chart is given
 */
function registrationOf(
  revision: string,
  values: JsonObject,
  documents: readonly ImportDocument[],
  findings: ImportFinding[],
): Registration {
  const own: ImportDocument[] = [];
  for (const webhook of documents.filter(({ kind }) => kind === "webhook")) {
    const { file, line, value } = webhook;
    const named = metadataOf(value).labels[metadataKeys.revision] ?? "default";
    if (named === revision) own.push(webhook);
    else {
      const message = `Skipped ${describe(value)}: it is of revision ${named}, not ${revision}`;
      findings.push({ severity: "note", file, line, message });
    }
  }
  const given = values["revisionTags"];
  const tags = [
    ...(Array.isArray(given) ? given.map(String) : []),
    ...own.flatMap(({ value }) => metadataOf(value).labels["istio.io/tag"] ?? []),
  ];
  const hasAuto = own.some(({ value }) =>
    objectsOf(value["webhooks"]).some(({ name }) => /^auto\./.test(String(name))),
  );
  return {
    revision,
    tags: [...new Set(tags)].filter((tag) => tag !== revision).sort(),
    enableNamespacesByDefault:
      hasAuto || valueAt(values, ["sidecarInjectorWebhook", "enableNamespacesByDefault"]) === true,
  };
}
