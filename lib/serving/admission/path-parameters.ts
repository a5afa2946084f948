// The parameters in the path of the webhook's URL, as Istio writes and reads them.

import { OutriggerError } from "@outrigger/base";
import { nameProblem } from "@outrigger/pod";

const NETWORK = "ISTIO_META_NETWORK";

const KNOWN: ReadonlyMap<string, string> = new Map([
  ["cluster", "ISTIO_META_CLUSTER_ID"],
  ["net", NETWORK],
]);

const NONE: Readonly<Record<string, string>> = Object.freeze({});
const PAIR = ":ENV:";

/**
 * Environment variables by name from a decoded URL path.
 *
 * `/inject/cluster/c/net/n` gives `ISTIO_META_CLUSTER_ID=c` and `ISTIO_META_NETWORK=n`; other names are converted to
 * upper case. `--slash--` in a value means a slash. The older form `/inject/:ENV:cluster=c:ENV:net=n` is read too. A last
 * name without a value is ignored. If a name occurs twice, its last value counts.
 *
 * @example
 * ```ts
 * parsePathParameters("/inject/cluster/c/net/n") // => { ISTIO_META_CLUSTER_ID: "c", ISTIO_META_NETWORK: "n" }
 * ```
 */
export function parsePathParameters(path: string): Readonly<Record<string, string>> {
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  const start = trimmed.indexOf("/", trimmed.indexOf("/") + 1);
  if (!trimmed.includes("/") || start === -1) return NONE;
  const rest = trimmed.slice(start + 1);
  return Object.fromEntries((rest.startsWith(PAIR) ? pairsOf(rest) : segmentsOf(rest)).filter(([name]) => name !== ""));
}

/**
 * The parameter with which an API server rejects every injected pod: each becomes a variable of the proxy, and the network
 * a label of the pod. Asked only when an injection has failed.
 */
export function faultOfParameters(parameters: Readonly<Record<string, string>>): OutriggerError | undefined {
  const network = parameters[NETWORK];
  const problem = network === undefined ? undefined : nameProblem("label-value", network);
  if (problem !== undefined)
    return urlError("net", `its value ${shown(network ?? "")} becomes a label, which ${problem}`);
  for (const name in parameters) {
    const wrong = nameProblem("env-name", name);
    if (wrong !== undefined) return urlError(shown(name), `it becomes a variable, whose name ${wrong}`);
  }
  return undefined;
}

const MAX_SHOWN = 100;

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function urlError(parameter: string, problem: string): OutriggerError {
  const message = `The webhook's URL has a wrong parameter ${parameter}: ${problem}; correct the path after /inject in the webhook configuration`;
  return new OutriggerError("url-invalid", message, { path: "/inject" });
}

function pairsOf(rest: string): readonly (readonly [string, string])[] {
  return rest.split(PAIR).flatMap((pair) => {
    const equals = pair.indexOf("=");
    return equals < 1 ? [] : [[variableName(pair.slice(0, equals)), pair.slice(equals + 1)] as const];
  });
}

function segmentsOf(rest: string): readonly (readonly [string, string])[] {
  const segments = rest.split("/");
  const pairs: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < segments.length; index += 2) {
    const value = (segments[index + 1] as string).replaceAll("--slash--", "/");
    pairs.push([variableName(segments[index] as string), value]);
  }
  return pairs;
}

function variableName(parameter: string): string {
  return KNOWN.get(parameter) ?? parameter.toUpperCase();
}
