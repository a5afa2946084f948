// Walks the pods of a manifest and changes them in its text: a stream of YAML or JSON documents in, the same stream with
// other pods out. Everything that does not change keeps its bytes. What is done to a pod is passed in.

import {
  defined,
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  OutriggerError,
  objectOf,
  ownError,
  textOf,
  valueAt,
} from "@outrigger/base";
import { omitEmpty, type Pod } from "@outrigger/pod";
import { editDocument, formatYaml, parseYamlDocuments, rebase, type YamlDocument } from "@outrigger/yaml";
import { decodePod } from "../decode-pod.ts";
import type { Owner } from "../owner.ts";
import { withAt } from "../pod-edit.ts";
import { printAsReference } from "./print-as-reference.ts";
import { quoteText } from "./quote-text.ts";
import { findPods, findWorkload, isList, type PodPlace } from "./workloads.ts";

export interface ManifestSource {
  /** The name of the manifest in errors: a file name. */
  readonly source: string;
  /** Namespace of documents without one. */
  readonly namespace?: string;
  /** Kinds whose pods are looked for in a field of any name. */
  readonly kinds?: readonly string[];
  /** Finds pods, and prints documents with one, as the reference does. */
  readonly isReference?: boolean;
  /** The verb for what is done, in errors: `inject`. */
  readonly verb: string;
}

export interface ManifestPod {
  readonly pod: Pod;
  /** The document that has the pod: a Deployment, or the pod itself. */
  readonly document: JsonObject;
  readonly workload: Owner;
  readonly namespace: string;
}

export interface EditedManifest {
  readonly text: string;
  /** Lines without line break: what the edits say, what was passed over, what is odd in the text. */
  readonly warnings: readonly string[];
}

/**
 * Edits every pod in a stream.
 *
 * @throws OutriggerError naming the source, the document's number and the field
 */
export function editManifest(text: string, options: ManifestSource, edit: EditPod): EditedManifest {
  const documents = parseYamlDocuments(text, options.source);
  const parts: string[] = [];
  const warnings: string[] = [];
  const passed = new Map<string, number>();
  const editing = { ...options, edit, warnings, passed };
  let copied = 0;
  for (const [index, document] of documents.entries()) {
    const { value, start, end } = document;
    const number = documents.length === 1 ? undefined : index + 1;
    const edited = editOne(document, { ...editing, number });
    if (edited === value) continue;
    const own = text.slice(start, end);
    const changed = editDocument(own, edited);
    if (changed !== undefined) parts.push(text.slice(copied, start), changed);
    else {
      // A comment on the separator's own line belongs to the separator and not to the document.
      const [comment = ""] = /^[ \t]+#[^\n]*\n/.exec(own) ?? [];
      const before = text.slice(copied, start) + comment;
      parts.push(before, before === "" || before.endsWith("\n") ? "" : "\n", formatYaml(edited));
      const place = placeOf(value, { ...options, number });
      warnings.push(`${place}: reprinted, without comments: its text cannot be edited`);
    }
    copied = end;
  }
  parts.push(text.slice(copied));
  const kinds = [...passed].sort().map(([kind, count]) => (count === 1 ? kind : `${kind} (${count})`));
  if (kinds.length > 0) warnings.push(`${options.source}: passed through, no pod in it: ${kinds.join(", ")}`);
  // istioctl says nothing but what it skips.
  const said = options.isReference === true ? warnings.filter((warning) => warning.startsWith("===>")) : warnings;
  return { text: parts.join(""), warnings: said };
}

/** Edits a pod of a manifest. The result has no pod if nothing changes. */
type EditPod = (pod: ManifestPod) => { readonly pod?: Pod; readonly warnings: readonly string[] };

interface Editing extends ManifestSource {
  readonly edit: EditPod;
  /** The number of the document, from 1, or undefined if it is the only one. */
  readonly number: number | undefined;
  readonly warnings: string[];
  /** Kinds of objects without a pod, with how many there are. */
  readonly passed: Map<string, number>;
}

/** Returns the document's own value if nothing of it changes. */
function editOne({ value, warnings }: YamlDocument, editing: Editing): JsonValue {
  for (const { message, line, column } of warnings) {
    editing.warnings.push(`${editing.source}:${line}:${column}: ${message}`);
  }
  try {
    return editObject(value, editing);
  } catch (cause) {
    const { code, message, path, line, column } = ownError(cause);
    const place = placeOf(value, { ...editing, number: editing.number ?? 1 });
    const details = { cause, ...defined({ path, line, column }) };
    throw new OutriggerError(code, `Cannot ${editing.verb} ${place}: ${message}`, details);
  }
}

/** Returns the place of a document for messages: `web.yaml, document 2 (Deployment "web")` */
function placeOf(value: JsonValue, { source, number }: Pick<Editing, "source" | "number">): string {
  const place = number === undefined ? source : `${source}, document ${number}`;
  if (!isObject(value)) return place;
  const { kind, metadata } = value;
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? ` ${JSON.stringify(metadata["name"])}` : "";
  return `${place} (${String(kind)}${name})`;
}

function editObject(value: JsonValue, editing: Editing): JsonValue {
  if (!isObject(value)) return value;
  if (isList(value)) return editList(value, editing);
  const isReference = editing.isReference === true;
  const workload = findWorkload(value);
  // Of a CronJob, the reference takes the job's metadata for the pod's.
  const own: readonly PodPlace[] = workload === undefined ? [] : [workload];
  const places = isReference ? own : findPods(value, editing.kinds);
  if (places.length === 0) {
    const kind = String(value["kind"] ?? "no kind");
    editing.passed.set(kind, (editing.passed.get(kind) ?? 0) + 1);
    return value;
  }
  let changed = value;
  for (const place of places) {
    const written = editPod(value, place, editing);
    if (written !== undefined) changed = replaced(changed, place, written);
  }
  return isReference && workload !== undefined ? printAsReference(changed, workload) : changed;
}

function editList(list: JsonObject, editing: Editing): JsonObject {
  const items = listOf(list["items"]) as readonly JsonValue[];
  const edited = items.map((item) => editObject(item, editing));
  const isSame = edited.every((item, index) => item === items[index]);
  const value = isSame ? list : { ...list, items: edited };
  return editing.isReference === true ? { ...value, metadata: value["metadata"] ?? {} } : value;
}

/** The pod with its changes, as the document writes it; undefined where there are none. */
function editPod(document: JsonObject, place: PodPlace, editing: Editing): JsonObject | undefined {
  const isReference = editing.isReference === true;
  const spec = valueAt(document, place.spec);
  const path = place.spec.join(".");
  if (!isObject(spec) && isReference) {
    throw new OutriggerError("manifest-invalid", `${path} is missing, or is not a mapping`, { path });
  }
  if (!isObject(spec) || (!isReference && spec["containers"] === undefined)) {
    const missing = isObject(spec) ? `${path}.containers` : path;
    editing.warnings.push(`${placeOf(document, editing)}: passed through: ${missing} is missing, as in a patch`);
    return undefined;
  }
  const metadata = valueAt(document, place.metadata);
  const { pod: written, fields } = quoteText({ ...defined({ metadata }), spec });
  const pod = omitEmpty(decodePod({ metadata: {}, ...written }, "written"));
  const owner = documentOwner(document);
  const namespace = pod.metadata?.namespace || owner.namespace || (editing.namespace ?? "");
  // A webhook always knows the namespace, and so does the owner that it sees.
  const workload = isReference ? owner : { ...owner, namespace };
  const { pod: edited, warnings } = editing.edit({ pod, document, workload, namespace });
  editing.warnings.push(...warnings);
  // What is not injected keeps its bytes; the reference prints it all the same.
  if (edited === undefined) return isReference ? written : undefined;
  if (fields.length > 0) editing.warnings.push(`${placeOf(document, editing)}: ${quotedNote(fields, place)}`);
  return rebase(written, pod as JsonObject, edited as JsonObject) as JsonObject;
}

const SHOWN_FIELDS = 5;

function quotedNote(fields: readonly string[], place: PodPlace): string {
  const shown = fields.slice(0, SHOWN_FIELDS).map((field) => {
    const [part = ""] = /^\w+/.exec(field) ?? [];
    return [...(part === "metadata" ? place.metadata : place.spec), field.slice(part.length + 1)].join(".");
  });
  const more = fields.length - shown.length;
  const names = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `quoted ${names}: YAML reads a number or a boolean there, and an API server takes only text`;
}

function documentOwner({ apiVersion, kind, metadata }: JsonObject): Owner {
  const text = (value: unknown) => textOf(value) ?? "";
  const { name, namespace } = objectOf(metadata);
  return { name: text(name), namespace: text(namespace), kind: text(kind), apiVersion: text(apiVersion) };
}

function replaced(document: JsonObject, place: PodPlace, { metadata, spec }: JsonObject): JsonObject {
  const withSpec = withAt(document, place.spec, spec as JsonValue);
  const isSame = metadata === valueAt(document, place.metadata);
  return (isSame ? withSpec : withAt(withSpec, place.metadata, metadata)) as JsonObject;
}
