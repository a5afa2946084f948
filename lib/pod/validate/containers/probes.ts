// What a kubelet asks of a container and does to it: probes and lifecycle handlers.
import type { Container, LifecycleHandler, Probe, SleepAction } from "../../generated/pod-types.ts";
import { HEADER_NAME, PORT_NAME } from "../../names.ts";
import { type Check, invalid, report } from "../check.ts";
import {
  always,
  checkOnly,
  type FieldRules,
  fields,
  filled,
  forbidden,
  items,
  type Keyed,
  needed,
  object,
  objectIn,
  oneOf,
  range,
} from "../fields.ts";
import { asNumber, asObject, isPresent } from "../go-values.ts";
import { isPort, PORT_RANGE } from "./env-and-ports.ts";

/** core/validation: ValidatePortNumOrName. An absent port is the number 0. */
const PORT = needed((check, port, key) => {
  if (!isPresent(port)) invalid(check, `is required: ${PORT_RANGE}, or the name of a port`, key);
  else if (typeof port === "string") {
    if (!PORT_NAME.has(port)) invalid(check, `as a name, ${PORT_NAME.message}`, key);
  } else if (!isPort(port)) invalid(check, PORT_RANGE, key);
});

/** core/validation: validateGRPCAction. */
const GRPC_PORT = needed((check, port, key) => {
  if (!isPort(port)) invalid(check, isPresent(port) ? PORT_RANGE : `is required: ${PORT_RANGE}`, key);
});

/** core/validation: validateHTTPGetAction, validateExecAction and validateTCPSocketAction. */
const HANDLERS = {
  exec: object({ command: filled() }),
  httpGet: object({
    port: PORT,
    scheme: oneOf("HTTP", "HTTPS", ""),
    httpHeaders: items({ name: always(HEADER_NAME) }),
  }),
  tcpSocket: object({ port: PORT }),
} satisfies FieldRules<LifecycleHandler, unknown>;

const NOT_NEGATIVE = range(0, Number.POSITIVE_INFINITY, "must be 0 or more");
const SUCCESS_OF_ONE = range(0, 1, "must be 1");
const POSITIVE = range(1, Number.POSITIVE_INFINITY, "must be more than 0");

/** core/validation: validateProbe. */
const PROBE: FieldRules<Probe, unknown> = {
  ...HANDLERS,
  grpc: object({ port: GRPC_PORT }),
  initialDelaySeconds: NOT_NEGATIVE,
  timeoutSeconds: NOT_NEGATIVE,
  periodSeconds: NOT_NEGATIVE,
  successThreshold: NOT_NEGATIVE,
  failureThreshold: NOT_NEGATIVE,
  terminationGracePeriodSeconds: POSITIVE,
};

/** core/validation: validateLivenessProbe and validateStartupProbe, which a single success ends. */
const checkOnceProbe = fields<Probe>({ ...PROBE, successThreshold: [NOT_NEGATIVE, SUCCESS_OF_ONE] }, checkProbeHandler);

/** core/validation: validateReadinessProbe. */
const checkReadinessProbe = fields<Probe>(
  { ...PROBE, terminationGracePeriodSeconds: [POSITIVE, forbidden("invalid", "must not be set for readiness probes")] },
  checkProbeHandler,
);

const checkLifecycleHandler = fields<LifecycleHandler, number>(
  { ...HANDLERS, sleep: objectIn(checkSleep) },
  (handler, check) => checkHandler(handler, ["exec", "httpGet", "tcpSocket", "sleep"], check),
);

/**
 * The probes and handlers of containers that run as long as the pod, regular ones and sidecars, in the context of the pod's grace
 * period. core/validation: validateLifecycle. The stop signal is behind a feature gate, without which it is dropped.
 */
export const checkProbes = fields<Container, number>({
  lifecycle: objectIn(fields({ postStart: objectIn(checkLifecycleHandler), preStop: objectIn(checkLifecycleHandler) })),
  livenessProbe: object(checkOnceProbe),
  readinessProbe: object(checkReadinessProbe),
  startupProbe: object(checkOnceProbe),
});

function checkProbeHandler(probe: Probe, check: Check): void {
  checkHandler(probe, ["exec", "httpGet", "tcpSocket", "grpc"], check);
}

/** core/validation: validateHandler. */
function checkHandler<K extends string>(handler: Keyed<K>, keys: readonly K[], check: Check): void {
  const explain = (first: string) => `must not be set, as ${first} is: a handler is of one type`;
  if (checkOnly(check, handler, keys, explain) !== undefined) return;
  report(check, "required", `must have a handler: one of ${keys.join(", ")}`);
}

/** core/validation: validateSleepAction. */
function checkSleep({ seconds }: SleepAction, check: Check, gracePeriod: number): void {
  const length = asNumber(seconds);
  if (length >= 0 && length <= gracePeriod) return;
  invalid(check, `must be between 0 and terminationGracePeriodSeconds (${gracePeriod})`, "seconds");
}

const PROBE_FORBIDDEN = forbidden("forbidden", "must not be set for an init container without restartPolicy: Always");

/** core/validation: validateInitContainers. What ends before the pod starts is not probed. */
export const forbidProbes = fields<Container>({
  // Without its feature gate a stop signal is dropped, and the lifecycle with it when it has nothing else.
  lifecycle: (check, lifecycle, key, context) => {
    const { postStart, preStop, stopSignal } = asObject(lifecycle);
    if (!isPresent(stopSignal) || isPresent(postStart) || isPresent(preStop))
      PROBE_FORBIDDEN(check, lifecycle, key, context);
  },
  livenessProbe: PROBE_FORBIDDEN,
  readinessProbe: PROBE_FORBIDDEN,
  startupProbe: PROBE_FORBIDDEN,
});
