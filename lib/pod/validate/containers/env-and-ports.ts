// The environment of a container: variables, where their values are from, and lists of them from elsewhere.
// Mirrors core/validation's ValidateEnv and ValidateEnvFrom.

import { listOf } from "@outrigger/base";
import type {
  Container,
  ContainerPort,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  Volume,
} from "../../generated/pod-types.ts";
import {
  CONFIG_KEY_FORM,
  ENV_NAME_FORM,
  hasBackstep,
  isConfigKey,
  isDnsLabel,
  isDnsSubdomain,
  isDnsSubdomainPrefix,
  isEnvName,
  isPortName,
  LABEL_FORM,
  NO_BACKSTEPS,
  PORT_NAME_FORM,
  SUBDOMAIN_FORM,
} from "../../names.ts";
import {
  asNumber,
  asObject,
  asText,
  type Check,
  checkField,
  checkItems,
  checkOneOf,
  checkUnique,
  isPresent,
  quote,
  report,
  requireText,
} from "../check.ts";
import { checkEnvFieldRef, checkEnvResourceRef } from "../volumes/projected-volumes.ts";
import type { FindVolume } from "./mounts.ts";

/** core/validation: ValidateEnv and validateEnvVarValueFrom. */
export function checkEnvVar(variable: EnvVar, check: Check): void {
  const { name, value, valueFrom } = variable;
  if (requireText(check, name, "name") && !isEnvName(name)) report(check, "invalid", ENV_NAME_FORM, "name");
  if (!isPresent(valueFrom)) return;
  const count = countSources(valueFrom);
  if (count === 0) report(check, "invalid", `must have one of ${ENV_SOURCES.join(", ")}`, "valueFrom");
  else if (asText(value) !== "")
    report(check, "invalid", "must not be set when value is: remove one of them", "valueFrom");
  else if (count > 1) report(check, "invalid", "must have one source only", "valueFrom");
  checkField(check, "valueFrom", valueFrom, checkSources, undefined);
}

const ENV_SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

function countSources(source: EnvVarSource): number {
  let count = 0;
  for (const key in source) {
    if (isPresent(source[key as keyof EnvVarSource]) && (ENV_SOURCES as readonly string[]).includes(key)) count += 1;
  }
  return count;
}

function checkSources(source: EnvVarSource, check: Check): void {
  checkField(check, "fieldRef", source.fieldRef, checkEnvFieldRef, undefined);
  checkField(check, "resourceFieldRef", source.resourceFieldRef, checkEnvResourceRef, undefined);
  checkField(check, "configMapKeyRef", source.configMapKeyRef, checkKeySelector, undefined);
  checkField(check, "secretKeyRef", source.secretKeyRef, checkKeySelector, undefined);
  checkField(check, "fileKeyRef", source.fileKeyRef, checkFileKey, undefined);
}

/** core/validation: validateConfigMapKeySelector and validateSecretKeySelector. */
function checkKeySelector(selector: { readonly name?: unknown; readonly key?: unknown }, check: Check): void {
  const { name, key } = selector;
  if (asText(name) === "") report(check, "invalid", "is required", "name");
  else if (!isDnsSubdomain(asText(name))) report(check, "invalid", SUBDOMAIN_FORM, "name");
  if (requireText(check, key, "key") && !isConfigKey(asText(key))) report(check, "invalid", CONFIG_KEY_FORM, "key");
}

/** core/validation: validateFileKeySelector. */
function checkFileKey(selector: FileKeySelector, check: Check): void {
  const { key, volumeName, path } = selector;
  if (requireText(check, key, "key") && !isEnvName(key)) report(check, "invalid", ENV_NAME_FORM, "key");
  if (requireText(check, path, "path") && hasBackstep(path)) report(check, "invalid", NO_BACKSTEPS, "path");
  if (requireText(check, volumeName, "volumeName") && !isDnsLabel(volumeName))
    report(check, "invalid", LABEL_FORM, "volumeName");
}

/** core/validation: validateFileKeyRefVolumes. */
export function checkEnvVolumes(env: readonly EnvVar[], check: Check, findVolume: FindVolume): void {
  for (let at = 0; at < env.length; at++) {
    const name = asText(env[at]?.valueFrom?.fileKeyRef?.volumeName);
    if (name === "") continue;
    const volume = findVolume(name);
    const steps = ["env", at, "valueFrom", "fileKeyRef", "volumeName"];
    if (volume === undefined) report(check, "not-found", `must name a volume, not ${quote(name)}`, ...steps);
    else if (!isEmptyDir(volume)) report(check, "invalid", "must name a volume of type emptyDir", ...steps);
  }
}

/** A volume without any source is an emptyDir: SetDefaults_Volume. */
function isEmptyDir(volume: Volume): boolean {
  if (isPresent(volume.emptyDir)) return true;
  for (const key in volume) if (key !== "name" && isPresent(volume[key as keyof Volume])) return false;
  return true;
}

/** core/validation: ValidateEnvFrom, validateConfigMapEnvSource, validateSecretEnvSource. */
export function checkEnvFrom(source: EnvFromSource, check: Check): void {
  const { prefix, configMapRef, secretRef } = source;
  if (asText(prefix) !== "" && !isEnvName(asText(prefix))) report(check, "invalid", ENV_NAME_FORM, "prefix");
  if (!isPresent(configMapRef) && !isPresent(secretRef))
    report(check, "invalid", "must have a configMapRef or a secretRef");
  else if (isPresent(configMapRef) && isPresent(secretRef)) {
    report(check, "invalid", "must not have both a configMapRef and a secretRef");
  }
  checkField(check, "configMapRef", configMapRef, checkSourceName, undefined);
  checkField(check, "secretRef", secretRef, checkSourceName, undefined);
}

function checkSourceName({ name }: { readonly name?: string | undefined }, check: Check): void {
  if (requireText(check, name, "name") && !isDnsSubdomainPrefix(asText(name))) {
    report(check, "invalid", SUBDOMAIN_FORM, "name");
  }
}

// The ports of containers, and which ports of a node they take.
const PROTOCOLS: readonly string[] = ["TCP", "UDP", "SCTP", ""];
const MAX_PORT = 65_535;

export const PORT_RANGE = "must be between 1 and 65535";

/** core/validation: validateContainerPorts, and validatePodHostNetworkDeps where the pod is in its node's network. */
export function checkPorts(container: Container, before: Container, hostNetwork: boolean, check: Check): void {
  const { ports } = container;
  if (ports === before.ports) return;
  checkItems(check, "ports", ports, before.ports, checkPort, hostNetwork);
  checkUnique(
    check,
    "ports",
    ports,
    validName,
    (name) => `must be unique: another port is named ${quote(name)}`,
    "name",
  );
}

function validName({ name }: ContainerPort): string {
  const text = asText(name);
  return isPortName(text) ? text : "";
}

function checkPort(port: ContainerPort, check: Check, hostNetwork: boolean): void {
  const { name, containerPort, hostPort, protocol } = port;
  if (isPresent(name) && name !== "" && !isPortName(asText(name))) report(check, "invalid", PORT_NAME_FORM, "name");
  if (asNumber(containerPort) === 0) report(check, "required", "is required", "containerPort");
  else if (!isPort(containerPort)) report(check, "invalid", PORT_RANGE, "containerPort");
  checkOneOf(check, protocol, PROTOCOLS, "protocol");
  if (asNumber(hostPort) === 0) return;
  if (!isPort(hostPort)) report(check, "invalid", PORT_RANGE, "hostPort");
  if (hostNetwork && hostPort !== containerPort) {
    report(check, "invalid", "must be the containerPort when hostNetwork is true", "hostPort");
  }
}

export function isPort(port: unknown): boolean {
  return typeof port === "number" && port >= 1 && port <= MAX_PORT;
}

/**
 * core/validation: checkHostPortConflicts, over all containers, or over one init container as these run one by one. In
 * its node's network every port of a container is one of the node: SetDefaults_Pod.
 */
export function checkHostPorts(
  containers: readonly Container[],
  key: string,
  hostNetwork: boolean,
  check: Check,
): void {
  let taken: Set<string> | undefined;
  for (let at = 0; at < containers.length; at++) {
    const ports = listOf(asObject(containers[at]).ports);
    for (let index = 0; index < ports.length; index++) {
      const { containerPort, hostPort, hostIP, protocol } = asObject(ports[index]) as ContainerPort;
      const port = asNumber(hostPort) || (hostNetwork ? asNumber(containerPort) : 0);
      if (port === 0) continue;
      taken ??= new Set();
      const node = `${asText(protocol) || "TCP"}/${asText(hostIP)}/${port}`;
      if (taken.has(node)) {
        report(
          check,
          "duplicate",
          `is taken: another container port has ${describeNodePort(port, protocol, hostIP)} of the node`,
          key,
          at,
          "ports",
          index,
          "hostPort",
        );
      }
      taken.add(node);
    }
  }
}

function describeNodePort(port: number, protocol: unknown, address: unknown): string {
  const name = `${port}/${asText(protocol) || "TCP"}`;
  return asText(address) === "" ? name : `${name} at ${quote(asText(address))}`;
}
