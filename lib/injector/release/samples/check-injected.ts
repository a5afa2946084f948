// Whether an API server accepts the pod that an injection makes of a sample, and which overlay wrote what it rejects.

import { type FieldPath, isObject, type JsonValue, jsonEqual, listOf, objectOf, valueAt } from "@outrigger/base";
import { type Container, POD_TYPE, type Pod, type PodViolation, type TypeSchema, validateChange } from "@outrigger/pod";
import { containerNames } from "../../data-plane.ts";
import type { Rendering } from "../blame/blame-field.ts";

export interface InjectedFault {
  /** The rendering that wrote the field; undefined if post-processing or the pod itself did. */
  readonly from: Rendering | undefined;
  /** Keys and indexes in the overlay, or in the pod where no overlay wrote the field. */
  readonly steps: FieldPath;
  /** What is wrong: half a sentence that starts with a field path of the overlay. */
  readonly reason: string;
  /** The field that the overlay deletes at `steps`, where that is the cause. */
  readonly deletes?: string;
  /** The entry of an overlay that makes a field wrong which no overlay wrote. */
  readonly cause?: { readonly from: Rendering; readonly steps: FieldPath };
  /** Identifies the fault in different combinations of templates. */
  readonly key: string;
}

/** The violations that the injection added; a violation of the sample itself is not one of them. */
export function injectedFaults(pod: Pod, sample: Pod, renderings: readonly Rendering[]): readonly InjectedFault[] {
  const violations = [...validateChange(pod, sample, { isTemplate: true }), ...priorityViolations(sample, renderings)];
  return violations.map((violation) => {
    const [from, steps] = writerOf(violation, pod, renderings);
    return {
      from,
      steps: steps ?? violation.steps,
      reason: `${fieldName(violation, pod)} ${violation.message}`,
      key: JSON.stringify([fieldName(violation, pod), violation.message]),
    };
  });
}

/**
 * The Priority admission plugin sets `priority` before webhooks are called. It runs again after them, and rejects a pod
 * whose priority is not that of its class. Samples do not have the priority that all pods then have.
 */
function priorityViolations(sample: Pod, renderings: readonly Rendering[]): readonly PodViolation[] {
  const specs = renderings.map(({ overlay }) => objectOf(overlay["spec"]));
  const name = specs.findLast((spec) => typeof spec["priorityClassName"] === "string")?.["priorityClassName"];
  if (name === undefined || name === "" || name === sample.spec?.priorityClassName) return [];
  if (specs.some((spec) => typeof spec["priority"] === "number")) return [];
  const message =
    "needs spec.priority with the value of the class: the pod has another priority since before it is injected";
  return [{ path: "spec.priorityClassName", code: "forbidden", message, steps: ["spec", "priorityClassName"] }];
}

/** The last of the renderings that reach deepest towards the field, and the field's steps in it. */
export function writerOf({ steps }: Pick<PodViolation, "steps">, pod: Pod, renderings: readonly Rendering[]) {
  let best: readonly [Rendering | undefined, FieldPath | undefined] = [undefined, undefined];
  for (const rendering of renderings) {
    const found = overlaySteps(rendering.overlay, pod, steps);
    // `spec` and `spec.containers` alone say nothing about who wrote an item.
    if (found.length >= Math.min(2, steps.length) && found.length >= (best[1]?.length ?? 0)) best = [rendering, found];
  }
  const [, found] = best;
  const isItem = steps.some((step) => typeof step === "number");
  const reachesItem = found?.some((step) => typeof step === "number") === true;
  return isItem && !reachesItem ? ([undefined, undefined] as const) : best;
}

/** The steps in the overlay that lead to a field of the merged pod, as far as the overlay has it. */
function overlaySteps(overlay: JsonValue, pod: unknown, steps: FieldPath): FieldPath {
  const found: (string | number)[] = [];
  let [at, merged, type]: [JsonValue | undefined, unknown, TypeSchema | undefined] = [overlay, pod, POD_TYPE];
  let field: ReturnType<TypeSchema["fields"]["get"]>;
  for (const step of steps) {
    const next = valueAt(merged, [step]);
    const own: string | number | undefined =
      typeof step === "number" ? itemStep(listOf(at), step, next, field?.mergeKey) : step;
    if (own === undefined) break;
    const value = valueAt(at, [own]);
    if (value === undefined) break;
    found.push(own);
    field = typeof step === "string" ? type?.fields.get(step) : field;
    type = typeof step === "string" ? (field?.type ?? type?.element) : type?.element;
    [at, merged] = [value, next];
  }
  return found;
}

function itemStep(
  list: readonly JsonValue[],
  index: number,
  item: JsonValue | undefined,
  mergeKey: string | undefined,
) {
  if (mergeKey === undefined) return index < list.length ? index : undefined;
  const key = isObject(item) ? item[mergeKey] : undefined;
  const found = list.flatMap((own, at) => (isObject(own) && own[mergeKey] === key ? [at] : []));
  // Two of one key: the one that is the same in all fields.
  return found.find((at) => found.length > 1 && jsonEqual(list[at], item)) ?? found[0];
}

/** `spec.containers[agent].ports[0].containerPort`: items go by their name, because indexes differ between pods. */
function fieldName({ steps }: PodViolation, pod: Pod): string {
  let at: unknown = pod;
  let name = "";
  for (const step of steps) {
    at = valueAt(at, [step]);
    if (typeof step === "string")
      name += name === "" ? step : /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    else name += `[${(isObject(at) && typeof at["name"] === "string" && at["name"]) || step}]`;
  }
  return name;
}

// What must agree in an injected pod for traffic to pass: istio-init redirects it by port, user and mode, and the proxy
// listens as another user, on other ports, in a mode of its own. An API server takes any of it; the pod never gets ready,
// or its traffic goes in circles.

type TrafficFault = { readonly steps: FieldPath; readonly message: string };

type Found = { readonly container: Container; readonly steps: FieldPath };

/**
 * Where the container that redirects traffic and the proxy do not agree.
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

/** Root is not listed: with TPROXY, it is the group that shows the proxy's own traffic. */
function userFaults(redirect: Found, proxy: Found): readonly TrafficFault[] {
  const users = option(redirect, "-u");
  const user = proxy.container.securityContext?.runAsUser;
  if (users === undefined || user === undefined || user === 0 || users.value.split(",").includes(String(user)))
    return [];
  const message = `the proxy runs as user ${user}, and ${redirect.container.name} leaves only the traffic of user ${users.value} alone (-u): the proxy's own traffic would come back to it`;
  return [{ steps: [...proxy.steps, "securityContext", "runAsUser"], message }];
}

/** The kubelet's probes of the proxy come from outside the pod: the port must not be redirected. */
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
