// What an API server fills in of a pod: `SetDefaults_*` of core/v1, as far as Outrigger's pods meet them. Pure.
import { isObject, type JsonObject, objectOf, objectsOf } from "@outrigger/base";

const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** The pod with its defaults, as before and after the webhooks. */
export function defaultedPod<Kind extends object>(given: Kind): Kind {
  // What is null is absent.
  const pod = JSON.parse(JSON.stringify(given), (_key, value) => value ?? undefined) as JsonObject;
  const spec = objectOf(pod["spec"]);
  const lists = (["containers", "initContainers"] as const)
    .filter((list) => Array.isArray(spec[list]))
    .map((list) => [list, objectsOf(spec[list]).map(defaultedContainer)]);
  const volumes = objectsOf(spec["volumes"]).map((volume) =>
    Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume,
  );
  const filled = {
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
    securityContext: {},
    serviceAccountName: "default",
    serviceAccount: "default",
    ...spec,
    ...Object.fromEntries(lists),
    ...(Array.isArray(spec["volumes"]) && { volumes }),
  };
  return { ...pod, spec: filled } as unknown as Kind;
}

function defaultedContainer(container: JsonObject): JsonObject {
  const image = String(container["image"] ?? "");
  const name = image.slice(image.lastIndexOf("/") + 1);
  const isLatest = name.endsWith(":latest") || !/[:@]/.test(name);
  const probes = Object.fromEntries(
    ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((key) =>
      isObject(container[key]) ? [[key, { ...PROBE, ...objectOf(container[key]) }]] : [],
    ),
  );
  const ports = Array.isArray(container["ports"])
    ? { ports: objectsOf(container["ports"]).map((port) => ({ protocol: "TCP", ...port })) }
    : {};
  const { limits, requests } = objectOf(container["resources"]);
  const resources = limits === undefined ? {} : { requests: { ...objectOf(limits), ...objectOf(requests) } };
  return {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: isLatest ? "Always" : "IfNotPresent",
    ...container,
    ...probes,
    ...ports,
    resources: { ...objectOf(container["resources"]), ...resources },
  };
}
