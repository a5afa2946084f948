// Helpers that know what Istio's sidecar needs: annotations, ports, Multus networks, OpenTelemetry resource attributes.

import { entryOf, isObject, type JsonObject, metadataKeys, parseJson } from "@outrigger/base";
import { ownPropertyReader } from "../bind/own-property.ts";
import { asList, asMap, goText } from "./argument.ts";
import { CONTAINERS, METADATA } from "./common-arguments.ts";
import { defineHelpers, withOfFirst } from "./helper.ts";

export const istioHelpers = defineHelpers({
  annotation: {
    ...withOfFirst(([name, otherwise]) => {
      const annotationOf = ownPropertyReader(goText(name));
      const text = goText(otherwise);
      return (metadata) => {
        const annotation = annotationOf(annotationsOf(metadata));
        return typeof annotation === "string" ? annotation : goText(annotation ?? text);
      };
    }),
    doc: {
      text: "The text of an annotation, or of a default.",
      args: [
        METADATA,
        ["name", "text", "the annotation's key"],
        ["default", "any", "the text for a pod without the annotation"],
      ],
      result: "text",
      examples: [
        ['(annotation metadata "sidecar.istio.io/logLevel" "warning")', "debug"],
        ['(annotation metadata "sidecar.istio.io/proxyCPU" 2)', "2"],
      ],
    },
  },
  excludeInboundPort: {
    run: ([port, excluded]) => excludeInboundPort(goText(port).trim(), goText(excluded)),
    doc: {
      text: "The list of excluded ports with one more port.",
      args: [
        ["port", "text", "the port to add; empty or 0 adds none"],
        ["ports", "text", "the ports so far, with commas between them"],
      ],
      result: "text",
      examples: [['(excludeInboundPort 15020 "80,90")', "80,90,15020"]],
    },
  },
  includeInboundPorts: {
    run: ([containers]) => portsOf(asList(containers)),
    doc: {
      text: "The TCP ports of all containers, with commas between them.",
      args: [CONTAINERS],
      result: "text",
      examples: [["(includeInboundPorts spec.containers)", "8080,15090"]],
    },
  },
  applicationPorts: {
    run: ([containers]) =>
      portsOf(asList(containers).filter((container) => field(container, "name") !== "istio-proxy")),
    doc: {
      text: "The TCP ports of all containers but the proxy, with commas between them.",
      args: [CONTAINERS],
      result: "text",
      examples: [["(applicationPorts spec.containers)", "8080"]],
    },
  },
  appendMultusNetwork: {
    run: ([existing, network]) => appendNetwork(goText(existing), goText(network)),
    doc: {
      text: "The networks annotation with one more network.",
      args: [
        ["networks", "text", "the text of the annotation k8s.v1.cni.cncf.io/networks"],
        ["network", "text", "the network to add: its name, or its namespace and name with a slash between them"],
      ],
      result: "text",
      examples: [['(appendMultusNetwork "a" "default/istio-cni")', "a, default/istio-cni"]],
    },
  },
  otelResourceAttributes: {
    run: ([mesh, annotations, labels, namespace, containers]) =>
      usesSemanticConventions(mesh)
        ? resourceAttributes(asMap(annotations), asMap(labels), goText(namespace), asList(containers))
        : "",
    doc: {
      text: 'The value of OTEL_RESOURCE_ATTRIBUTES, or "" unless a tracing provider of the mesh asks for it.',
      args: [
        ["meshConfig", "as-example", "the mesh configuration"],
        ["annotations", "as-example", "the pod's annotations"],
        ["labels", "as-example", "the pod's labels"],
        ["namespace", "as-example", "the namespace of the workload"],
        CONTAINERS,
      ],
      result: "text",
      examples: [
        [
          "(otelResourceAttributes meshConfig metadata.annotations metadata.labels owner.namespace spec.containers)",
          "service.namespace=shop,service.instance.id=shop.$(POD_NAME).web",
        ],
      ],
    },
  },
});

const annotationsOf = ownPropertyReader("annotations");

/** Reads one field without an array of steps: it is called for each container of each pod. */
function field(value: unknown, name: string): unknown {
  return isObject(value) ? entryOf(value, name) : undefined;
}

function excludeInboundPort(port: string, excluded: string): string {
  if (port === "" || port === "0") return excluded;
  // Spaces would become arguments of iptables.
  const ports = excluded
    .split(",")
    .map((other) => other.trim())
    .filter((other) => other !== "");
  return (ports.includes(port) ? ports : [...ports, port]).join(",");
}

function portsOf(containers: readonly unknown[]): string {
  const ports: string[] = [];
  for (const container of containers) {
    for (const port of asList(field(container, "ports"))) {
      const protocol = field(port, "protocol");
      if (protocol !== "UDP" && protocol !== "SCTP") ports.push(goText(field(port, "containerPort") ?? 0));
    }
  }
  return ports.join(",");
}

/** Adds a network in either spelling of the annotation, a JSON list of objects or names with commas. The text around it is kept. */
function appendNetwork(existing: string, network: string): string {
  if (existing === "") return network;
  const end = existing.lastIndexOf("]");
  if (end === -1) {
    return existing.split(",").some((name) => name.trim() === network) ? existing : `${existing}, ${network}`;
  }
  const networks = networkList(existing);
  if (networks === undefined) return existing;
  const [namespace, name] = qualifiedName(network);
  if (networks.some((other) => other["name"] === name && (other["namespace"] ?? "") === namespace)) return existing;
  const added = namespace === "" ? `{"name": "${name}"}` : `{"name": "${name}", "namespace": "${namespace}"}`;
  return `${existing.slice(0, end)}, ${added}${existing.slice(end)}`;
}

function networkList(text: string): readonly JsonObject[] | undefined {
  const value = parseJson(text);
  if (!Array.isArray(value)) return undefined;
  return value.every((item) => isObject(item) || item === null) ? value.map(asMap) : undefined;
}

function qualifiedName(text: string): readonly [namespace: string, name: string] {
  const [first = "", second] = text.split("/");
  return second === undefined ? ["", first] : [first, second];
}

function usesSemanticConventions(mesh: unknown): boolean {
  return asList(field(mesh, "extensionProviders")).some(
    (provider) => field(field(provider, "opentelemetry"), "serviceAttributeEnrichment") === "OTEL_SEMANTIC_CONVENTIONS",
  );
}

/** Returns attributes by OpenTelemetry's semantic conventions for Kubernetes: an annotation wins over a label, a label over the pod's own fields. */
function resourceAttributes(
  annotations: JsonObject,
  labels: JsonObject,
  namespace: string,
  containers: readonly unknown[],
): string {
  const annotated = (name: string): string => goText(entryOf(annotations, `resource.opentelemetry.io/${name}`));
  const only = containers.length === 1 ? goText(field(containers[0], "image")) : "";
  const instance = containers.length > 0 ? `${namespace}.$(POD_NAME).${goText(field(containers[0], "name"))}` : "";
  const attributes: readonly (readonly [string, string])[] = [
    ["service.namespace", annotated("service.namespace") || namespace],
    [
      "service.version",
      annotated("service.version") || goText(entryOf(labels, metadataKeys.appVersion)) || imageVersion(only),
    ],
    ["service.instance.id", annotated("service.instance.id") || instance],
  ];
  return attributes
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

function imageVersion(image: string): string {
  const { tag, digest } = imageReference(image);
  return tag !== "" && digest !== "" ? `${tag}@${digest}` : digest || tag;
}

/** Tag and digest of an image: `registry:5000/name:tag@digest`; a colon before the last slash is a port. */
export function imageReference(image: string): { readonly tag: string; readonly digest: string } {
  const at = image.indexOf("@");
  const name = at === -1 ? image : image.slice(0, at);
  const colon = name.lastIndexOf(":");
  return {
    tag: colon > name.lastIndexOf("/") ? name.slice(colon + 1) : "",
    digest: at === -1 ? "" : image.slice(at + 1),
  };
}
