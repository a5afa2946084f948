// Probes and lifecycle hooks of the application go through the proxy's agent: kubelet calls the agent, and the agent,
// which has the author's probes in its environment, calls the application from inside the mesh.

import { entryOf, isObject, metadataKeys, parseGoBoolean } from "@outrigger/base";
import type { Container, Pod, Probe } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { editContainers, hasProxy } from "../pod-edit.ts";
import type { EarlierInjection } from "../undo/earlier-injection.ts";
import { agentSettings, withAgentSettings, withoutAgentSettings } from "./agent-settings.ts";

export const appProbes: InjectionStep = {
  apply: rewriteAppProbes,
  undo: (pod, earlier) => withoutAgentSettings(restoreAppProbes(pod, earlier), proberVariable),
};

/** The agent's variable that holds the author's probes, as JSON: path at the agent → probe. */
export const proberVariable = "ISTIO_KUBE_APP_PROBERS";

type Handler = Pick<Probe, "httpGet" | "tcpSocket" | "grpc" | "timeoutSeconds">;

/**
 * Fields that hold a handler, and the end of the path under which the agent serves it: `/app-health/<container>/readyz`. In the order
 * of a record's notes.
 */
const PROBES = [
  ["livenessProbe", "livez"],
  ["readinessProbe", "readyz"],
  ["startupProbe", "startupz"],
] as const;

const HOOKS = [
  ["postStart", "poststartz"],
  ["preStop", "prestopz"],
] as const;

/** The fields of a container that rewriting changes. */
export const rewrittenFields: ReadonlySet<string> = new Set(["lifecycle", ...PROBES.map(([field]) => field)]);

/** Rewrites HTTP, TCP and gRPC probes and HTTP and TCP hooks of every container but the proxy. */
function rewriteAppProbes(pod: Pod, { injector }: RenderedInjection): Pod {
  if (!hasProxy(pod)) return pod;
  const annotations = pod.metadata?.annotations ?? {};
  if (!(parseGoBoolean(annotations[metadataKeys.rewriteProbes]) ?? injector.settings.rewriteProbes)) return pod;
  const meshPort = injector.meshConfig.defaultConfig.statusPort;
  const statusPort = Number.parseInt(annotations[metadataKeys.statusPort] ?? String(meshPort), 10);
  // Port 0 turns the agent's server off: nothing would answer the probes.
  if (statusPort === 0 && injector.config.compatibility === undefined) return pod;
  const probers: [path: string, prober: object][] = [];
  const rewritten = editAppHandlers(pod, (handler, path, container, field) => {
    const prober = agentHandler(handler, path, container, meshPort);
    const timeoutSeconds = field.startsWith(LIFECYCLE) ? undefined : handler.timeoutSeconds;
    if (prober !== undefined) probers.push([path, timeoutSeconds ? { ...prober, timeoutSeconds } : prober]);
    return throughAgent(handler, path, statusPort);
  });
  if (probers.length === 0) return rewritten;
  // Sorted by path, so that the text does not depend on the order of containers.
  probers.sort(([a], [b]) => (a < b ? -1 : 1));
  return withAgentSettings(rewritten, proberVariable, Object.fromEntries(probers));
}

/**
 * Restores the author's probes from the agent's environment, which keeps them. A named port comes back as its number, unless it is the
 * agent's own port: there only a name is rewritten.
 */
function restoreAppProbes(pod: Pod, { meshStatusPort }: Pick<EarlierInjection, "meshStatusPort">): Pod {
  const probers = agentSettings(pod, proberVariable);
  return editAppHandlers(pod, (handler, path, container) => {
    const prober = entryOf(probers, path);
    if (handler.httpGet?.path !== path || !isObject(prober)) return handler;
    const { httpGet: _, ...others } = handler;
    const { timeoutSeconds: __, ...original } = prober;
    return withPortName({ ...others, ...original }, container, meshStatusPort);
  });
}

/**
 * Returns the ports of an author's container that lose their names when its rewriting is undone, as in the notes of a record:
 * `livenessProbe/httpGet/port="http"`. It is undefined where more may not come back: of what the agent cannot serve, and of its own port.
 *
 * @param container the only one of its name in the pod, because the agent keeps probes by names
 */
export function portNamesLost(container: Container, meshPort: number): readonly string[] | undefined {
  let lost: string[] | undefined = [];
  editHandlers(container, (handler, path, _, field) => {
    const key = actionOf(handler);
    const port = handler[key]?.port;
    const kept = agentHandler(handler, path, container, meshPort)?.[key]?.port;
    if (handler[key] && (kept === undefined || kept === meshPort)) lost = undefined;
    else if (kept !== port) lost?.push(`${field}/${key}/port=${JSON.stringify(port)}`);
    return handler;
  });
  return lost;
}

function withPortName(handler: Handler, { ports }: Container, statusPort: number): Handler {
  const key = actionOf(handler);
  if (handler[key]?.port !== statusPort) return handler;
  const port = ports?.findLast(({ name, containerPort }) => name && containerPort === statusPort)?.name;
  return port === undefined ? handler : { ...handler, [key]: { ...handler[key], port } };
}

/** The handler with named ports resolved; undefined if the agent cannot serve it, or serves it already. */
function agentHandler(handler: Handler, path: string, { ports }: Container, meshPort: number): Handler | undefined {
  // One that points at the agent already: an earlier injection rewrote it and recorded no more about it.
  if (handler.httpGet?.path === path) return undefined;
  const key = actionOf(handler);
  const action = handler[key];
  if (!action) return handler.grpc ? { grpc: handler.grpc } : undefined;
  if (typeof action.port !== "string") return action.port === meshPort ? undefined : { [key]: action };
  const port = ports?.findLast(({ name }) => name !== undefined && name !== "" && name === action.port);
  return port === undefined ? undefined : { [key]: { ...action, port: port.containerPort } };
}

/** The action of a handler that has a port of the container, by number or name. */
function actionOf({ httpGet }: Handler): "httpGet" | "tcpSocket" {
  return httpGet ? "httpGet" : "tcpSocket";
}

/** Gets the field of the handler in its container: `livenessProbe`, `lifecycle/preStop`. */
type Rewrite = (handler: Handler, path: string, container: Container, field: string) => Handler;

const LIFECYCLE = "lifecycle/";

function editAppHandlers(pod: Pod, rewrite: Rewrite): Pod {
  const edit = (containers: readonly Container[]) =>
    containers.map((container) =>
      container.name === containerNames.proxy ? container : editHandlers(container, rewrite),
    );
  return editContainers(editContainers(pod, "initContainers", edit), "containers", edit);
}

function editHandlers(container: Container, rewrite: Rewrite): Container {
  const { name, lifecycle } = container;
  const edited =
    lifecycle &&
    withHandlers(lifecycle, HOOKS, (handler, end, field) =>
      rewrite(handler, `/app-lifecycle/${name}/${end}`, container, LIFECYCLE + field),
    );
  const probed = withHandlers(container, PROBES, (handler, end, field) =>
    rewrite(handler, `/app-health/${name}/${end}`, container, field),
  );
  return edited === lifecycle ? probed : { ...probed, lifecycle: edited };
}

function withHandlers<T extends object>(
  holder: T,
  places: readonly (readonly [keyof T & string, string])[],
  edit: (handler: Handler, end: string, field: string) => Handler,
): T {
  let edited = holder;
  for (const [key, end] of places) {
    const handler = holder[key] as Handler | undefined;
    const after = handler && edit(handler, end, key);
    if (after !== handler) edited = { ...edited, [key]: after };
  }
  return edited;
}

function throughAgent(handler: Handler, path: string, statusPort: number): Handler {
  const { httpGet } = handler;
  if (httpGet) {
    const scheme = httpGet.scheme === "HTTPS" ? { scheme: "HTTP" } : {};
    return { ...handler, httpGet: { ...httpGet, ...scheme, path, port: statusPort } };
  }
  const action: Handler["httpGet"] = { path, port: statusPort };
  const { httpGet: _, tcpSocket, grpc, ...others } = handler;
  if (tcpSocket) return { ...others, ...(grpc && { grpc }), httpGet: action };
  // Only probes have gRPC: the API has no such hook.
  return grpc ? { ...others, httpGet: action } : handler;
}
