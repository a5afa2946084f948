// Injection into manifests: a stream of YAML documents in, the same stream with its pods injected out, as
// `istioctl kube-inject` does. The injection of a pod is passed in.
import { defined } from "../defined.ts";
import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { formatYaml } from "../kube/format-yaml.ts";
import { parseYamlDocuments } from "../kube/yaml.ts";
import { decodePod } from "./decode-pod.ts";
import type { InjectRequest, InjectResult } from "./injector.ts";
import { type Owner, ownerOf } from "./owner.ts";
import { findWorkload, isList, type Workload } from "./workloads.ts";

export interface ManifestOptions {
  readonly inject: (request: InjectRequest) => InjectResult;
  /** The name of the manifest in errors: a file name. */
  readonly source: string;
  /** Namespace of documents without one. */
  readonly namespace?: string;
}

export interface InjectedManifest {
  readonly text: string;
  /** A line for each pod that is skipped, without line break, in the words of istioctl. */
  readonly warnings: readonly string[];
}

/**
 * Injects every pod in a stream. Separators and documents without a pod keep their bytes. A document with a pod is
 * printed again as Kubernetes' own types are printed, whether it was injected or skipped.
 *
 * @throws OutriggerError naming the source, the document's number and the field
 */
export function injectManifest(text: string, options: ManifestOptions): InjectedManifest {
  const documents = parseYamlDocuments(text, options.source);
  const parts: string[] = [];
  const warnings: string[] = [];
  let copied = 0;
  for (const [index, { value, start, end }] of documents.entries()) {
    const injected = injectDocument(value, index + 1, options);
    warnings.push(...injected.warnings);
    if (injected.document === value) continue;
    const before = text.slice(copied, start + separatorCommentLength(text.slice(start, end)));
    parts.push(before, before === "" || before.endsWith("\n") ? "" : "\n", formatYaml(injected.document));
    copied = end;
  }
  parts.push(text.slice(copied));
  return { text: parts.join(""), warnings };
}

/** Length of a comment on the separator's own line, which belongs to the separator and not to the document. */
function separatorCommentLength(document: string): number {
  return /^[ \t]+#[^\n]*\n/.exec(document)?.[0].length ?? 0;
}

interface Injected<Value> {
  /** The document itself if it holds no pod. */
  readonly document: Value;
  readonly warnings: readonly string[];
}

function injectDocument(value: JsonValue, number: number, options: ManifestOptions): Injected<JsonValue> {
  try {
    return injectObject(value, options);
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    const { code, message, path, line, column } = cause;
    const place = `${options.source}, document ${number}${describe(value)}`;
    throw new OutriggerError(code, `Cannot inject ${place}: ${message}`, {
      cause,
      ...defined({ path, line, column }),
    });
  }
}

function describe(value: JsonValue): string {
  if (!isObject(value)) return "";
  const { kind, metadata } = value;
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? ` ${JSON.stringify(metadata["name"])}` : "";
  return ` (${String(kind)}${name})`;
}

function injectObject(value: JsonValue, options: ManifestOptions): Injected<JsonValue> {
  if (!isObject(value)) return { document: value, warnings: [] };
  if (isList(value)) return injectList(value, options);
  const workload = findWorkload(value);
  return workload === undefined ? { document: value, warnings: [] } : injectWorkload(value, workload, options);
}

function injectList(list: JsonObject, options: ManifestOptions): Injected<JsonObject> {
  const items = Array.isArray(list["items"]) ? (list["items"] as readonly JsonValue[]) : [];
  const injected = items.map((item) => injectObject(item, options));
  const document = withPrinted({ ...list, items: injected.map((item) => item.document) }, { metadata: {} });
  return { document, warnings: injected.flatMap((item) => item.warnings) };
}

function injectWorkload(document: JsonObject, workload: Workload, options: ManifestOptions): Injected<JsonObject> {
  const spec = at(document, workload.spec);
  if (!isObject(spec)) throw missingSpec(workload.spec.join("."));
  const pod = decodePod({ metadata: at(document, workload.metadata) ?? {}, spec }, "written");
  const owner = workloadOwner(document);
  const podOwner = document["kind"] === "Pod" ? ownerOf(pod.metadata ?? {}) : owner;
  const namespace = pod.metadata?.namespace || owner.namespace || (options.namespace ?? "");
  const result = options.inject({ pod, namespace, parameters: {}, owner: podOwner });
  const { metadata, spec: injectedSpec } = result.injected ? result.pod : pod;
  const replaced = replace(replace(document, workload.metadata, metadata ?? {}), workload.spec, injectedSpec ?? spec);
  // Without the warnings of a review: istioctl warns about skipped pods only.
  const warnings = result.injected ? [] : [skipped(result.reason, podOwner, pod.metadata?.name)];
  return { document: withoutZeros(withPrinted(replaced, workload.printed)), warnings };
}

function workloadOwner({ apiVersion, kind, metadata }: JsonObject): Owner {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return { name: text(name), namespace: text(namespace), kind: text(kind), apiVersion: text(apiVersion) };
}

/** istioctl's words, which scripts look for. */
function skipped(reason: string, owner: Owner, podName: string | undefined): string {
  const name = podName || owner.name;
  const fullName = JSON.stringify(owner.namespace === "" ? name : `${owner.namespace}/${name}`);
  const why = reason === "host-network" ? "has host networking enabled" : "has sidecar injection disabled";
  return `===> Skipping injection because ${owner.kind === "" ? "" : `${owner.kind} `}${fullName} ${why}`;
}

function at(document: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value;
}

function replace(document: JsonObject, [key, ...rest]: readonly string[], value: JsonValue): JsonObject {
  if (key === undefined) return document;
  const child = document[key];
  return { ...document, [key]: rest.length === 0 ? value : replace(isObject(child) ? child : {}, rest, value) };
}

/** The document with the fields that its Go type always prints. */
function withPrinted(document: JsonObject, printed: JsonObject): JsonObject {
  const filled = Object.entries(printed).map(
    ([key, empty]) => [key, printedField(document[key] ?? undefined, empty as JsonValue)] as const,
  );
  return { ...document, ...Object.fromEntries(filled) };
}

function printedField(value: JsonValue | undefined, empty: JsonValue): JsonValue | undefined {
  if (Array.isArray(empty)) {
    const [item] = empty;
    return Array.isArray(value) ? (value.map((entry) => printedField(entry, item)) as JsonValue) : value;
  }
  if (value === undefined) return empty;
  return isObject(value) && isObject(empty) ? withPrinted(value, empty) : value;
}

/** The document without the two zero values of workload specs that Go types leave out. */
function withoutZeros(document: JsonObject): JsonObject {
  const { spec } = document;
  if (!isObject(spec) || (spec["minReadySeconds"] !== 0 && spec["paused"] !== false)) return document;
  const kept = Object.entries(spec).filter(
    ([key, value]) => !(key === "minReadySeconds" && value === 0) && !(key === "paused" && value === false),
  );
  return { ...document, spec: Object.fromEntries(kept) };
}

function missingSpec(path: string): OutriggerError {
  return new OutriggerError("manifest-invalid", `${path} is missing, or is not a mapping`, { path });
}
