// The ports of containers, and which ports of a node they take.

import { listOf } from "@outrigger/base";
import type { Container, ContainerPort } from "../../generated/pod-types.ts";
import { isPortName, PORT_NAME_FORM } from "../../names.ts";
import { type Check, checkItems, checkOneOf, checkUnique, quote, report } from "../check.ts";
import { asNumber, asObject, asText, isPresent } from "../zero-values.ts";

const PROTOCOLS: readonly string[] = ["TCP", "UDP", "SCTP", ""];
const MAX_PORT = 65_535;

export const PORT_RANGE = "must be between 1 and 65535";

/** core/validation: validateContainerPorts, and validatePodHostNetworkDeps where the pod is in its node's network. */
export function checkPorts(container: Container, before: Container, hostNetwork: boolean, check: Check): void {
  const { ports } = container;
  if (ports === before.ports) return;
  checkItems(check, "ports", ports, before.ports, checkPort, hostNetwork);
  checkUnique(check, "ports", ports, validName, (name) => `another port is named ${quote(name)}`, "name");
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
