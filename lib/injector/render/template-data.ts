// The data that templates can use, from the pod and from the release: the roots of every `{{path}}`.

import { baseProxyConfig } from "@outrigger/mesh";
import type { Injection, Injector, InjectRequest } from "../injection.ts";
import { ownerOf } from "../owner.ts";
import { proxyIds } from "./proxy-ids.ts";
import { proxyImage, proxyInitImage } from "./proxy-image.ts";

/** Returns the roots that are the same for every pod of a release: what depends on them alone is decided when the release is loaded. */
export function constantRoots(injector: Omit<Injector, "templates">): Readonly<Record<string, unknown>> {
  return {
    values: injector.values,
    meshConfig: injector.meshConfig,
    compliancePolicy: injector.config.compliancePolicy,
    inboundTrafficPolicyMode: injector.settings.inboundTrafficPolicyMode,
  };
}

/** Returns the usual values of roots that most pods share. */
export function usualRoots(injector: Omit<Injector, "templates">) {
  return { proxyConfig: baseProxyConfig(injector.meshConfig), revision: injector.config.revision };
}

/** Returns all roots for one pod. `proxyImage`, `proxyUID` and others are computed here because an annotation can decide them. */
export function templateData(injection: Injection): Readonly<Record<string, unknown>> {
  const { injector, pod, proxyConfig, environment } = injection;
  const annotations = pod.metadata?.annotations ?? {};
  const namespace = namespaceOf(injection.request);
  const known = injector.namespaceAnnotations;
  const ids = proxyIds(Object.hasOwn(known, namespace) ? known[namespace] : undefined);
  return {
    ...constantRoots(injector),
    metadata: pod.metadata ?? {},
    spec: pod.spec ?? {},
    owner: injection.request.owner ?? ownerOf({ ...pod.metadata, namespace }),
    proxyConfig,
    revision: injection.revision,
    cluster: environment["ISTIO_META_CLUSTER_ID"] ?? "",
    network: environment["ISTIO_META_NETWORK"] ?? "",
    nativeSidecars: injection.nativeSidecars,
    proxyImage: proxyImage(injector.values, proxyConfig.image, annotations, injector.config.istio),
    proxyInitImage: proxyInitImage(injector.values, annotations),
    proxyUID: ids.uid,
    proxyGID: ids.gid,
  };
}

/** Returns the pod's own namespace or, if it has none, the request's. */
export function namespaceOf(request: InjectRequest): string {
  return request.pod.metadata?.namespace || request.namespace;
}
