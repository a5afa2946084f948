// Why an API server admits no pod, as it says it: webhooks, policies, quotas, Pod Security and the others are distinguished by
// Kubernetes' own wording only, because a Status has no field for it. Pure.

export interface Rejection {
  readonly cause: RejectionCause;
  /** As the API server words it. */
  readonly message: string;
  readonly remediation: string;
}

/** Who says no: ours are the webhook that injects and the safety net. */
export type RejectionCause = (typeof RULES)[number][0] | "other";

const OWN = "\\.sidecar-injector\\.outrigger";
const PROBLEM_OF_OWN = `failed calling webhook "[^"]*${OWN}"[\\s\\S]*`;

/** The first that matches counts: the cause, and what to do, with NAMESPACE for the pod's. */
const RULES = [
  [
    "own-certificate",
    new RegExp(`${PROBLEM_OF_OWN}(x509|certificate)`),
    "register with the authority that signed the endpoint's certificate: outrigger register --ca-file FILE",
  ],
  [
    "own-token",
    new RegExp(`${PROBLEM_OF_OWN}(could not find the requested resource|status 404|code 404)`),
    "the deployment does not know the webhook's token: outrigger register; in an emergency, outrigger off",
  ],
  [
    "own-webhook",
    new RegExp(PROBLEM_OF_OWN),
    "the control plane gets no answer from the webhook: outrigger check; in an emergency, outrigger off",
  ],
  [
    "own-denial",
    new RegExp(`admission webhook "[^"]*${OWN}" denied the request`),
    "the templates or the guardrails refuse the pod: change what the message names, or publish a corrected tree",
  ],
  [
    "safety-net",
    /ValidatingAdmissionPolicy 'outrigger-[^']*' with binding '[^']*' denied request/,
    "the pod got no sidecar, and the safety net rejects it: outrigger check finds why; in an emergency, outrigger off",
  ],
  [
    "missing-service",
    /failed calling webhook[\s\S]*(service "[^"]*" not found|no endpoints available for service)/,
    "start the service of that webhook, or delete its configuration: kubectl get mutatingwebhookconfiguration,validatingwebhookconfiguration",
  ],
  [
    "other-webhook",
    /failed calling webhook|admission webhook "[^"]*" denied the request/,
    "another webhook rejects the pod: do what its message says, or exclude the namespace in its configuration",
  ],
  [
    "other-policy",
    /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/,
    "a policy of the cluster rejects the pod with its sidecar: exempt the namespace, or change the sidecar in the templates",
  ],
  [
    "quota",
    /exceeded quota:/,
    "raise the quota, or lower the sidecar's requests (sidecar.istio.io/proxyCPU, proxyMemory): kubectl describe quota -n NAMESPACE",
  ],
  [
    "quota-needs-resources",
    /failed quota: [^:]*: must specify/,
    "give every container what the quota counts, the sidecar by global.proxy.resources: kubectl describe quota -n NAMESPACE",
  ],
  [
    "limit-range",
    /(maximum|minimum) \w+ usage per|max limit to request ratio per/,
    "change the LimitRange or the sidecar's resources (global.proxy.resources): kubectl describe limitrange -n NAMESPACE",
  ],
  [
    "pod-security",
    /violates PodSecurity/,
    "use Istio's CNI plugin, which needs no NET_ADMIN (pilot.cni.enabled in the values), or allow it: kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged --overwrite",
  ],
  [
    "service-account",
    /error looking up service account/,
    "make the service account: kubectl create serviceaccount NAME -n NAMESPACE",
  ],
  [
    "invalid-pod",
    /\bis invalid: /,
    "the pod is not valid as the API server gets it: correct the field that is named, in the workload or with outrigger lint in the templates",
  ],
] as const;

/** @param message of the Status, of a condition or of an event */
export function readRejection(message: string, { namespace }: { readonly namespace: string }): Rejection {
  const [cause, , remedy] = RULES.find(([, pattern]) => pattern.test(message)) ?? OTHER;
  return { cause, message, remediation: remedy.replaceAll("NAMESPACE", () => namespace) };
}

const OTHER = ["other", /^/, "do what the API server's message says"] as const;

/** A webhook of others that has effects cannot be asked: its configuration says so, and the API server refuses the dry run. */
export function refusesDryRuns(message: string): boolean {
  return /does not support dry run/.test(message);
}
