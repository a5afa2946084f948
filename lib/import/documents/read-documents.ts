// The files of an import → the parts of Istio's configuration in them, by kind; and what an import has to say of them.

import { entryOf, isObject, type JsonObject, type JsonValue, objectOf, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { parseYaml, parseYamlDocuments } from "@outrigger/yaml";

/** A finding about what an import left out, changed or could not translate, and what to do about it. */
export interface ImportFinding {
  /** An error loses something of the original; a warning may; a note only informs. */
  readonly severity: "error" | "warning" | "note";
  /** The file that was imported, with the template in it. */
  readonly file: string;
  /** 1-based, in the template or file. */
  readonly line?: number;
  readonly column?: number;
  /** The fact, the reason, and what to do. */
  readonly message: string;
}

/** A file to import: its name, for findings, and its text. */
export interface ImportSource {
  readonly file: string;
  readonly text: string;
}

export interface ImportDocument {
  readonly kind: "injector" | "mesh" | "helm" | "operator" | "sail" | "proxyconfig" | "pod" | "webhook";
  readonly file: string;
  /** 1-based line of the document in the file. */
  readonly line: number;
  readonly text: string;
  readonly value: JsonObject;
  /** Whether `value` is the document itself and not an item of a list in it. */
  readonly isWhole: boolean;
}

/** Reads all documents. What is none of Istio's configuration has a finding. */
export function readDocuments(sources: readonly ImportSource[], findings: ImportFinding[]): readonly ImportDocument[] {
  return sources.flatMap(({ file, text }) => {
    try {
      return parseYamlDocuments(text, file).flatMap(({ value, start, end, line, warnings }) => {
        findings.push(...warnings.map((warning) => ({ severity: "warning", file, ...warning }) as const));
        return itemsOf(value).flatMap((item): readonly ImportDocument[] => {
          const kind = kindOf(item);
          if (kind !== undefined && isObject(item)) {
            return [{ kind, file, line, text: text.slice(start, end), value: item, isWhole: item === value }];
          }
          const what = isObject(item) && typeof item["kind"] === "string" ? describe(item) : "this document";
          const message = `Skipped ${what}: an import reads the ConfigMaps istio-sidecar-injector and istio, Helm values, IstioOperator, Istio, ProxyConfig, istiod's webhooks and Pod`;
          findings.push({ severity: "note", file, line, message });
          return [];
        });
      });
    } catch (error) {
      const { message, line = 1 } = ownError(error);
      findings.push({ severity: "error", file, line, message });
      return [];
    }
  });
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return [];
  if (isObject(value) && Array.isArray(value["items"]) && String(value["kind"]).endsWith("List")) return value["items"];
  return [value];
}

const KINDS: Readonly<Record<string, ImportDocument["kind"]>> = {
  IstioOperator: "operator",
  ProxyConfig: "proxyconfig",
  Pod: "pod",
};

function kindOf(value: JsonValue): ImportDocument["kind"] | undefined {
  if (!isObject(value)) return undefined;
  const { kind, data } = value;
  if (kind === undefined && value["apiVersion"] === undefined) return "helm";
  if (kind === "ConfigMap" && isObject(data)) {
    if (typeof data["config"] === "string") return "injector";
    return typeof data["mesh"] === "string" ? "mesh" : undefined;
  }
  if (kind === "MutatingWebhookConfiguration") {
    return metadataOf(value).labels["app"] === "sidecar-injector" ? "webhook" : undefined;
  }
  if (kind === "Istio" && String(value["apiVersion"]).startsWith("sailoperator.io/")) return "sail";
  return typeof kind === "string" ? entryOf(KINDS, kind) : undefined;
}

/** `ConfigMap istio-system/istio`. */
export function describe(value: JsonObject): string {
  const { namespace, name } = metadataOf(value);
  const names = [namespace, name].filter((part) => part !== "");
  return `${String(value["kind"] ?? "this document")} ${names.join("/")}`.trim();
}

/** The mapping that an entry of a ConfigMap holds as text; an empty one, with a finding, where it cannot be read. */
export function parsedEntry(
  { file, line }: Pick<ImportDocument, "file" | "line">,
  key: string,
  text: string,
  findings: ImportFinding[],
): JsonObject {
  try {
    return objectOf(parseYaml(text, `${file} (data.${key})`));
  } catch (error) {
    findings.push({ severity: "error", file, line, message: ownError(error).message });
    return {};
  }
}
