// The environment of a container: variables, where their values are from, and lists of them from elsewhere.
// Mirrors core/validation's ValidateEnv and ValidateEnvFrom.
import { listOf } from "@outrigger/base";
import type { Container, ContainerPort, EnvFromSource, EnvVar, PodSpec, Volume } from "../../generated/pod-types.ts";
import { CONFIG_KEY, DNS_LABEL, DNS_NAME, DNS_NAME_PREFIX, ENV_NAME, PLAIN_PATH, PORT_NAME } from "../../names.ts";
import { type Check, invalid, quote, report } from "../check.ts";
import type { FieldRules } from "../fields.ts";
import { checkForm, fields, itemsIn, needed, object, oneOf, optional, required, unique } from "../fields.ts";
import { asNumber, asObject, asText, isPresent } from "../go-values.ts";
import { checkEnvFieldRef, checkResourceRef } from "../volumes/downward-api.ts";
import type { FindVolume } from "./mounts.ts";

/** core/validation: validateConfigMapKeySelector and validateSecretKeySelector. */
const checkKeySelector = fields<{ readonly name?: string | undefined; readonly key: string }>({
  name: needed((check, name, key) => {
    if (asText(name) === "") invalid(check, "is required", key);
    else checkForm(check, name, DNS_NAME, key);
  }),
  key: required(CONFIG_KEY),
});

/** core/validation: validateEnvVarValueFrom, and validateFileKeySelector. */
const SOURCES = {
  fieldRef: object(checkEnvFieldRef),
  resourceFieldRef: object(checkResourceRef),
  configMapKeyRef: object(checkKeySelector),
  secretKeyRef: object(checkKeySelector),
  fileKeyRef: object({ key: required(ENV_NAME), path: required(PLAIN_PATH), volumeName: required(DNS_LABEL) }),
} satisfies FieldRules<NonNullable<EnvVar["valueFrom"]>, unknown>;

const SOURCE_NAMES = Object.keys(SOURCES) as (keyof typeof SOURCES)[];

/** core/validation: ValidateEnv. */
export const checkEnvVar = fields<EnvVar>(
  { name: required(ENV_NAME), valueFrom: object(SOURCES) },
  ({ value, valueFrom }, check) => {
    if (!isPresent(valueFrom)) return;
    const count = SOURCE_NAMES.filter((name) => isPresent(valueFrom[name])).length;
    if (count === 0) invalid(check, `must have one of ${SOURCE_NAMES.join(", ")}`, "valueFrom");
    else if (asText(value) !== "") {
      invalid(check, "must not be set when value is: remove one of them", "valueFrom");
    } else if (count > 1) invalid(check, "must have one source only", "valueFrom");
  },
);

/** core/validation: validateFileKeyRefVolumes. */
export function checkEnvVolumes(env: readonly EnvVar[], check: Check, findVolume: FindVolume): void {
  for (let at = 0; at < env.length; at++) {
    const name = asText(env[at]?.valueFrom?.fileKeyRef?.volumeName);
    if (name === "") continue;
    const volume = findVolume(name);
    const steps = ["env", at, "valueFrom", "fileKeyRef", "volumeName"];
    if (volume === undefined) report(check, "not-found", `must name a volume, not ${quote(name)}`, ...steps);
    else if (!isEmptyDir(volume)) invalid(check, "must name a volume of type emptyDir", ...steps);
  }
}

/** A volume without any source is an emptyDir: SetDefaults_Volume. */
function isEmptyDir(volume: Volume): boolean {
  if (isPresent(volume.emptyDir)) return true;
  for (const key in volume) if (key !== "name" && isPresent(volume[key as keyof Volume])) return false;
  return true;
}

const checkSourceName = fields<{ readonly name?: string | undefined }>({ name: required(DNS_NAME_PREFIX) });

/** core/validation: ValidateEnvFrom, validateConfigMapEnvSource, validateSecretEnvSource. */
export const checkEnvFrom = fields<EnvFromSource>(
  { prefix: optional(ENV_NAME), configMapRef: object(checkSourceName), secretRef: object(checkSourceName) },
  ({ configMapRef, secretRef }, check) => {
    if (isPresent(configMapRef) !== isPresent(secretRef)) return;
    const rule = isPresent(secretRef) ? "must not have both a configMapRef and a" : "must have a configMapRef or a";
    invalid(check, `${rule} secretRef`);
  },
);

// The ports of containers, and which ports of a node they take.
const MAX_PORT = 65_535;

export const PORT_RANGE = "must be between 1 and 65535";

/** core/validation: validateContainerPorts, and validatePodHostNetworkDeps where the pod is in its node's network. */
export const checkPorts = fields<Container, boolean>({
  ports: [
    itemsIn(fields({ name: optional(PORT_NAME), protocol: oneOf("TCP", "UDP", "SCTP", "") }, checkPort)),
    unique(validName, (name) => `must be unique: another port is named ${quote(name)}`, ["name"]),
  ],
});

function validName({ name }: ContainerPort): string {
  const text = asText(name);
  return PORT_NAME.has(text) ? text : "";
}

function checkPort({ containerPort, hostPort }: ContainerPort, check: Check, hostNetwork: boolean): void {
  if (asNumber(containerPort) === 0) report(check, "required", "is required", "containerPort");
  else if (!isPort(containerPort)) invalid(check, PORT_RANGE, "containerPort");
  if (asNumber(hostPort) === 0) return;
  if (!isPort(hostPort)) invalid(check, PORT_RANGE, "hostPort");
  if (hostNetwork && hostPort !== containerPort) {
    invalid(check, "must be the containerPort when hostNetwork is true", "hostPort");
  }
}

export function isPort(port: unknown): boolean {
  return typeof port === "number" && port >= 1 && port <= MAX_PORT;
}

export type ListKey = "containers" | "initContainers";

/**
 * core/validation: checkHostPortConflicts. In its node's network every port of a container is one of the node: SetDefaults_Pod.
 * Init containers run one by one: only the ports of each must differ.
 */
export function checkHostPorts(key: ListKey, spec: PodSpec, check: Check): void {
  const containers = listOf(spec[key]);
  let taken: Set<string> | undefined;
  for (let at = 0; at < containers.length; at++) {
    if (key === "initContainers") taken = undefined;
    const ports = listOf(asObject(containers[at]).ports);
    for (let index = 0; index < ports.length; index++) {
      const { containerPort, hostPort, hostIP, protocol } = asObject(ports[index]) as ContainerPort;
      const port = asNumber(hostPort) || (spec.hostNetwork === true ? asNumber(containerPort) : 0);
      if (port === 0) continue;
      taken ??= new Set();
      const name = `${port}/${asText(protocol) || "TCP"}`;
      const address = asText(hostIP);
      if (taken.size === taken.add(`${name} ${address}`).size) {
        const node = address === "" ? name : `${name} at ${quote(address)}`;
        const message = `is taken: another container port has ${node} of the node`;
        report(check, "duplicate", message, key, at, "ports", index, "hostPort");
      }
    }
  }
}
