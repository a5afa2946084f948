// A pod of a list, as text, of which the larger parts are read when they are asked for: most pods are replicas, and one of them says all
// about their containers. Pure.
import { isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";

/**
 * A pod as an API server writes it: `metadata`, which ends with `managedFields`, then `spec`, then `status`. Those two are read here,
 * `spec` and `managedFields` on demand. Any other text is read as a whole.
 *
 * @param readAll throws what is wrong with the page, where a part that is asked for is no JSON
 * @returns undefined for what is no JSON object
 */
export function readPod(text: string, readAll: () => JsonObject): JsonObject | undefined {
  const spec = text.indexOf(SPEC);
  const status = text.lastIndexOf(STATUS);
  if (!text.startsWith(METADATA) || spec < 0 || status < spec) return parsed(text);
  const managed = text.lastIndexOf(MANAGED, spec);
  // What parses is complete: no JSON object is the beginning, or the end, of another.
  const head = parsed(`${text.slice(0, managed < 0 ? spec : managed)}}}`)?.["metadata"];
  const { status: tail, ...others } = parsed(`{${text.slice(status + "},".length)}`) ?? {};
  if (!isObject(head) || tail === undefined || Object.keys(others).length > 0) return parsed(text);
  const specText = text.slice(spec + SPEC.length - 1, status + 1);
  const whole = () => parsed(text) ?? readAll();
  const metadata = managed < 0 ? head : withManagedFields(head, text.slice(managed + MANAGED.length - 1, spec), whole);
  let read: JsonValue | undefined;
  const pod = {
    metadata,
    get spec() {
      read ??= parsed(specText) ?? whole()["spec"];
      return read;
    },
    status: tail,
    [SPEC_TEXT]: specText,
  };
  return pod as JsonObject;
}

/** The spec of a pod as text: that of a pod that was listed is the API server's own, and costs nothing. */
export function specText(pod: JsonObject): string {
  return (pod as { readonly [SPEC_TEXT]?: string })[SPEC_TEXT] ?? JSON.stringify(pod["spec"] ?? null);
}

const SPEC_TEXT: unique symbol = Symbol("spec");

const METADATA = '{"metadata":{';
// No text in JSON contains these: its quotes are escaped.
const MANAGED = ',"managedFields":[';
const SPEC = '},"spec":{';
const STATUS = '},"status":{';

function withManagedFields(metadata: JsonObject, text: string, whole: () => JsonObject): JsonObject {
  let read: JsonValue | undefined;
  return {
    ...metadata,
    get managedFields() {
      read ??= parsedValue(text) ?? objectOf(whole()["metadata"])["managedFields"];
      return read;
    },
  };
}

/** Undefined for what is no JSON object. */
export function parsed(text: string): JsonObject | undefined {
  const value = parsedValue(text);
  return isObject(value) ? value : undefined;
}

function parsedValue(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
