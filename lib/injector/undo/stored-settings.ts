// What an API server writes into an injected pod besides defaults of a field: settings that repeat defaults of the author's containers,
// and what its admission plugins add. Injected before it is stored, a pod lacks them; both mean the same.

import { isObject, type JsonObject, jsonEqual, parseJson } from "@outrigger/base";
import { type Container, keepStoredForm, type Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import {
  type ContainerList,
  editContainer,
  editContainers,
  findContainer,
  findContainerInPod,
  withSpec,
} from "../pod-edit.ts";

type EnvVar = NonNullable<Container["env"]>[number];

const REPEATED: readonly string[] = ["ISTIO_META_POD_PORTS", "ISTIO_KUBE_APP_PROBERS"];

/** The pod with these settings as the stored pod has them, where they mean the same. */
export function keepStoredSettings(pod: Pod, stored: Pod): Pod {
  const profiled = withProfiles(withProfiles(pod, stored, "containers"), stored, "initContainers");
  return withRepeated(withTolerations(profiled, stored), stored);
}

const PROFILE = "container.apparmor.security.beta.kubernetes.io/";

/** An API server copies the annotation of a container, which is older than the field, into the field. */
function withProfiles(pod: Pod, stored: Pod, list: ContainerList): Pod {
  return editContainers(pod, list, (containers) =>
    containers.map((container) => {
      const { name, securityContext } = container;
      const profile = findContainer(stored.spec?.[list], name)?.securityContext?.appArmorProfile;
      const isCopy = profile && !securityContext?.appArmorProfile && pod.metadata?.annotations?.[PROFILE + name];
      return isCopy ? { ...container, securityContext: { ...securityContext, appArmorProfile: profile } } : container;
    }),
  );
}

const TOLERATED = /^node\.kubernetes\.io\/(not-ready|unreachable)$/;

/** An API server adds tolerations of a node that is away to a list that has none, also to one that a template wrote. */
function withTolerations(pod: Pod, { spec: { tolerations: stored = [] } = { containers: [] } }: Pod): Pod {
  const { tolerations } = pod.spec ?? {};
  if (tolerations === undefined || stored.length <= tolerations.length) return pod;
  const isAdded = stored.slice(tolerations.length).every(({ key }) => TOLERATED.test(key ?? ""));
  const isKept = jsonEqual(stored.slice(0, tolerations.length), tolerations);
  return isAdded && isKept ? withSpec(pod, { tolerations: stored }) : pod;
}

function withRepeated(pod: Pod, stored: Pod): Pod {
  const before = findContainerInPod(stored, containerNames.proxy)?.env ?? [];
  const kept = (variable: EnvVar): EnvVar => {
    const { name, value } = variable;
    const other = REPEATED.includes(name) ? before.find((each) => each.name === name) : undefined;
    if (value === undefined || other?.value === undefined || other.value === value) return variable;
    return isSame(other.value, value) ? other : variable;
  };
  return editContainer(pod, containerNames.proxy, (proxy) =>
    proxy.env === undefined ? proxy : { ...proxy, env: proxy.env.map(kept) },
  );
}

/** Whether nothing but defaults is in the second text that the first has not. */
function isSame(first: string, second: string): boolean {
  const [written, repeated] = [first, second].map(partsIn);
  if (written === undefined || repeated === undefined) return false;
  return jsonEqual(keepStoredForm(written, repeated), repeated);
}

/** A pod with the ports, or with the probes, that a text lists. */
function partsIn(text: string): JsonObject | undefined {
  const parts = parseJson(text);
  if (Array.isArray(parts)) return { spec: { containers: [{ name: "", ports: parts }] } };
  if (!isObject(parts)) return undefined;
  return { spec: { containers: Object.entries(parts).map(([name, livenessProbe]) => ({ name, livenessProbe })) } };
}
