// What a value may be, by its meaning: the one table for annotations, values, --set, MeshConfig and ProxyConfig. Each place names its
// rule: lib/base/metadata-keys.ts, field-rules.ts, and values-rules.ts of the injector.

import { NETWORK_FORM, networkPattern, parseGoBoolean } from "@outrigger/base";
import { isImageReference, isQuantity, nameProblem } from "@outrigger/pod";
import { isHostPort, isIpPrefix, isTrustDomain } from "./addresses.ts";
import { MILLISECOND, parseDuration, SECOND } from "./duration.ts";
import { either } from "./either.ts";
import { isGoSpace, trimGoSpace } from "./go-space.ts";

export interface Rule {
  /** What to use, as the end of a sentence that begins with the place. */
  readonly use: string;
  readonly isRight: (value: string) => boolean;
  /** The texts, where these are all that there are. */
  readonly choices?: readonly string[];
  /** A regular expression that says the same as `isRight`. */
  readonly form?: string;
}

/** The rules by the names of their meanings. */
type Rules = Readonly<Record<string, Rule>>;

const UINT32_MAX = 4294967295;
const PORT_MAX = 65535;
const MAX_INTERFACE = 15;
const MAX_IMAGE = 1000;
const MAX_SHOWN = 60;
const DIGITS = /^[0-9]+$/;
const UNPRINTABLE = /[\p{C}\p{Z}]/gu;
const LEVEL = ["trace", "debug", "info", "warning", "warn", "error", "critical", "off"];
const AGENT_LEVEL = "debug|info|warn|error|fatal|none";
const RANGES = "IP ranges joined by commas without spaces, like 10.0.0.0/8";
const PORTS = `ports from 0 to ${PORT_MAX} joined by commas, like 80,443`;
const ADDRESS = `a host and a port from 1 to ${PORT_MAX}, like collector.example.com:9411`;
const DOMAIN = "a domain, like cluster.local";

const ports = checked(arePorts, PORTS);
const ranges = checked(areIpRanges, RANGES);

/** The rule of each meaning of a pod's texts: the function that pods wait for has no others. */
export const podRules = {
  address: checked(isHostPort, ADDRESS),
  agentLevels: pattern(
    `^(?:[^:,\\s]+:)?(?:${AGENT_LEVEL})(?:,(?:[^:,\\s]+:)?(?:${AGENT_LEVEL}))*$`,
    `levels of the agent's scopes joined by commas, like default:info, each of ${AGENT_LEVEL.replaceAll("|", ", ")}`,
  ),
  allOrPorts: or("*", ports),
  allOrRanges: or("*", ranges),
  boolean: checked((value) => parseGoBoolean(value) !== undefined, "true or false"),
  // A collector on the pod's own node is written as `$(HOST_IP):9411`.
  collector: checked((value) => isHostPort(value.replace("$(HOST_IP)", "127.0.0.1")), ADDRESS),
  componentLevels: pattern(
    `^(?:[\\w.-]+:(?:${LEVEL.join("|")})(?:,(?!$)|$))*$`,
    "levels of Envoy's components joined by commas, like misc:error,rbac:debug",
  ),
  delay: checked(isDuration(1n, 0n), "a duration with its unit, like 5s"),
  image: checked(
    (value) => value === "" || (isImage(value) && (value.includes("/") || !/[:@]/.test(value))),
    "the name of an image, without tag, or a whole reference like registry.example/istio/proxyv2:1.31.0",
  ),
  imageType: pattern("^[\\w.-]{0,100}$", "a variant of the image, like distroless or debug"),
  interceptionMode: choice("REDIRECT", "TPROXY", "NONE"),
  interfaces: checked(
    (value) => value === "" || value.split(",").every((each) => INTERFACE.test(trimGoSpace(each))),
    `names of network interfaces of at most ${MAX_INTERFACE} characters joined by commas, like eth0,eth1`,
  ),
  level: choice("", ...LEVEL),
  port: checked((value) => Number(value) >= 1 && isWholeNumber(value, PORT_MAX), `a port from 1 to ${PORT_MAX}`),
  portOrNone: checked((value) => isWholeNumber(trimGoSpace(value), PORT_MAX), `a port from 0 to ${PORT_MAX}`),
  ports,
  quantity: checked((value) => isQuantity(value), "a quantity, like 100m or 128Mi"),
  ranges,
  seconds: checked((value) => isWholeNumber(value, UINT32_MAX), `a whole number from 0 to ${UINT32_MAX}`),
  wholeSeconds: checked(isDuration(SECOND, SECOND), "a duration of whole seconds from 1s, like 45s"),
} as const satisfies Rules;

/** The rule of each meaning. What Istio checks is as strict as there; docs/differences.md has what is stricter. */
export const valueRules = /* @__PURE__ */ (() => {
  const domain = checked(isTrustDomain, DOMAIN);
  return {
    ...podRules,
    addressOrNone: or("", podRules.address),
    clusterName: pattern("^[^\\s\\p{C}]*$", "a name without white space"),
    domain,
    domainOrNone: or("", domain),
    duration: checked(isDuration(MILLISECOND, MILLISECOND), "a duration of whole milliseconds from 1ms, like 10s"),
    hub: checked(
      (value) => isImage(`${value}/a`),
      "a registry and path in lower case like registry.example/istio, without tag",
    ),
    network: pattern(networkPattern.source, NETWORK_FORM),
    // Istio passes each to iptables, whose owners are numbers; it leaves out empty ones.
    owners: checked(
      (value) => value.split(",").every((each) => each === "" || isWholeNumber(each, UINT32_MAX - 1)),
      `numbers of users or groups from 0 to ${UINT32_MAX - 1} joined by commas, like 1337`,
    ),
    pullPolicy: choice("", "Always", "IfNotPresent", "Never"),
    secretName: checked(
      (value) => nameProblem("dns-name", value) === undefined,
      "the name of a Secret, like registry-login",
    ),
    tag: checked((value) => isImage(`a:${value}`), "an image tag of letters, digits, dots, underscores and dashes"),
  } as const satisfies Rules;
})();

/** The meanings that a value may have, wherever it is written. */
export type ValueRule = keyof typeof valueRules;

const INTERFACE = new RegExp(`^[a-zA-Z][a-zA-Z0-9_.-]{0,${MAX_INTERFACE - 1}}$`);

/** Where the check is no regular expression, one for editors: every right text matches it, and the commonest mistakes do not. */
export const valueForms: Readonly<Partial<Record<ValueRule, string>>> = /* @__PURE__ */ (() => ({
  addressOrNone: "^$|^[^\\s/]+:[0-9]{1,5}$",
  allOrPorts: "^[^\\p{L}.;:/+-]*$",
  allOrRanges: "^(?:\\*|[0-9a-fA-F.:/,]*)$",
  domain: "^[A-Za-z0-9.-]+$",
  domainOrNone: "^[A-Za-z0-9.-]*$",
  hub: "^[A-Za-z0-9[][A-Za-z0-9.:/_[\\]-]*$",
  image: "^[A-Za-z0-9[]?[A-Za-z0-9.:/@+_[\\]-]*$",
  portOrNone: "^[^\\p{L}.;:/,+-]+$",
  ports: "^[^\\p{L}.;:/+*-]*$",
  quantity: "^[-+.0-9A-Za-z]+$",
  ranges: "^[0-9a-fA-F.:/,]*$",
  seconds: "^[0-9]+$",
  tag: "^\\w[\\w.-]*$",
}))();

/**
 * Returns what is wrong with a text, as the end of a sentence that begins with its place; undefined for a right one.
 *
 * @example
 * ```ts
 * ruleProblem(podRules.portOrNone, "70000") // => 'cannot be "70000": use a port from 0 to 65535'
 * ```
 */
export function ruleProblem({ isRight, use }: Rule, value: string): string | undefined {
  return isRight(value) ? undefined : describeWrong(value, `use ${use}`);
}

/** What is said of a wrong text: its beginning, and how to fix it. */
export function describeWrong(value: string, fix: string): string {
  return `cannot be "${printable(value, MAX_SHOWN)}": ${fix}`;
}

/** The text for one line of a message: shortened, without control characters. */
export function printable(text: string, length: number): string {
  const start = text.slice(0, length).replace(UNPRINTABLE, (character) => (isGoSpace(character, 0) ? " " : "\uFFFD"));
  return text.length > length ? `${start}…` : start;
}

function checked(isRight: Rule["isRight"], use: string): Rule {
  return { use, isRight };
}

function pattern(form: string, use: string): Rule {
  const expression = new RegExp(form, "u");
  return { use, isRight: (value) => expression.test(value), form };
}

function choice(...choices: readonly string[]): Rule {
  const use = either(choices.map((each) => each || '""'));
  return { use, isRight: (value) => choices.includes(value), choices };
}

/** The rule, or one text more that has a meaning of its own. */
function or(text: string, { use, isRight }: Rule): Rule {
  return checked((value) => value === text || isRight(value), `"${text}" or ${use}`);
}

function areIpRanges(value: string): boolean {
  return value === "" || value.split(",").every(isIpPrefix);
}

function arePorts(value: string): boolean {
  const list = trimGoSpace(value);
  return list === "" || list.split(",").every((each) => isWholeNumber(trimGoSpace(each), PORT_MAX));
}

function isWholeNumber(text: string, max: number): boolean {
  return DIGITS.test(text) && Number(text) <= max;
}

function isImage(text: string): boolean {
  return text.length <= MAX_IMAGE && isImageReference(text);
}

/** A duration in steps of the one and of at least the other, both in nanoseconds. */
function isDuration(step: bigint, least: bigint): Rule["isRight"] {
  return (value) => {
    const nanoseconds = parseDuration(value);
    return nanoseconds !== undefined && nanoseconds >= least && nanoseconds % step === 0n;
  };
}
