// What must agree in an injected pod for traffic to pass: istio-init redirects it by port, user and mode, and the proxy
// listens as another user, on other ports, in a mode of its own. An API server takes any of it; the pod never gets ready,
// or its traffic goes in circles.

import type { FieldPath } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { containerNames } from "../../data-plane.ts";

type TrafficFault = { readonly steps: FieldPath; readonly message: string };

type Found = { readonly container: Container; readonly steps: FieldPath };

/**
 * Finds disagreements between the container that redirects traffic and the proxy.
 *
 * @param pod an injected pod; without both containers there is nothing to compare
 */
export function trafficFaults(pod: Pod): readonly TrafficFault[] {
  const redirect = findContainer(pod, ({ args }) => args?.includes("istio-iptables") === true);
  const proxy = findContainer(pod, ({ name }) => name === containerNames.proxy);
  if (redirect === undefined || proxy === undefined) return [];
  return [
    ...modeFaults(redirect, proxy),
    ...userFaults(redirect, proxy),
    ...portFaults(redirect, proxy),
    ...capabilityFaults(redirect, proxy),
  ];
}

function findContainer({ spec }: Pod, isIt: (container: Container) => boolean): Found | undefined {
  for (const list of ["initContainers", "containers"] as const) {
    const index = spec?.[list]?.findIndex(isIt) ?? -1;
    const container = spec?.[list]?.[index];
    if (container !== undefined) return { container, steps: ["spec", list, index] };
  }
  return undefined;
}

/** The value of an option: `-m REDIRECT`. */
function option({ container, steps }: Found, name: string) {
  const args = container.args ?? [];
  const index = args.indexOf(name) + 1;
  return index === 0 ? undefined : { value: args[index] ?? "", steps: [...steps, "args", index] };
}

function modeFaults(redirect: Found, proxy: Found): readonly TrafficFault[] {
  const mode = option(redirect, "-m");
  const env = proxy.container.env?.find(({ name }) => name === "ISTIO_META_INTERCEPTION_MODE");
  if (mode === undefined || env?.value === undefined || env.value === mode.value) return [];
  const message = `${redirect.container.name} redirects traffic with ${mode.value}, and the proxy expects ${env.value} (ISTIO_META_INTERCEPTION_MODE): use one mode for both`;
  return [{ steps: mode.steps, message }];
}

/** Compares the users of the two containers. Root is left out: with TPROXY, the group shows the proxy's own traffic. */
function userFaults(redirect: Found, proxy: Found): readonly TrafficFault[] {
  const users = option(redirect, "-u");
  const user = proxy.container.securityContext?.runAsUser;
  if (users === undefined || user === undefined || user === 0 || users.value.split(",").includes(String(user)))
    return [];
  const message = `the proxy runs as user ${user}, and ${redirect.container.name} leaves only the traffic of user ${users.value} alone (-u): the proxy's own traffic would come back to it`;
  return [{ steps: [...proxy.steps, "securityContext", "runAsUser"], message }];
}

/** Checks that the ports of the proxy's own probes are not redirected: the kubelet sends them from outside the pod. */
function portFaults(redirect: Found, proxy: Found): readonly TrafficFault[] {
  const [included, excluded] = [option(redirect, "-b"), option(redirect, "-d")];
  const listed = (ports: string | undefined) => (ports ?? "").split(",").map((port) => port.trim());
  const isRedirected = (port: string) =>
    included?.value === "*" ? !listed(excluded?.value).includes(port) : listed(included?.value).includes(port);
  const probed = (["readinessProbe", "startupProbe", "livenessProbe"] as const).flatMap((probe) => {
    const port = proxy.container[probe]?.httpGet?.port;
    return port === undefined ? [] : [[String(port), [...proxy.steps, probe, "httpGet", "port"]] as const];
  });
  return [...new Map(probed)]
    .filter(([port]) => isRedirected(port))
    .map(([port, steps]) => {
      const message = `the proxy is probed on port ${port}, which ${redirect.container.name} redirects: exclude the port (-d), or the pod never becomes ready`;
      // A list of included ports names the port itself.
      return { steps: included === undefined || included.value === "*" ? steps : included.steps, message };
    });
}

function capabilityFaults(redirect: Found, proxy: Found): readonly TrafficFault[] {
  const isOnlyValidating = redirect.container.args?.includes("--run-validation") === true;
  const mode = option(redirect, "-m")?.value;
  return [
    ...(isOnlyValidating ? [] : missing(redirect, ["NET_ADMIN", "NET_RAW"], "to redirect traffic")),
    ...(mode === "TPROXY" ? missing(proxy, ["NET_ADMIN"], "for TPROXY") : []),
  ];
}

function missing({ container, steps }: Found, needed: readonly string[], why: string): readonly TrafficFault[] {
  const { privileged, capabilities } = container.securityContext ?? {};
  const added = capabilities?.add ?? [];
  if (privileged === true || added.includes("ALL")) return [];
  const lacks = needed.filter((name) => !added.includes(name) && !added.includes(`CAP_${name}`));
  if (lacks.length === 0) return [];
  const message = `${container.name} needs ${lacks.join(" and ")} ${why}: add ${lacks.length === 1 ? "it" : "them"} to its capabilities`;
  return [{ steps: [...steps, "securityContext", "capabilities"], message }];
}
