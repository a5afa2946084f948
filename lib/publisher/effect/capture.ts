// Which traffic goes through the proxy, and which control plane the proxy asks: what of an injected pod says so.
import { type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";
import { containersOf } from "@outrigger/pod";

/** Arguments of istio-iptables that leave out or add single ports, or say how to log: everyday edits. */
const EVERYDAY: Readonly<Record<string, number>> = { "-d": 1, "-o": 1, "-q": 1, "--log_as_json": 0 };

/** Annotations by which a CNI plugin captures; those that leave out single ports do not count. */
const CAPTURE_ANNOTATIONS = [
  "sidecar.istio.io/interceptionMode",
  "traffic.sidecar.istio.io/includeOutboundIPRanges",
  "traffic.sidecar.istio.io/excludeOutboundIPRanges",
  "traffic.sidecar.istio.io/includeInboundPorts",
  "k8s.v1.cni.cncf.io/networks",
];

/** What captures a pod's traffic, by where that is said; undefined where nothing is. */
export function captureOf(pod: JsonObject): Readonly<Record<string, JsonValue | undefined>> {
  const annotations = objectOf(objectOf(pod["metadata"])["annotations"]);
  const said = CAPTURE_ANNOTATIONS.map((key) => [key, annotations[key]]);
  const own = containersOf(pod["spec"]).flatMap((container) => {
    return [
      [`${container["name"]} ISTIO_META_INTERCEPTION_MODE`, envOf(container, "ISTIO_META_INTERCEPTION_MODE")],
      [`${container["name"]} istio-iptables`, iptablesOf(container)],
    ];
  });
  return Object.fromEntries([...said, ...own]);
}

/** The control plane's addresses that a container is given. */
export function addressesOf(container: JsonObject): Readonly<Record<string, string>> {
  const authority = envOf(container, "CA_ADDR");
  const { discoveryAddress } = objectOf(parsed(envOf(container, "PROXY_CONFIG")));
  return {
    ...(authority !== undefined && { CA_ADDR: authority }),
    ...(typeof discoveryAddress === "string" && { discoveryAddress }),
  };
}

function iptablesOf({ args, command }: JsonObject): JsonValue | undefined {
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list : []));
  if (!words.includes("istio-iptables")) return undefined;
  const kept: JsonValue[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as JsonValue;
    const values = typeof word === "string" && Object.hasOwn(EVERYDAY, word) ? EVERYDAY[word] : undefined;
    if (values !== undefined) at += values;
    else if (typeof word !== "string" || !word.startsWith("--log_output_level=")) kept.push(word);
  }
  return kept;
}

function envOf({ env }: JsonObject, name: string): string | undefined {
  const value = objectsOf(env).findLast((entry) => entry["name"] === name)?.["value"];
  return typeof value === "string" ? value : undefined;
}

function parsed(text: string | undefined): JsonValue | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
