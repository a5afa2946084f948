// Checks the values of a pod's annotations. A denial names the annotation, its value and what is allowed. Which annotation has
// which rule is in lib/base/metadata-keys.ts.

import { metadataKeys, OutriggerError, type ValueRule, valueRules } from "@outrigger/base";
import { type IstioRelease, isSince } from "@outrigger/mesh";
import { MAX_ANNOTATION_BYTES } from "@outrigger/pod";
import { isGoSpace } from "./go-space.ts";
import { valueChecks } from "./value-rules.ts";

const MAX_SHOWN = 60;
const MAX_PROBLEM = 300;
const UNPRINTABLE = /[\p{C}\p{Z}]/gu;

/**
 * Checks every annotation that has a rule in the Istio release, and bounds what is read of all of them. Names of network
 * interfaces are checked since 1.30.
 *
 * @throws OutriggerError `annotation-invalid` for the first that breaks its rule, with the annotation as path
 */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, istio?: IstioRelease): void {
  let size = 0;
  for (const name in annotations) {
    const value: unknown = annotations[name];
    // No API server sends another type; what depends on it finds that out.
    if (typeof value !== "string") continue;
    size += name.length + value.length;
    if (size > MAX_ANNOTATION_BYTES) {
      // The API server that sends such a pod rejects it after the webhooks, with the same message.
      const message = `Cannot inject: the pod's annotations must have at most ${MAX_ANNOTATION_BYTES} bytes, keys and values together`;
      throw new OutriggerError("annotation-invalid", message, { path: "metadata.annotations" });
    }
    const rule = valueRules.get(name);
    if (rule === undefined || (rule === "interfaces" && !isSince("1.30", istio))) continue;
    const problem = valueChecks[rule](value);
    if (problem !== undefined) throw invalid(name, value, problem);
  }
}

function invalid(name: string, value: string, problem: string): OutriggerError {
  return annotationError(
    name,
    `Annotation ${name} ${described(value, problem)}`,
    // The problem of a ProxyConfig can quote its YAML; all other problems are constant.
    `Annotation ${name} is invalid: ${name === metadataKeys.proxyConfig ? "it is not a valid ProxyConfig" : problem}`,
  );
}

function described(value: string, problem: string): string {
  return `cannot be "${shown(value, MAX_SHOWN)}": ${shown(problem, MAX_PROBLEM)}`;
}

/** Returns what a denial says of a value that breaks the rule, for a value that is the default of an annotation. */
export function annotationProblem(rule: ValueRule, value: string): string | undefined {
  const problem = valueChecks[rule](value);
  return problem === undefined ? undefined : described(value, problem);
}

/** The text for one line of a message: shortened, without control characters. */
function shown(text: string, length: number): string {
  const start = text.slice(0, length).replace(UNPRINTABLE, (character) => (isGoSpace(character, 0) ? " " : "\uFFFD"));
  return text.length > length ? `${start}…` : start;
}

/**
 * Returns the error of an annotation that cannot be read.
 *
 * @param logged the message without the text of the pod's author, where the message quotes some
 */
export function annotationError(name: string, message: string, logged?: string, cause?: unknown): OutriggerError {
  const path = `metadata.annotations["${name}"]`;
  const details = logged === undefined ? { path, cause } : { path, cause, logged: { message: logged, path } };
  return new OutriggerError("annotation-invalid", message, details);
}
