// What an API server writes into an injected pod besides defaults of a field: settings that repeat defaults of the author's containers,
// and the profile that an annotation asks for. Injected before it is stored, a pod lacks them; both mean the same.

import { isObject, type JsonObject, jsonEqual, parseJson } from "@outrigger/base";
import { type Container, keepStoredForm, type Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import { editContainer, findContainerInPod } from "../pod-edit.ts";

type EnvVar = NonNullable<Container["env"]>[number];

const REPEATED: readonly string[] = ["ISTIO_META_POD_PORTS", "ISTIO_KUBE_APP_PROBERS"];

/** The pod with these settings as the stored pod has them, where they mean the same. */
export function keepStoredSettings(pod: Pod, stored: Pod): Pod {
  return withRepeated(withProfiles(pod, stored), stored);
}

const PROFILE = "container.apparmor.security.beta.kubernetes.io/";

/** An API server copies the annotation of a container, which is older than the field, into the field. */
function withProfiles(pod: Pod, stored: Pod): Pod {
  const annotations = pod.metadata?.annotations ?? {};
  const names = Object.values(containerNames).filter((name) => annotations[PROFILE + name]);
  return names.reduce(
    (edited, name) =>
      editContainer(edited, name, (container) => {
        const appArmorProfile = findContainerInPod(stored, name)?.securityContext?.appArmorProfile;
        const securityContext = { appArmorProfile, ...container.securityContext };
        return appArmorProfile ? { ...container, securityContext } : container;
      }),
    pod,
  );
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
