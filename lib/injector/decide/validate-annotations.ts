// Checks the values of a pod's annotations. A denial names the annotation, its value and what is allowed. Which annotation has
// which rule is in lib/base/metadata-keys.ts.

import { type AnnotationRule, annotationRules, metadataKeys, OutriggerError } from "@outrigger/base";
import {
  describeWrong,
  type IstioRelease,
  isSince,
  podRules,
  printable,
  ruleProblem,
  validateProxyConfig,
} from "@outrigger/mesh";
import { MAX_ANNOTATION_BYTES } from "@outrigger/pod";

const MAX_PROBLEM = 300;

/** The settings that decide which rules count. */
interface Asked {
  readonly istio?: IstioRelease;
  readonly compatibility?: "reference";
}

/** Annotations that Istio's injector does not check: a wrong text stops the proxy or istio-init. */
const NOT_ISTIOS: readonly string[] = [
  metadataKeys.agentLogLevel,
  metadataKeys.componentLogLevel,
  metadataKeys.includeOutboundPorts,
  metadataKeys.logLevel,
  metadataKeys.proxyImage,
  metadataKeys.proxyImageType,
];

/**
 * Checks every annotation that has a rule in the Istio release, and bounds what is read of all of them. Names of network
 * interfaces are checked since 1.30. With `compatibility: reference`, only what Istio's injector checks.
 *
 * @throws OutriggerError `annotation-invalid` for the first that breaks its rule, with the annotation as path
 */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  { istio, compatibility }: Asked = {},
): void {
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
    const rule = annotationRules.get(name);
    if (rule === undefined || (rule === "interfaces" && !isSince("1.30", istio))) continue;
    if (compatibility === "reference" && NOT_ISTIOS.includes(name)) continue;
    const problem = annotationProblem(name, value);
    if (problem !== undefined) throw invalid(name, rule, problem);
  }
}

/** Returns what is wrong with an annotation's value, as the end of a sentence that begins with the annotation. */
export function annotationProblem(name: string, value: string): string | undefined {
  const rule = annotationRules.get(name);
  if (rule !== "proxyConfig") return rule && ruleProblem(podRules[rule], value);
  const problem = validateProxyConfig(value);
  return problem && describeWrong(value, printable(problem, MAX_PROBLEM));
}

function invalid(name: string, rule: AnnotationRule, problem: string): OutriggerError {
  // A problem quotes the author's text.
  const logged = rule === "proxyConfig" ? "it is not a valid ProxyConfig" : `use ${podRules[rule].use}`;
  return annotationError(name, `Annotation ${name} ${problem}`, `Annotation ${name} is invalid: ${logged}`);
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
