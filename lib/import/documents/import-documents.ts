// Istio's configuration → a source tree, with a finding for all that is left out or needs a look.

import { defined, isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { type IstioRelease, taggedMinor } from "@outrigger/mesh";
import { metadataOf } from "@outrigger/pod";
import { formatYaml } from "@outrigger/yaml";
import type { ImportFinding } from "../import-finding.ts";
import { injectorValues, isOfChart, withPilotValues } from "../settings/chart-values.ts";
import { istiodEnvironment } from "../settings/istiod-environment.ts";
import { withOperatorProfile, withProfiles } from "../settings/profiles.ts";
import { recogniseRelease } from "../settings/recognised-release.ts";
import { mergeSettings, type Settings } from "../settings/settings.ts";
import { settingsOfChart, settingsOfHelm } from "../settings/settings-of-helm.ts";
import { settingsOfInjector } from "../settings/settings-of-injector.ts";
import { settingsOfOperator } from "../settings/settings-of-operator.ts";
import { importTemplates } from "../templates/import-template.ts";
import { importMesh, type MergedValues } from "./import-mesh.ts";
import { describe, type ImportDocument, type ImportSource, readDocuments } from "./read-documents.ts";
import { type Registration, registrationOf } from "./registration.ts";

export interface ImportOptions {
  /** Which istiod's configuration, where there are several. */
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

/** What the chart makes of the values that it is given, and an injector's values: later documents lie over earlier ones. */
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

/** Of nothing but an empty `global`, no file is written. */
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
  const found = [...new Set(injectors.map(({ value }) => metadataOf(value).labels["istio.io/rev"] ?? "default"))];
  if (revision !== undefined || found.length < 2) return;
  const several = `the files hold injectors of several revisions, ${found.join(", ")}`;
  throw new OutriggerError("usage", `Cannot import: ${several}: name one with --revision`);
}

/** ConfigMaps of other revisions are not meant. */
function isOfRevision(document: ImportDocument, { revision }: ImportOptions, findings: ImportFinding[]): boolean {
  if (document.kind !== "injector" && document.kind !== "mesh") return true;
  const own = metadataOf(document.value).labels["istio.io/rev"];
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

/** `kind: Istio` of the Sail operator and of OpenShift Service Mesh 3. */
function settingsOfSail(document: ImportDocument, findings: ImportFinding[]): Settings {
  const spec = objectOf(document.value["spec"]);
  const { values: _, profile: __, version, namespace = "istio-system", updateStrategy, ...others } = spec;
  const place = { file: document.file, line: document.line };
  for (const key of Object.keys(others)) {
    findings.push({ severity: "warning", ...place, message: `Left out spec.${key} of the Istio: it is not known` });
  }
  // The operator sets both, whatever the values say.
  const revision = sailRevision(document.value, String(version), objectOf(updateStrategy));
  const profiled = withOperatorProfile(spec, (message) => void findings.push({ severity: "error", ...place, message }));
  const given = objectOf(profiled["values"]);
  if ((given["platform"] ?? objectOf(given["global"])["platform"]) === undefined) {
    const message =
      "On OpenShift, the operator adds global.platform: openshift, and the profile openshift where none is named: add both there";
    findings.push({ severity: "note", ...place, message });
  }
  const own = mergeSettings(given, { revision, global: { istioNamespace: namespace } });
  const settings = settingsOfChart(own, document, findings);
  return { ...settings, namespace: String(namespace), ...(typeof version === "string" && { version }) };
}

function sailRevision(istio: JsonObject, version: string, updateStrategy: JsonObject): string {
  const name = metadataOf(istio).name || "default";
  if (updateStrategy["type"] === "RevisionBased") return `${name}-${version.replaceAll(".", "-")}`;
  return name === "default" ? "" : name;
}
