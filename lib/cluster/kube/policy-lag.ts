// The order in which an API server learns of changes: it reads policies anew each second, and webhook configurations at once. A webhook that
// is changed or goes right after the net that rejects pods without it would leave the net alone for that second. Here it waits.
import { type JsonObject, listOf, objectOf } from "@outrigger/base";
import type { KubeClient } from "./kube-client.ts";

/** Milliseconds after which every API server of a cluster acts by the policies that it has. */
const LAG = 2000;

const POLICY = /\/validatingadmissionpolic(ies|ybindings)\//;
const WEBHOOK = /\/mutatingwebhookconfigurations\//;

/**
 * A client that takes a webhook away from pods only when a net that was relaxed before rejects none any more. Merge patches do not wait:
 * they leave the pods that are sent as they are.
 */
export function withPolicyLag(kube: KubeClient, sleep: (milliseconds: number) => Promise<void>): KubeClient {
  let relaxed = Number.NEGATIVE_INFINITY;
  const settled = async (path: string) => {
    const left = relaxed + LAG - Date.now();
    if (WEBHOOK.test(path) && left > 0) await sleep(left);
  };
  /** What gets no answer may have happened. */
  const relaxing = async <Answer>(isRelaxing: boolean, call: Promise<Answer>): Promise<Answer> => {
    try {
      return await call;
    } finally {
      if (isRelaxing) relaxed = Date.now();
    }
  };
  const relaxes = (path: string, { spec }: JsonObject) => {
    const { validationActions } = objectOf(spec);
    return POLICY.test(path) && validationActions !== undefined && !listOf(validationActions).includes("Deny");
  };
  return {
    ...kube,
    async apply(path, object, options) {
      await settled(path);
      return kube.apply(path, object, options);
    },
    async replace(path, object) {
      await settled(path);
      return relaxing(relaxes(path, object), kube.replace(path, object));
    },
    mergePatch: (path, patch, options) => relaxing(relaxes(path, patch), kube.mergePatch(path, patch, options)),
    async remove(path, resourceVersion) {
      await settled(path);
      return relaxing(POLICY.test(path), kube.remove(path, resourceVersion));
    },
    patient: (patience) => withPolicyLag(kube.patient(patience), sleep),
  };
}
