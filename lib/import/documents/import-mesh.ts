// The mesh configuration of an import: ConfigMaps as they are, and what the chart istiod derives from the values it is given.

import { isObject, type JsonObject, type JsonValue, jsonEqual, objectOf } from "@outrigger/base";
import { formatYaml } from "@outrigger/yaml";
import { chartMesh, istioNamespaceOf } from "../settings/chart-mesh.ts";
import { mergeSettings, type Settings } from "../settings/settings.ts";
import { describe, type ImportDocument, type ImportFinding, parsedEntry } from "./read-documents.ts";

export interface ReadDocument {
  readonly document: ImportDocument;
  readonly settings: Settings | undefined;
}

export interface MergedValues {
  /** The values of injectors' ConfigMaps alone. */
  readonly complete: JsonObject;
  /** The complete values with the ones that the chart is given, `meshConfig` included. */
  readonly all: JsonObject;
  /** The part of all values that templates read. */
  readonly values: JsonObject;
}

/** The text of a ConfigMap, or what is derived. */
type GivenMesh = Pick<ImportDocument, "file" | "line"> & { readonly mesh: string | JsonObject };

/**
 * A ConfigMap's text as it is, where it is alone; several are merged in the order in which they were given.
 *
 * What is derived has the place of the last values. Only what differs from the chart's defaults is written, or, over a
 * ConfigMap, what the values change that were given apart from the injector's own.
 */
export function importMesh(
  read: readonly ReadDocument[],
  merged: MergedValues,
  options: { readonly namespace?: string },
  findings: ImportFinding[],
): string | undefined {
  const last = read.findLast(({ settings }) => settings !== undefined);
  const hasMap = read.some(({ document }) => document.kind === "mesh");
  const given = read.flatMap(({ document, settings }): readonly GivenMesh[] => {
    const { kind, file, line, value } = document;
    if (kind !== "mesh") {
      if (settings === undefined || document !== last?.document) return [];
      const mesh = derivedMesh({ document, settings }, read, merged, { ...options, hasMap }, findings);
      return Object.keys(mesh).length === 0 ? [] : [{ file, line, mesh }];
    }
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
  const parsed = given.map((one) =>
    typeof one.mesh === "string" ? parsedEntry(one, "mesh", one.mesh, findings) : one.mesh,
  );
  return formatYaml(parsed.reduce(mergeSettings, {}));
}

function derivedMesh(
  { document: { file, line }, settings }: ReadDocument,
  read: readonly ReadDocument[],
  { complete, all }: MergedValues,
  options: { readonly namespace?: string; readonly hasMap: boolean },
  findings: ImportFinding[],
): JsonObject {
  const named = read.findLast(({ settings }) => settings?.namespace !== undefined);
  const namespace = options.namespace ?? named?.settings?.namespace;
  if (!options.hasMap && read.some((one) => one.settings?.isComplete)) {
    const message =
      "No mesh configuration was given: what Istio's chart makes of the values applies; import the ConfigMap istio too";
    findings.push({ severity: "warning", file, message });
  }
  const under = options.hasMap ? complete : {};
  const before = chartMesh(under, options.hasMap ? (namespace ?? istioNamespaceOf(under)) : istioNamespaceOf({}));
  const after = chartMesh(all, namespace ?? istioNamespaceOf(all));
  const isMissing = all["configMap"] === false && !options.hasMap;
  for (const problem of isMissing ? [...after.problems, NO_CONFIG_MAP] : after.problems) {
    const message = `Cannot derive the mesh configuration: ${problem}`;
    findings.push({ severity: "error", file, line, message });
  }
  const changes = changesOf(before.mesh, after.mesh);
  const address = objectOf(changes["defaultConfig"])["discoveryAddress"];
  if (namespace === undefined && settings?.isComplete === false && address !== undefined) {
    const message = `discoveryAddress is ${String(address)}: Helm values do not name the namespace of their release, and it is taken to be global.istioNamespace; name another with --namespace`;
    findings.push({ severity: "note", file, line, message });
  }
  return changes;
}

const NO_CONFIG_MAP = "configMap is false, so the chart writes none: import the ConfigMap istio that istiod reads";

/** Returns what to merge into one mapping to get the other. A list that is gone becomes an empty one. */
function changesOf(before: JsonObject, after: JsonObject): JsonObject {
  const changes: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (value === undefined || (Object.hasOwn(before, key) && jsonEqual(old, value))) continue;
    changes.push([key, isObject(old) && isObject(value) ? changesOf(old, value) : value]);
  }
  for (const [key, value] of Object.entries(before)) {
    if (Object.hasOwn(after, key)) continue;
    if (isObject(value)) changes.push([key, changesOf(value, {})]);
    if (Array.isArray(value)) changes.push([key, []]);
  }
  return Object.fromEntries(changes);
}
