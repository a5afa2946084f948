// Why an API server admits no pod, as it says it: webhooks, policies, quotas, Pod Security and the others are distinguished by
// Kubernetes' own wording only, because a Status has no field for it. Pure.

export interface Rejection {
  readonly cause: RejectionCause;
  /** The message of the API server, as it is. */
  readonly message: string;
  readonly remediation: string;
}

/** The component that rejected the pod. Ours are the webhook that injects and the safety net. */
export type RejectionCause = keyof typeof RULES;

const OWN = "\\.sidecar-injector\\.outrigger";
const PROBLEM_OF_OWN = `failed calling webhook "[^"]*${OWN}"[\\s\\S]*`;

/**
 * The first that matches counts: the cause, and what to do, with NAMESPACE for the pod's, and ACCOUNT for the name that the pattern of
 * service accounts finds.
 */
const RULES = {
  "own-certificate": {
    pattern: new RegExp(`${PROBLEM_OF_OWN}(x509|certificate)`),
    remedy: "register with the authority that signed the endpoint's certificate: outrigger register --ca-file FILE",
  },
  "own-token": {
    pattern: new RegExp(`${PROBLEM_OF_OWN}(could not find the requested resource|status 404|code 404)`),
    remedy: "the deployment does not know the webhook's token: outrigger register; in an emergency, outrigger off",
  },
  "own-webhook": {
    pattern: new RegExp(PROBLEM_OF_OWN),
    remedy: "the control plane gets no answer from the webhook: outrigger check; in an emergency, outrigger off",
  },
  "own-denial": {
    pattern: new RegExp(`admission webhook "[^"]*${OWN}" denied the request`),
    remedy:
      "the templates or the guardrails refuse the pod: change what the message names, or publish a corrected tree",
  },
  "safety-net": {
    pattern: /ValidatingAdmissionPolicy 'outrigger-[^']*' with binding '[^']*' denied request/,
    remedy:
      "the pod got no sidecar, and the safety net rejects it: outrigger check finds why; in an emergency, outrigger off",
  },
  "missing-service": {
    pattern: /failed calling webhook[\s\S]*(service "[^"]*" not found|no endpoints available for service)/,
    remedy:
      "start the service of that webhook, or delete its configuration: kubectl get mutatingwebhookconfiguration,validatingwebhookconfiguration",
  },
  "other-webhook": {
    pattern: /failed calling webhook|admission webhook "[^"]*" denied the request/,
    remedy: "another webhook rejects the pod: do what its message says, or exclude the namespace in its configuration",
  },
  "other-policy": {
    pattern: /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/,
    remedy:
      "a policy of the cluster rejects the pod with its sidecar: exempt the namespace, or change the sidecar in the templates",
  },
  quota: {
    pattern: /exceeded quota:/,
    remedy:
      "raise the quota, or lower the sidecar's requests (sidecar.istio.io/proxyCPU, proxyMemory): kubectl describe quota -n NAMESPACE",
  },
  "quota-needs-resources": {
    pattern: /failed quota: [^:]*: must specify/,
    remedy:
      "give every container what the quota counts, the sidecar by global.proxy.resources: kubectl describe quota -n NAMESPACE",
  },
  "limit-range": {
    pattern: /(maximum|minimum) \w+ usage per|max limit to request ratio per/,
    remedy:
      "change the LimitRange or the sidecar's resources (global.proxy.resources): kubectl describe limitrange -n NAMESPACE",
  },
  "pod-security": {
    pattern: /violates PodSecurity/,
    remedy:
      "use Istio's CNI plugin, which needs no NET_ADMIN (pilot.cni.enabled in the values), or allow it: kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged --overwrite",
  },
  "service-account": {
    pattern: /error looking up service account \S+\/([a-z0-9.-]+):/,
    remedy: "make the service account: kubectl create serviceaccount ACCOUNT -n NAMESPACE",
  },
  "invalid-pod": {
    pattern: /\bis invalid: /,
    remedy:
      "the pod is not valid as the API server gets it: correct the field that is named, in the workload or with outrigger lint in the templates",
  },
  other: { pattern: /^/, remedy: "do what the API server's message says" },
};

/** @param message of the Status, of a condition or of an event */
export function readRejection(message: string, { namespace }: { readonly namespace: string }): Rejection {
  const matching = (Object.keys(RULES) as readonly RejectionCause[]).find((each) => RULES[each].pattern.test(message));
  const cause = matching ?? "other";
  const { pattern, remedy } = RULES[cause];
  const [, account = ""] = pattern.exec(message) ?? [];
  const remediation = remedy.replaceAll("NAMESPACE", () => namespace).replaceAll("ACCOUNT", () => account);
  return { cause, message, remediation };
}

/** A webhook of others that has effects cannot be asked: its configuration says so, and the API server refuses the dry run. */
export function refusesDryRuns(message: string): boolean {
  return /does not support dry run/.test(message);
}
