// Settings that the proxy's agent reads from its environment as JSON: how the application was reachable before an
// injection pointed others at the agent. They are also the record from which an injection is undone.

import { memoize, objectOf, parseJson } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import { editContainer, findContainerInPod } from "../pod-edit.ts";

export function withAgentSettings(pod: Pod, variable: string, settings: object): Pod {
  return editContainer(pod, containerNames.proxy, (proxy) => ({
    ...proxy,
    env: [...(proxy.env ?? []), { name: variable, value: JSON.stringify(settings) }],
  }));
}

/** The settings in the pod's proxy. Injection appends, so the last variable of the name counts. */
export function agentSettings(pod: Pod, variable: string): Readonly<Record<string, unknown>> {
  const proxy = findContainerInPod(pod, containerNames.proxy);
  return readSettings(proxy?.env?.findLast((entry) => entry.name === variable)?.value ?? "");
}

/** Many pods of a release have the same settings, and each is asked for them twice. */
const readSettings = memoize((text) => objectOf(parseJson(text)));

/** The pod without the variable, for a proxy that stays in the pod: the next injection sets it again. */
export function withoutAgentSettings(pod: Pod, variable: string): Pod {
  return editContainer(pod, containerNames.proxy, (proxy) => {
    const env = proxy.env?.filter(({ name }) => name !== variable);
    return env?.length === proxy.env?.length ? proxy : { ...proxy, env: env?.length ? env : undefined };
  });
}
