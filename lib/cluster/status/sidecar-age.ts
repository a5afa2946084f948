// Comparing the sidecar of a running pod with the one that the served release would inject now. Pure.
import { type JsonObject, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Injector, InjectRequest } from "@outrigger/injector";
import { containerNames, decodePod, injectPod, readStatus } from "@outrigger/injector";
import type { Container, Pod } from "@outrigger/pod";

/** With what pods are injected. */
export interface Injection {
  readonly injector: Injector;
  readonly settings: NonNullable<InjectRequest["cluster"]>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** How a running pod's sidecar compares with the one that would be injected now. */
export interface SidecarAge {
  readonly kind: "current" | "proxy" | "release";
  /** Of the proxy, or of the first container that was injected. */
  readonly image: string;
  /** What would be injected now. */
  readonly currentImage: string;
}

/**
 * Compares the containers that an injection added with those that the release would add to the same pod. What an API server or
 * another webhook has added to them does not count: images, commands, arguments and variables do.
 *
 * @returns undefined where the pod is not injected, or the release would not inject it
 */
export function sidecarAge(object: JsonObject, { injector, settings, parameters }: Injection): SidecarAge | undefined {
  const pod = decodePod(object, "encoded");
  const status = readStatus(pod);
  if (status === undefined) return undefined;
  const names = [...status.initContainers, ...status.containers];
  const next = injected(pod, { injector, settings, parameters });
  if (next === undefined) return undefined;
  const pairs = names.flatMap((name) => {
    const [running, current] = [containerOf(pod, name), containerOf(next, name)];
    return running === undefined ? [] : [{ name, running, current }];
  });
  const main = pairs.find(({ name }) => name === containerNames.proxy) ?? pairs[0];
  const images = { image: main?.running.image ?? "", currentImage: main?.current?.image ?? "" };
  if (pairs.some(({ running, current }) => running.image !== current?.image)) return { kind: "proxy", ...images };
  const isSame = pairs.every(({ running, current }) =>
    FIELDS.every((field) => jsonEqual(running[field] ?? [], current?.[field] ?? [])),
  );
  return { kind: isSame ? "current" : "release", ...images };
}

const FIELDS = ["command", "args", "env"] as const;

function injected(pod: Pod, { injector, settings, parameters }: Injection): Pod | undefined {
  try {
    const request = { pod, namespace: pod.metadata?.namespace ?? "", parameters, cluster: settings };
    const result = injectPod(injector, request);
    return result.injected ? result.pod : undefined;
  } catch (error) {
    // What the release refuses to inject has another check.
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function containerOf({ spec }: Pod, name: string): Container | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((container) => container.name === name);
}
