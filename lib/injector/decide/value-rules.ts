// The rules of annotations' values: those of the validation in Istio's injector.

import type { ValueRule } from "@outrigger/base";
import { isIpPrefix, validateProxyConfig } from "@outrigger/mesh";
import { isQuantity } from "@outrigger/pod";
import { parseGoBoolean } from "@outrigger/template";
import { trimGoSpace } from "./go-space.ts";

const UINT32_MAX = 4294967295;
const PORT_MAX = 65535;
const MAX_INTERFACE = 15;
const DIGITS = /^[0-9]+$/;
const INTERFACE = new RegExp(`^[a-zA-Z][a-zA-Z0-9_.-]{0,${MAX_INTERFACE - 1}}$`);
const CONTROL = /\p{Cc}/u;
const INTERCEPTION_MODES: ReadonlySet<string> = new Set(["REDIRECT", "TPROXY", "NONE"]);

const RANGES = "IP ranges joined by commas without spaces, like 10.0.0.0/8";
const PORTS = "ports joined by commas, like 80,443";

/** Returns how to fix a value, as the end of a sentence that begins with the annotation; undefined for a valid value. */
type Check = (value: string) => string | undefined;

/** The function of each rule that lib/base/metadata-keys.ts names. */
export const valueChecks: Readonly<Record<ValueRule, Check>> = {
  allOrPorts: orAll(ports(`"*" or ${PORTS}`)),
  allOrRanges: orAll(use(areIpRanges, `"*" or ${RANGES}`)),
  boolean: use((value) => parseGoBoolean(value) !== undefined, "true or false"),
  interceptionMode: use((value) => INTERCEPTION_MODES.has(value), "REDIRECT, TPROXY or NONE"),
  interfaces: use(
    (value) => value === "" || value.split(",").every((each) => INTERFACE.test(trimGoSpace(each))),
    `names of network interfaces of at most ${MAX_INTERFACE} characters joined by commas, like eth0,eth1`,
  ),
  port: use((value) => isWholeNumber(trimGoSpace(value), PORT_MAX), `a port from 0 to ${PORT_MAX}`),
  ports: ports(PORTS),
  proxyConfig: validateProxyConfig,
  quantity: use((value) => !CONTROL.test(value) && isQuantity(value), "a quantity, like 100m or 128Mi"),
  ranges: use(areIpRanges, RANGES),
  seconds: use((value) => isWholeNumber(value, UINT32_MAX), `a whole number from 0 to ${UINT32_MAX}`),
};

function use(isRight: (value: string) => boolean, what: string): Check {
  return (value) => (isRight(value) ? undefined : `use ${what}`);
}

function orAll(rule: Check): Check {
  return (value) => (value === "*" ? undefined : rule(value));
}

function ports(what: string): Check {
  return (value) => {
    if (arePorts(value)) return undefined;
    // A list that is written as it should be has a port out of range.
    const isList = value.split(",").every((each) => DIGITS.test(trimGoSpace(each)));
    return isList ? `use ports from 0 to ${PORT_MAX}` : `use ${what}`;
  };
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
