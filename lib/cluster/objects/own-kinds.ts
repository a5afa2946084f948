// The kinds of object that Outrigger makes in a cluster, and their paths.
export const GROUP_PATH = "/apis/admissionregistration.k8s.io/v1";

/** Path segments of our kinds, in the order in which they are created. */
const PLURALS = {
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
} as const;

export type OwnKind = keyof typeof PLURALS;

export const ownKinds = Object.keys(PLURALS) as readonly OwnKind[];

export function pathOf(kind: OwnKind, name?: string): string {
  return `${GROUP_PATH}/${PLURALS[kind]}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}
