// Istio's configuration → a source tree, with a finding for all that is left out or needs a look.

import { defined, isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { IstioRelease } from "@outrigger/mesh";
import { formatYaml, parseYaml } from "@outrigger/yaml";
import type { ImportFinding } from "../import-finding.ts";
import { recogniseRelease } from "../settings/recognised-release.ts";
import { withReleaseTag } from "../settings/release-tag.ts";
import { mergeSettings, type Settings } from "../settings/settings.ts";
import { settingsOfHelm, settingsOfOperator, settingsOfSail } from "../settings/settings-of-helm.ts";
import { settingsOfInjector } from "../settings/settings-of-injector.ts";
import { importTemplates } from "../templates/import-templates.ts";
import { describe, type ImportDocument, type ImportSource, readDocuments } from "./read-documents.ts";

export interface ImportOptions {
  /** Which istiod's configuration, where there are several. */
  readonly revision?: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: (text: string) => string;
  /** The tag of the images of a release, where it is known. */
  readonly tagOf?: (istio: IstioRelease) => string | undefined;
}

export interface Imported {
  readonly tree: SourceTree;
  readonly findings: readonly ImportFinding[];
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
  const settings = read.flatMap((each) => each.settings);
  const config = settings.reduce<JsonObject>((all, each) => mergeSettings(all, each.config), {});
  const values = settings.reduce<JsonObject>((all, each) => mergeSettings(all, each.values), {});
  const tree: Record<string, string> = {};
  const isComplete = settings.some((each) => each.isComplete);
  const { texts, recognised } = importTemplates(settings, options.digest, findings);
  const global = objectOf(values["global"]);
  const version = settings.findLast((each) => each.version !== undefined)?.version;
  const { istio, minor } = recogniseRelease(recognised, global["tag"] ?? version, findings);
  Object.assign(tree, texts);
  const revision = options.revision ?? settings.findLast((each) => each.revision !== undefined)?.revision;
  const whole: JsonObject = {
    ...config,
    ...(revision !== undefined && revision !== "" && { revision }),
    ...defined({ istio }),
    ...environmentOf(values, minor, isComplete, findings),
    ...(isComplete && { defaults: "none" }),
  };
  if (Object.keys(whole).length > 0) tree["config"] = formatYaml(whole);
  const kept = withReleaseTag(values, istio, options.tagOf ?? (() => undefined), findings);
  if (hasValues(kept)) tree["values/10-imported"] = formatYaml(kept);
  const mesh = meshOf(read, findings);
  if (mesh !== undefined) tree["mesh"] = mesh;
  else if (isComplete) {
    const file = documents.find(({ kind }) => kind === "injector")?.file ?? "";
    const message = "No mesh configuration was given: Istio's defaults apply; import the ConfigMap istio too";
    findings.push({ severity: "warning", file, message });
  }
  const proxyConfigs = documents.filter(({ kind }) => kind === "proxyconfig");
  if (proxyConfigs.length > 0) tree["proxyconfigs"] = proxyConfigs.map(textOf).join("---\n");
  for (const [index, pod] of documents.filter(({ kind }) => kind === "pod").entries()) {
    const metadata = objectOf(pod.value["metadata"]);
    const name = /^.*[A-Za-z0-9]/s.exec(String(metadata["name"] ?? metadata["generateName"] ?? ""))?.[0] ?? "";
    tree[`samples/${name === "" ? `imported-${index + 1}` : name}`] = textOf(pod);
  }
  return { tree, findings };
}

/** Of nothing but an empty `global`, no file is written. */
function hasValues({ global, ...others }: JsonObject): boolean {
  return Object.keys(others).length > 0 || (isObject(global) ? Object.keys(global).length > 0 : global !== undefined);
}

function settingsOf(document: ImportDocument, findings: ImportFinding[]): readonly Settings[] {
  if (document.kind === "injector") return [settingsOfInjector(document, findings)];
  if (document.kind === "operator") return [settingsOfOperator(document, findings)];
  if (document.kind === "sail") return [settingsOfSail(document, findings)];
  return document.kind === "helm" ? [settingsOfHelm(document.value, document, findings)] : [];
}

/** @throws OutriggerError `usage` for injectors of several revisions, of which none is named */
function oneRevision(documents: readonly ImportDocument[], { revision }: ImportOptions): void {
  const injectors = documents.filter(({ kind }) => kind === "injector");
  const found = [...new Set(injectors.map(({ value }) => revisionOf(value) ?? "default"))];
  if (revision !== undefined || found.length < 2) return;
  const names = found.join(", ");
  throw new OutriggerError(
    "usage",
    `Cannot import: the files hold injectors of several revisions, ${names}: name one with --revision`,
  );
}

/** ConfigMaps of other revisions are not meant. */
function isOfRevision(document: ImportDocument, { revision }: ImportOptions, findings: ImportFinding[]): boolean {
  if (document.kind !== "injector" && document.kind !== "mesh") return true;
  const own = revisionOf(document.value);
  if (revision === undefined || own === undefined || own === revision) return true;
  const { file, line } = document;
  const message = `Skipped ${describe(document.value)}: it is of revision ${own}, not ${revision}`;
  findings.push({ severity: "note", file, line, message });
  return false;
}

function revisionOf(value: JsonObject): string | undefined {
  const metadata = objectOf(value["metadata"]);
  const labels = objectOf(metadata["labels"]);
  const revision = labels["istio.io/rev"];
  return typeof revision === "string" ? revision : undefined;
}

/** Istio's defaults: native sidecars since 1.27. istiod's environment is only known as far as the values name it. */
function environmentOf(
  values: JsonObject,
  minor: number | undefined,
  isComplete: boolean,
  findings: ImportFinding[],
): JsonObject {
  const pilot = objectOf(values["pilot"]);
  const environment = objectOf(pilot["env"]);
  const native = environment["ENABLE_NATIVE_SIDECARS"];
  const policy = environment["COMPLIANCE_POLICY"];
  const global = objectOf(values["global"]);
  // The chart makes istiod's PLATFORM of it.
  const platform = environment["PLATFORM"] ?? values["platform"] ?? global["platform"];
  const isOld = native === undefined && minor !== undefined && minor < 27;
  if (isOld) {
    const message = "nativeSidecars is false, as it is before Istio 1.27 unless istiod's environment says otherwise";
    findings.push({ severity: "note", file: "config.yaml", message });
  } else if (native === undefined && isComplete) {
    const message =
      "nativeSidecars stays at its default, true: set it to false if istiod runs with ENABLE_NATIVE_SIDECARS=false";
    findings.push({ severity: "note", file: "config.yaml", message });
  }
  return {
    ...(native !== undefined && { nativeSidecars: String(native) !== "false" }),
    ...(isOld && { nativeSidecars: false }),
    ...(typeof policy === "string" && policy !== "" && { compliancePolicy: policy }),
    ...(platform === "openshift" && { platform }),
  };
}

interface ReadDocument {
  readonly document: ImportDocument;
  readonly settings: readonly Settings[];
}

interface GivenMesh {
  readonly file: string;
  readonly line: number;
  /** Of a ConfigMap, or what other documents say. */
  readonly mesh: string | JsonObject;
}

/** A ConfigMap's text as it is, where it is alone; several are merged in the order in which they were given. */
function meshOf(read: readonly ReadDocument[], findings: ImportFinding[]): string | undefined {
  const given = read.flatMap(({ document, settings }): readonly GivenMesh[] => {
    const { kind, file, line, value } = document;
    if (kind !== "mesh") return settings.flatMap(({ mesh }) => (mesh === undefined ? [] : [{ file, line, mesh }]));
    const data = value["data"] as JsonObject;
    for (const key of Object.keys(data).filter((one) => one !== "mesh")) {
      const message = `Left out ${key} of ${describe(value)}: injection does not read it`;
      findings.push({ severity: "note", file, line, message });
    }
    return [{ file, line, mesh: String(data["mesh"]) }];
  });
  const [only, ...others] = given;
  if (only === undefined) return undefined;
  if (others.length === 0 && typeof only.mesh === "string") return `${only.mesh.replace(/\n$/, "")}\n`;
  if (others.length > 0) {
    const { file, line } = given.at(-1) as GivenMesh;
    const message = `Merged ${given.length} mesh configurations: settings of later ones lie over those of earlier ones`;
    findings.push({ severity: "note", file, line, message });
  }
  const parsed = given.map((one) => parsedMesh(one, findings));
  return formatYaml(parsed.reduce(mergeSettings, {}));
}

function parsedMesh({ file, line, mesh }: GivenMesh, findings: ImportFinding[]): JsonObject {
  if (typeof mesh !== "string") return mesh;
  try {
    const value = parseYaml(mesh, `${file} (data.mesh)`);
    return objectOf(value);
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    findings.push({ severity: "error", file, line, message: error.message });
    return {};
  }
}

function textOf({ isWhole, text, value }: ImportDocument): string {
  const own = isWhole ? text.trim() : formatYaml(value);
  return own.endsWith("\n") ? own : `${own}\n`;
}
