// Settings that the proxy's agent reads from its environment as JSON: how the application was reachable before an
// injection pointed others at the agent. They are also the record from which an injection is undone.

import { objectOf, parseJson } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import { editContainer, findContainerInPod } from "../pod-edit.ts";

type Settings = Readonly<Record<string, unknown>>;

export function withAgentSettings(pod: Pod, variable: string, settings: Settings): Pod {
  const entry = { name: variable, value: JSON.stringify(settings) };
  written.set(entry, settings);
  return editContainer(pod, containerNames.proxy, (proxy) => ({ ...proxy, env: [...(proxy.env ?? []), entry] }));
}

/**
 * The settings of variables that this process has written, which it does not parse to read them back. What of them was the author's is
 * the author's node again, so a comparison with the author's pod ends there.
 */
const written = new WeakMap<object, Settings>();

/** The settings of a proxy that has none of the name. */
export const noSettings: Settings = {};

/** The settings in the pod's proxy. Injection appends, so the last variable of the name counts. */
export function agentSettings(pod: Pod, variable: string): Settings {
  const proxy = findContainerInPod(pod, containerNames.proxy);
  const entry = proxy?.env?.findLast(({ name }) => name === variable);
  if (entry?.value === undefined) return noSettings;
  return written.get(entry) ?? objectOf(parseJson(entry.value));
}

/** The pod without the variable, for a proxy that stays in the pod: the next injection sets it again. */
export function withoutAgentSettings(pod: Pod, variable: string): Pod {
  return editContainer(pod, containerNames.proxy, (proxy) => {
    const env = proxy.env?.filter(({ name }) => name !== variable);
    if (env === undefined || env.length === proxy.env?.length) return proxy;
    if (env.length > 0) return { ...proxy, env };
    const { env: _, ...others } = proxy;
    return others;
  });
}
