// A pod of a list, of which the larger parts stay text: most pods are replicas, and one of them says all about their containers. Pure.
import { isObject, type JsonObject, objectOf, parseJson } from "@outrigger/base";

/** A pod of which metadata and status are read. */
export interface ListedPod {
  /** `managedFields` may be missing. */
  readonly metadata: JsonObject;
  readonly status: JsonObject;
  /** `spec` as JSON, as the API server wrote it. */
  readonly specText: string;
  readonly whole: () => JsonObject;
}

/**
 * A pod as an API server writes it: `metadata`, which ends with `managedFields`, then `spec`, then `status`. Any other text is read as a
 * whole.
 *
 * @param fail throws what is wrong with the list, where a part that stayed text is no JSON
 * @returns undefined for what is no JSON object
 */
export function readPod(text: string, fail: () => never): ListedPod | undefined {
  const spec = text.indexOf(SPEC);
  const status = text.lastIndexOf(STATUS);
  if (!text.startsWith(METADATA) || spec < 0 || status < spec || isMore(text, spec, status)) return readWhole(text);
  const managed = text.lastIndexOf(MANAGED, spec);
  // What parses is complete: no JSON object is the beginning, or the end, of another.
  const metadata = readObject(`${text.slice(0, managed < 0 ? spec : managed)}}}`)?.["metadata"];
  const { status: read, ...others } = readObject(`{${text.slice(status + "},".length)}`) ?? {};
  if (!isObject(metadata) || !isObject(read) || Object.keys(others).length > 0) return readWhole(text);
  const specText = text.slice(spec + SPEC.length - 1, status + 1);
  return { metadata, status: read, specText, whole: () => readObject(text) ?? fail() };
}

const METADATA = '{"metadata":{';
// No text in JSON contains these: its quotes are escaped.
const MANAGED = ',"managedFields":[';
const SPEC = '},"spec":{';
const STATUS = '},"status":{';

/** Whether it may be more than one pod: of a list whose items do not all begin with the same field. */
function isMore(text: string, spec: number, status: number): boolean {
  return text.indexOf(STATUS, spec) !== status || text.includes(METADATA.slice(1), spec);
}

function readWhole(text: string): ListedPod | undefined {
  const pod = readObject(text);
  return pod && listed(pod);
}

/** A pod that was read as a whole, as a list has it. */
export function listed(pod: JsonObject): ListedPod {
  const { managedFields: _, ...metadata } = objectOf(pod["metadata"]);
  return { metadata, status: objectOf(pod["status"]), specText: JSON.stringify(pod["spec"] ?? {}), whole: () => pod };
}

/** Undefined for what is no JSON object. */
export function readObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
