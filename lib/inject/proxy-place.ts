// Where among the containers an author's own proxy container stood. Injection moves it, and some of what it renders
// depends on the order; but the proxy that came of it still says what the order was.

import { jsonEqual } from "../json.ts";
import type { Container, Pod } from "../kube/pod-types.ts";
import { strategicMerge } from "../kube/strategic-merge.ts";
import { containerNames } from "./keys.ts";

export interface Traces {
  /** The proxy as the earlier injection left it. */
  readonly proxy: Container | undefined;
  /** The names of all containers, in the order in which it left them. */
  readonly found: readonly string[];
  /** The names that it said it had rendered, in the order in which it had. */
  readonly rendered: readonly string[];
}

/**
 * The author's containers in the order that left these traces; where they do not tell, the proxy comes last.
 */
export function withProxyInPlace(
  containers: readonly Container[],
  { proxy: injected, found, rendered }: Traces,
): readonly Container[] {
  const proxy = containers.find(({ name }) => name === containerNames.proxy);
  if (proxy === undefined || injected === undefined || containers.length === 1) return containers;
  const others = containers.filter((container) => container !== proxy);
  const ports = portsOf(injected);
  const first = firstContainerOf(injected);
  for (let place = others.length; place >= 0; place--) {
    const ordered = others.toSpliced(place, 0, proxy);
    const fitsPorts =
      ports === undefined
        ? isInOrder(ordered, rendered)
        : jsonEqual(ports, ordered.flatMap((container) => container.ports ?? []));
    const fitsFirst = first === undefined || ordered[0]?.name === first;
    if (fitsPorts && fitsFirst && mergesInto(found, ordered, rendered)) return ordered;
  }
  return [...others, proxy];
}

/** Where a merge puts a rendered container depends on where the others stand. */
function mergesInto(found: readonly string[], containers: readonly Container[], rendered: readonly string[]): boolean {
  const podOf = (names: readonly string[]): Pod => ({ spec: { containers: names.map((name) => ({ name })) } });
  const merged = strategicMerge(podOf(containers.map(({ name }) => name)), podOf(rendered)).spec?.containers ?? [];
  const others = found.filter((name) => name !== containerNames.proxy);
  return jsonEqual(others, merged.map(({ name }) => name).filter((name) => name !== containerNames.proxy));
}

function isInOrder(containers: readonly Container[], rendered: readonly string[]): boolean {
  const places = containers.map(({ name }) => rendered.indexOf(name)).filter((place) => place >= 0);
  return places.every((place, index) => index === 0 || place > (places[index - 1] as number));
}

function portsOf(injected: Container): unknown {
  const text = valueOf(injected, "ISTIO_META_POD_PORTS");
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `service.instance.id` names the first container, unless an annotation gives it. */
function firstContainerOf(injected: Container): string | undefined {
  return /\.\$\(POD_NAME\)\.([^,]+)/.exec(valueOf(injected, "OTEL_RESOURCE_ATTRIBUTES") ?? "")?.[1];
}

function valueOf(container: Container, variable: string): string | undefined {
  return container.env?.find(({ name }) => name === variable)?.value;
}
