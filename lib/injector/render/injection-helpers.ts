// What templates can call: helpers for pods and proxy configurations, in addition to the general ones of lib/template/helpers.

import { isObject, memoizeObject, objectsOf } from "@outrigger/base";
import { type ProxyConfig, proxyConfigDifferences } from "@outrigger/mesh";
import { CONTAINERS, defineHelpers, type Helper, helpers } from "@outrigger/template";
import { containerNames } from "../data-plane.ts";
import { readUserVolumeMounts, readUserVolumes } from "./user-volumes.ts";

const podHelpers = defineHelpers({
  protoToJSON: {
    run: ([proxyConfig]) => (isObject(proxyConfig) ? proxyConfigText(proxyConfig as ProxyConfig) : "{}"),
    doc: {
      text: "The JSON text of what differs from Istio's defaults in a proxy configuration.",
      args: [["proxyConfig", "as-example", "the configuration of the proxy"]],
      result: "text",
      examples: [["(protoToJSON proxyConfig)", '{"concurrency":2}']],
    },
  },
  appContainers: {
    run: ([containers]) => {
      const names = objectsOf(containers).map((container) => String(container["name"]));
      return names.filter((name) => name !== containerNames.proxy);
    },
    doc: {
      text: "The names of all containers but the proxy.",
      args: [CONTAINERS],
      result: "texts",
      examples: [["(appContainers spec.containers)", ["web"]]],
    },
  },
  podPorts: {
    run: ([containers]) => objectsOf(containers).flatMap((container) => objectsOf(container["ports"])),
    doc: {
      text: "The ports of all containers, in order.",
      args: [CONTAINERS],
      result: "list",
      examples: [["(podPorts spec.containers)", [{ containerPort: 8080 }, { containerPort: 15090 }]]],
    },
  },
  userVolumes: {
    run: ([text]) => (typeof text === "string" ? readUserVolumes(text) : []),
    doc: {
      text: "The volumes that the pod's author declares in an annotation.",
      args: [["text", "as-example", "the text of the annotation sidecar.istio.io/userVolume"]],
      result: "list",
      examples: [['(userVolumes \'{"cache":{"emptyDir":{}}}\')', [{ name: "cache", emptyDir: {} }]]],
    },
  },
  userVolumeMounts: {
    run: ([text]) => (typeof text === "string" ? readUserVolumeMounts(text) : []),
    doc: {
      text: "The mounts in the proxy that the pod's author declares in an annotation.",
      args: [["text", "as-example", "the text of the annotation sidecar.istio.io/userVolumeMount"]],
      result: "list",
      examples: [['(userVolumeMounts \'{"cache":{"mountPath":"/cache"}}\')', [{ name: "cache", mountPath: "/cache" }]]],
    },
  },
});

type HelperName = keyof typeof helpers | keyof typeof podHelpers;

/** Every helper that templates may call. */
export const injectionHelpers: Readonly<Record<HelperName, Helper>> = { ...helpers, ...podHelpers };

/**
 * The proxy configuration's text, which every render needs. It is cached for each object, because most renders have the
 * same one: the release's default.
 */
const proxyConfigText = memoizeObject((proxyConfig: ProxyConfig) =>
  JSON.stringify(proxyConfigDifferences(proxyConfig)),
);
