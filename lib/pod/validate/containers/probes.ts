// What a kubelet asks of a container and does to it: probes and lifecycle handlers.

import { listOf } from "@outrigger/base";
import type {
  Container,
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
  TCPSocketAction,
} from "../../generated/pod-types.ts";
import { isHeaderName, isPortName, PORT_NAME_FORM } from "../../names.ts";
import { asNumber, asObject, asText, type Check, checkField, checkOneOf, isPresent, report } from "../check.ts";
import { isPort, PORT_RANGE } from "./env-and-ports.ts";

const SCHEMES: readonly string[] = ["HTTP", "HTTPS", ""];
const PROBE_HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"] as const;
const LIFECYCLE_HANDLERS = ["exec", "httpGet", "tcpSocket", "sleep"] as const;
const PROBE_NUMBERS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

const PROBE_FIELDS = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

/** The probes and handlers of containers that run as long as the pod: regular ones and sidecars. */
export function checkProbes(container: Container, before: Container, gracePeriod: number, check: Check): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle !== before.lifecycle) checkField(check, "lifecycle", lifecycle, checkLifecycle, gracePeriod);
  if (livenessProbe !== before.livenessProbe)
    checkField(check, "livenessProbe", livenessProbe, checkOnceProbe, undefined);
  if (readinessProbe !== before.readinessProbe) {
    checkField(check, "readinessProbe", readinessProbe, checkReadinessProbe, undefined);
  }
  if (startupProbe !== before.startupProbe) checkField(check, "startupProbe", startupProbe, checkOnceProbe, undefined);
}

/** core/validation: validateLifecycle. The stop signal is behind a feature gate, without which it is dropped. */
function checkLifecycle(lifecycle: Lifecycle, check: Check, gracePeriod: number): void {
  checkField(check, "postStart", lifecycle.postStart, checkLifecycleHandler, gracePeriod);
  checkField(check, "preStop", lifecycle.preStop, checkLifecycleHandler, gracePeriod);
}

function checkLifecycleHandler(handler: LifecycleHandler, check: Check, gracePeriod: number): void {
  checkHandlerCount(handler, LIFECYCLE_HANDLERS, check);
  checkHandlers(handler, check);
  checkField(check, "sleep", handler.sleep, checkSleep, gracePeriod);
}

/** core/validation: validateLivenessProbe and validateStartupProbe, which a single success ends. */
function checkOnceProbe(probe: Probe, check: Check): void {
  checkProbe(probe, check);
  const { successThreshold } = probe;
  if (asNumber(successThreshold) !== 0 && successThreshold !== 1)
    report(check, "invalid", "must be 1", "successThreshold");
}

/** core/validation: validateReadinessProbe. */
function checkReadinessProbe(probe: Probe, check: Check): void {
  checkProbe(probe, check);
  if (!isPresent(probe.terminationGracePeriodSeconds)) return;
  report(check, "invalid", "must not be set for readiness probes", "terminationGracePeriodSeconds");
}

/** core/validation: validateProbe. */
function checkProbe(probe: Probe, check: Check): void {
  checkHandlerCount(probe, PROBE_HANDLERS, check);
  checkHandlers(probe, check);
  checkField(check, "grpc", probe.grpc, checkGrpc, undefined);
  for (const key of PROBE_NUMBERS) {
    if (asNumber(probe[key]) < 0) report(check, "invalid", "must be 0 or more", key);
  }
  const { terminationGracePeriodSeconds } = probe;
  if (typeof terminationGracePeriodSeconds === "number" && terminationGracePeriodSeconds <= 0) {
    report(check, "invalid", "must be more than 0", "terminationGracePeriodSeconds");
  }
}

/** core/validation: validateHandler. */
function checkHandlerCount<K extends string>(
  handler: { readonly [Key in K]?: unknown },
  keys: readonly K[],
  check: Check,
): void {
  let first: string | undefined;
  for (const key of keys) {
    if (!isPresent(handler[key])) continue;
    if (first !== undefined)
      report(check, "forbidden", `must not be set, as ${first} is: a handler is of one type`, key);
    first ??= key;
  }
  if (first === undefined) report(check, "required", `must have a handler: one of ${keys.join(", ")}`);
}

function checkHandlers(handler: Probe | LifecycleHandler, check: Check): void {
  checkField(check, "exec", handler.exec, checkExec, undefined);
  checkField(check, "httpGet", handler.httpGet, checkHttpGet, undefined);
  checkField(check, "tcpSocket", handler.tcpSocket, checkPort, undefined);
}

/** core/validation: validateExecAction. */
function checkExec({ command }: ExecAction, check: Check): void {
  if (listOf(command).length === 0) report(check, "required", "is required", "command");
}

/** core/validation: validateHTTPGetAction. */
function checkHttpGet(action: HTTPGetAction, check: Check): void {
  checkPort(action, check);
  checkOneOf(check, action.scheme, SCHEMES, "scheme");
  const headers = listOf(action.httpHeaders);
  for (let at = 0; at < headers.length; at++) {
    if (isHeaderName(asText(asObject(headers[at]).name))) continue;
    report(check, "invalid", 'must be letters, digits and "-"', "httpHeaders", at, "name");
  }
}

/** core/validation: ValidatePortNumOrName. An absent port is the number 0. */
function checkPort({ port }: HTTPGetAction | TCPSocketAction, check: Check): void {
  if (!isPresent(port)) report(check, "invalid", `is required: ${PORT_RANGE}, or the name of a port`, "port");
  else if (typeof port === "string") {
    if (!isPortName(port)) report(check, "invalid", `as a name, ${PORT_NAME_FORM}`, "port");
  } else if (!isPort(port)) report(check, "invalid", PORT_RANGE, "port");
}

/** core/validation: validateGRPCAction. */
function checkGrpc({ port }: GRPCAction, check: Check): void {
  if (!isPort(port)) report(check, "invalid", isPresent(port) ? PORT_RANGE : `is required: ${PORT_RANGE}`, "port");
}

/** core/validation: validateSleepAction. */
function checkSleep({ seconds }: SleepAction, check: Check, gracePeriod: number): void {
  const length = asNumber(seconds);
  if (length >= 0 && length <= gracePeriod) return;
  report(check, "invalid", `must be between 0 and terminationGracePeriodSeconds (${gracePeriod})`, "seconds");
}

/** core/validation: validateInitContainers. What ends before the pod starts is not probed. */
export function forbidProbes(container: Container, before: Container, check: Check): void {
  for (const key of PROBE_FIELDS) {
    if (!isPresent(container[key]) || container[key] === before[key]) continue;
    if (key === "lifecycle" && isStopSignalOnly(container.lifecycle)) continue;
    report(check, "forbidden", "must not be set for an init container without restartPolicy: Always", key);
  }
}

/** Without its feature gate a stop signal is dropped, and the lifecycle with it when it has nothing else. */
function isStopSignalOnly(lifecycle: Lifecycle | undefined): boolean {
  const { postStart, preStop, stopSignal } = asObject(lifecycle);
  return isPresent(stopSignal) && !isPresent(postStart) && !isPresent(preStop);
}
