// The annotations whose values are checked, and their rules: those of the validation in Istio's injector. A denial names
// the annotation, its value and what is allowed.

import { OutriggerError } from "@outrigger/base";
import { type IstioRelease, isIpPrefix, isSince, validateProxyConfig } from "@outrigger/mesh";
import { isQuantity, MAX_ANNOTATION_BYTES } from "@outrigger/pod";
import { parseGoBoolean } from "@outrigger/template";
import { annotationKeys } from "../keys.ts";

/** The rule that a value breaks, as the end of a sentence that begins with the annotation; undefined for a valid value. */
type Rule = (value: string) => string | undefined;

const UINT32_MAX = 4294967295;
const PORT_MAX = 65535;
const MAX_SHOWN = 60;
const MAX_PROBLEM = 300;
const MAX_INTERFACE = 15;
const DIGITS = /^[0-9]+$/;
const INTERFACE = new RegExp(`^[a-zA-Z][a-zA-Z0-9_.-]{0,${MAX_INTERFACE - 1}}$`);
const CONTROL = /\p{Cc}/u;
const SPACE = /^\p{White_Space}$/u;
const UNPRINTABLE = /[\p{C}\p{Z}]/gu;
const INTERCEPTION_MODES: ReadonlySet<string> = new Set(["REDIRECT", "TPROXY", "NONE"]);

const RANGES = "IP ranges joined by commas without spaces, like 10.0.0.0/8";
const PORTS = "ports joined by commas, like 80,443";

const boolean = use((value) => parseGoBoolean(value) !== undefined, "true or false");
const interfaces = use(
  (value) => value === "" || value.split(",").every((each) => INTERFACE.test(trimSpace(each))),
  `names of network interfaces of at most ${MAX_INTERFACE} characters joined by commas, like eth0,eth1`,
);
const mode = use((value) => INTERCEPTION_MODES.has(value), "REDIRECT, TPROXY or NONE");
const port = use((value) => isWholeNumber(trimSpace(value), PORT_MAX), `a port from 0 to ${PORT_MAX}`);
const quantity = use((value) => !CONTROL.test(value) && isQuantity(value), "a quantity, like 100m or 128Mi");
const seconds = use((value) => isWholeNumber(value, UINT32_MAX), `a whole number from 0 to ${UINT32_MAX}`);

const rules: ReadonlyMap<string, Rule> = new Map([
  ["sidecar.istio.io/interceptionMode", mode],
  ["status.sidecar.istio.io/port", port],
  ["readiness.status.sidecar.istio.io/initialDelaySeconds", seconds],
  ["readiness.status.sidecar.istio.io/periodSeconds", seconds],
  ["readiness.status.sidecar.istio.io/failureThreshold", seconds],
  ["traffic.sidecar.istio.io/includeOutboundIPRanges", orAll(use(areIpRanges, `"*" or ${RANGES}`))],
  ["traffic.sidecar.istio.io/excludeOutboundIPRanges", use(areIpRanges, RANGES)],
  ["traffic.sidecar.istio.io/includeInboundPorts", orAll(ports(`"*" or ${PORTS}`))],
  ["traffic.sidecar.istio.io/excludeInboundPorts", ports(PORTS)],
  ["traffic.sidecar.istio.io/excludeOutboundPorts", ports(PORTS)],
  ["traffic.sidecar.istio.io/excludeInterfaces", interfaces],
  ["traffic.sidecar.istio.io/kubevirtInterfaces", interfaces],
  ["istio.io/reroute-virtual-interfaces", interfaces],
  ["prometheus.istio.io/merge-metrics", boolean],
  ["proxy.istio.io/config", validateProxyConfig],
  ["sidecar.istio.io/proxyCPU", quantity],
  ["sidecar.istio.io/proxyMemory", quantity],
  ["sidecar.istio.io/proxyCPULimit", quantity],
  ["sidecar.istio.io/proxyMemoryLimit", quantity],
]);

function use(isRight: (value: string) => boolean, what: string): Rule {
  return (value) => (isRight(value) ? undefined : `use ${what}`);
}

function orAll(rule: Rule): Rule {
  return (value) => (value === "*" ? undefined : rule(value));
}

/** A list that is written as it should be has a port out of range. */
function ports(what: string): Rule {
  return (value) => {
    if (arePorts(value)) return undefined;
    const isList = value.split(",").every((each) => DIGITS.test(trimSpace(each)));
    return isList ? `use ports from 0 to ${PORT_MAX}` : `use ${what}`;
  };
}

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
    const check = rules.get(name);
    if (check === undefined || (check === interfaces && !isSince("1.30", istio))) continue;
    const problem = check(value);
    if (problem !== undefined) throw invalid(name, value, problem);
  }
}

function invalid(name: string, value: string, problem: string): OutriggerError {
  return annotationError(
    name,
    `Annotation ${name} cannot be "${shown(value, MAX_SHOWN)}": ${shown(problem, MAX_PROBLEM)}`,
    // The problem of a ProxyConfig can quote its YAML; all other problems are constant.
    `Annotation ${name} is invalid: ${name === annotationKeys.proxyConfig ? "it is not a valid ProxyConfig" : problem}`,
  );
}

/** The text for one line of a message: shortened, without control characters. */
function shown(text: string, length: number): string {
  const start = text.slice(0, length).replace(UNPRINTABLE, (character) => (isSpace(character, 0) ? " " : "\uFFFD"));
  return text.length > length ? `${start}…` : start;
}

function areIpRanges(value: string): boolean {
  return value === "" || value.split(",").every(isIpPrefix);
}

function arePorts(value: string): boolean {
  const list = trimSpace(value);
  return list === "" || list.split(",").every((each) => isWholeNumber(trimSpace(each), PORT_MAX));
}

function isWholeNumber(text: string, max: number): boolean {
  return DIGITS.test(text) && Number(text) <= max;
}

/**
 * Go's TrimSpace: unlike JavaScript's `trim`, it counts U+0085 as a space and the byte order mark as none. A loop, because
 * a regular expression for spaces at the end takes quadratic time.
 */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start += 1;
  while (end > start && isSpace(text, end - 1)) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return SPACE.test(text[index] as string);
}

/**
 * What is said of an annotation that cannot be read.
 *
 * @param logged the message without what the pod's author wrote, where the message has it
 */
export function annotationError(name: string, message: string, logged?: string, cause?: unknown): OutriggerError {
  const path = `metadata.annotations["${name}"]`;
  const details = logged === undefined ? { path, cause } : { path, cause, logged: { message: logged, path } };
  return new OutriggerError("annotation-invalid", message, details);
}
