// The target about what a function remembers: pods that are nearly those that it has seen get the answer that a function without
// a past gives.

import { isObject, type JsonObject, OutriggerError } from "@outrigger/base";
import { type InjectRequest, injectPod, loadRelease, type Release, rememberInjections } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { pick, type Random } from "../../test/support/random.ts";
import { below, damaged } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { podOf } from "./pods.ts";

/** Requests of an input. */
const REQUESTS = 20;
/** Controllers of all inputs: what is remembered of one meets the pods of another. */
const CONTROLLERS = 500;
/** The number of inputs that are compared with one release that was loaded again: loading takes as long as twenty requests. */
const FRESH = 25;

const TOKENS = ["aaaaa", "bbbbb", "ccccc", "ddddd"].map((end) => `kube-api-access-${end}`);
const NAMESPACES = ["shop", "shop", "shop", "other"];
const PARAMETERS = [{}, {}, {}, { ISTIO_META_NETWORK: "n2" }, { A: "1", B: "2" }, { B: "2", A: "1" }];

type Sent = Pick<InjectRequest, "namespace" | "parameters"> & { readonly pod: JsonObject };

/** Returns a target that runs only if it is named: an input is as long as twenty of another target. */
export function warmTarget(release: Release): FuzzTarget {
  const warm = loadRelease(release);
  const remember = rememberInjections(injectPod);
  let fresh = warm;
  let inputs = 0;
  return {
    name: "warm",
    share: 0,
    make: (random) => requestsOf(random),
    faultOf: async (input) => {
      if (inputs % FRESH === 0) fresh = loadRelease(release);
      inputs += 1;
      for (const [at, request] of (input as readonly Sent[]).entries()) {
        const asked = { ...request, pod: request.pod as Pod };
        const remembered = outcomeOf(() => remember(warm, asked));
        const again = outcomeOf(() => injectPod(fresh, asked));
        if (remembered !== again)
          return `request ${at + 1} of ${REQUESTS} is answered otherwise than by a fresh release`;
      }
      return undefined;
    },
  };
}

function requestsOf(random: Random): readonly Sent[] {
  const uid = `u-${below(random, CONTROLLERS)}`;
  const pod = ofController(podOf(random), uid);
  // The same but for one place, anywhere in it.
  const changed = damaged(pod, random);
  const twin = isObject(changed) ? changed : pod;
  return Array.from({ length: REQUESTS }, () => {
    const made = withToken(random() < 0.85 ? pod : twin, pick(random, TOKENS));
    return { pod: made, namespace: pick(random, NAMESPACES), parameters: pick(random, PARAMETERS) };
  });
}

/** Returns the answer as text, because the order of a patch's fields counts. */
function outcomeOf(inject: () => ReturnType<ReturnType<typeof rememberInjections>>): string {
  try {
    const answer = inject();
    if (!answer.injected) return JSON.stringify([answer.reason, answer.message]);
    const { reason, patchText, templates, warnings } = answer;
    return JSON.stringify([reason, patchText, templates, warnings]);
  } catch (error) {
    return error instanceof OutriggerError ? `${error.code} ${error.path} ${error.message}` : String(error);
  }
}

function ofController(pod: JsonObject, uid: string): JsonObject {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-6d4cf56db6", uid, controller: true };
  const metadata = { ...(pod["metadata"] as JsonObject), generateName: "web-6d4cf56db6-", ownerReferences: [owner] };
  return { ...pod, metadata };
}

/** Returns the pod with a token as the ServiceAccount plugin adds it, before webhooks run. */
function withToken(pod: JsonObject, name: string): JsonObject {
  const { spec } = pod as Pod;
  if (!Array.isArray(spec?.containers)) return pod;
  const volumes = [...(Array.isArray(spec.volumes) ? spec.volumes : []), { name, projected: { sources: [] } }];
  const mount = { name, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true };
  const containers = spec.containers.map((each) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? { ...each, volumeMounts: [...(Array.isArray(each.volumeMounts) ? each.volumeMounts : []), mount] }
      : each,
  );
  return { ...pod, spec: { ...(spec as JsonObject), volumes, containers } } as JsonObject;
}
