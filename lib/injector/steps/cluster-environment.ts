// The step that sets environment variables of the proxy that come from the URL path, the mesh's values or the pod's labels.

import type { Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { editContainer } from "../pod-edit.ts";

/** The step for environment variables. It changes the injected proxy only, so it goes away with it. */
export const clusterEnvironment: InjectionStep = { apply: setClusterEnvironment };

/** Removes the variables from their place and appends them in name order, as the reference does. */
function setClusterEnvironment(pod: Pod, { environment }: RenderedInjection): Pod {
  const names = Object.keys(environment).sort();
  if (names.length === 0) return pod;
  return editContainer(pod, containerNames.proxy, (proxy) => {
    const others = (proxy.env ?? []).filter((entry) => !Object.hasOwn(environment, entry.name));
    return { ...proxy, env: [...others, ...names.map((name) => ({ name, value: environment[name] }))] };
  });
}
