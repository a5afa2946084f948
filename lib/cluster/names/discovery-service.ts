// Whether the control plane's address, as proxies are given it, is a service of the cluster. Reads only.
import { isObject, objectsOf } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { describeName, type InjectedName } from "./injected-names.ts";

/** An address, and why no proxy can reach istiod there. */
export interface VerifiedAddress extends InjectedName {
  /** Left out where nothing is wrong, or where it is not of this cluster. */
  readonly problem?: string;
}

/** Looks up addresses that are given to proxies. */
export function verifyAddresses(kube: KubeClient, names: readonly InjectedName[]): Promise<readonly VerifiedAddress[]> {
  return Promise.all(names.map((named) => verifyAddress(kube, named)));
}

/** `istoid.istio-system.svc:15012 (mesh:3): there is no service istio-system/istoid` */
export function describeAddress(address: VerifiedAddress): string {
  return address.problem === undefined ? address.name : describeName(address, address.problem);
}

/** Of an address such as `istiod.istio-system.svc:15012`; any other host is not the cluster's to know. */
async function verifyAddress(kube: KubeClient, address: InjectedName): Promise<VerifiedAddress> {
  const [, name, namespace, port] = SERVICE.exec(address.name) ?? [];
  if (name === undefined || namespace === undefined) return address;
  const service = await kube.get(`/api/v1/namespaces/${namespace}/services/${name}`);
  if (service === undefined) return { ...address, problem: `there is no service ${namespace}/${name}` };
  const { spec } = service;
  const ports = objectsOf(isObject(spec) ? spec["ports"] : undefined).map((each) => String(each["port"]));
  if (port === undefined || ports.length === 0 || ports.includes(port)) return address;
  return { ...address, problem: `service ${namespace}/${name} has no port ${port}, but ${ports.join(", ")}` };
}

const SERVICE = /^([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc(?:\.[a-z0-9.-]+)?(?::(\d+))?$/;
