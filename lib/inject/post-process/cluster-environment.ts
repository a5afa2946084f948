// The proxy's environment variables that the URL path, the mesh's values or the pod's labels decide.

import type { Pod } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";
import { containerNames } from "../keys.ts";
import { editContainer } from "../pod-edit.ts";

/** Takes the variables out where they stand and appends them in name order, as the reference does. */
export function setClusterEnvironment(pod: Pod, { environment }: Injection): Pod {
  const names = Object.keys(environment).sort();
  if (names.length === 0) return pod;
  return editContainer(pod, containerNames.proxy, (proxy) => {
    const others = (proxy.env ?? []).filter((entry) => !Object.hasOwn(environment, entry.name));
    return { ...proxy, env: [...others, ...names.map((name) => ({ name, value: environment[name] }))] };
  });
}
