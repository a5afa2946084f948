// Parses ProxyConfig resources (networking.istio.io). effective-proxy-config.ts selects those of a workload.

import {
  compareTexts,
  isObject,
  type JsonObject,
  type JsonValue,
  OutriggerError,
  objectOf,
  ownError,
  textOf,
} from "@outrigger/base";
import { parseYamlDocuments } from "@outrigger/yaml";
import { givenFieldProblem } from "./field-rules.ts";
import { proxySchema } from "./generated/proxy-schema.ts";
import { assign, type Message, readAssignments } from "./proto-json.ts";

/** The used part of a resource; plain JSON. */
export type ProxyConfigResource = {
  readonly name: string;
  readonly namespace: string;
  /** Labels of its workloads. Absent: the whole namespace. Empty: no workload, as in the reference. */
  readonly selector?: Readonly<Record<string, string>>;
  /** The resource's settings, as parts of a ProxyConfig. */
  readonly settings: Message;
};

const KIND = "ProxyConfig";
const GROUP = "networking.istio.io/";
const MESSAGE = "networking.ProxyConfig";

/**
 * Reads resources, oldest first: documents of a YAML stream, each a resource, a `List` of them or a YAML list. If all of
 * them have a `creationTimestamp`, it decides which is older; otherwise their order does.
 *
 * @throws OutriggerError `yaml-invalid` or `mesh-invalid`; the path is the source
 */
export function parseProxyConfigResources(text: string, source: string): readonly ProxyConfigResource[] {
  const documents = parseYamlDocuments(text, source);
  for (const { message, line, column } of documents.flatMap(({ warnings }) => warnings))
    throw new OutriggerError("yaml-invalid", `Cannot read ${source} as YAML: ${message}`, {
      path: source,
      line,
      column,
    });
  const listed = documents.flatMap(({ value }) => itemsOf(value));
  const dated = listed.every((value) => creationTime(value) !== "");
  const ordered = dated ? listed.toSorted((a, b) => compareTexts(creationTime(a), creationTime(b))) : listed;
  return ordered.map((value) => readResource(value, source));
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  if (isObject(value) && Array.isArray(value["items"]) && String(value["kind"]).endsWith("List")) return value["items"];
  return [value];
}

function creationTime(value: JsonValue): string {
  return textOf(metadataOf(value)["creationTimestamp"]) ?? "";
}

function readResource(value: JsonValue, source: string): ProxyConfigResource {
  const metadata = metadataOf(value);
  const name = textOf(metadata["name"]) ?? "";
  const namespace = textOf(metadata["namespace"]) ?? "";
  const subject = `Cannot read ${source}: ProxyConfig ${JSON.stringify(name)}`;
  const fail: Fail = (problem, cause) =>
    new OutriggerError("mesh-invalid", `${subject} ${problem}`, { path: source, cause });
  if (!isObject(value)) throw fail("must be a resource: apiVersion, kind, metadata and spec");
  const { kind, apiVersion } = value;
  if (kind !== undefined && kind !== KIND) throw fail(`has the wrong kind: write kind: ${KIND}`);
  if (apiVersion !== undefined && !String(apiVersion).startsWith(GROUP))
    throw fail(`has the wrong apiVersion: write ${GROUP}v1beta1`);
  if (namespace === "")
    throw fail("has no namespace: add metadata.namespace, in quotes if YAML would read it as another type");
  return { name, namespace, ...readSpec(value["spec"] ?? null, fail) };
}

type Fail = (problem: string, cause?: unknown) => OutriggerError;

function readSpec(spec: JsonValue, fail: Fail): Pick<ProxyConfigResource, "selector" | "settings"> {
  const unknown: string[] = [];
  const message = readMessage(spec, fail, (path) => unknown.push(path));
  if (unknown[0] !== undefined) throw fail(`has an unknown field ${unknown[0]}: remove it or correct its name`);
  const { selector, concurrency, environmentVariables, image } = message;
  if (Number(concurrency ?? 0) < 0) throw fail("has a negative spec.concurrency: write 0 for one thread per core");
  const settings: Message = {
    ...(concurrency !== undefined && { concurrency }),
    ...(environmentVariables !== undefined && { proxyMetadata: environmentVariables }),
    ...(image !== undefined && { image }),
  };
  const problem = givenFieldProblem(settings);
  if (problem !== undefined) throw fail(`is malformed: spec.${problem}`);
  if (!isObject(selector)) return { settings };
  const labels = (selector["matchLabels"] ?? {}) as Readonly<Record<string, string>>;
  const wrong = Object.entries(labels).find(([key, value]) => key === "" || `${key}${value}`.includes("*"));
  if (wrong !== undefined)
    throw fail("has a selector with an empty or wildcard label: spec.selector.matchLabels takes whole labels");
  return { selector: labels, settings };
}

function readMessage(spec: JsonValue, fail: Fail, onUnknown: (path: string) => void): JsonObject {
  try {
    return assign({}, readAssignments(proxySchema, MESSAGE, spec, "spec", onUnknown));
  } catch (cause) {
    throw fail(`is malformed: ${ownError(cause).message}`, cause);
  }
}

function metadataOf(value: JsonValue): JsonObject {
  return objectOf(objectOf(value)["metadata"]);
}
