// Realistic mistakes: what is wrong in a cluster, and what `check`, `explain deploy/web` and `pods --state missing` print about it, with the
// remedy. docs/contributing/measurements.md says which of them istioctl and linkerd find.
import type { JsonObject } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import type { CliLab } from "./cli-lab.ts";

/** A usual mistake, with what each command prints of it. A command that cannot see it is left out. */
export interface UsualFailure {
  readonly mistake: string;
  readonly prepare: (lab: CliLab) => unknown;
  /** The check that fails, and what it says. */
  readonly check?: readonly [id: string, seen: string];
  readonly explain?: string;
  readonly pods?: string;
  /** The remedy, which one of the commands prints. */
  readonly remedy: string;
}

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const INJECT = "sidecar.istio.io/inject";

/** The workload that is explained. */
export function putDeployment(lab: CliLab, changes: DeploymentChanges = {}): void {
  const { namespace = "shop", labels = {}, podLabels = {}, annotations = {}, spec = {}, status = {} } = changes;
  lab.put(`/apis/apps/v1/namespaces/${namespace}/deployments/web`, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace, labels },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web", ...podLabels }, annotations },
        spec: { containers: [{ name: "web", image: "web" }], ...spec },
      },
    },
    status,
  });
}

interface DeploymentChanges {
  readonly namespace?: string;
  readonly labels?: JsonObject;
  readonly podLabels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

/** A pod that runs without a sidecar. */
function putPod(lab: CliLab, namespace: string, creationTimestamp: string, labels: JsonObject = {}): void {
  lab.put(`/api/v1/namespaces/${namespace}/pods/web-1`, {
    metadata: { name: "web-1", namespace, labels: { app: "web", ...labels }, creationTimestamp },
    spec: { containers: [{ name: "web", image: "web" }] },
  });
}

/** The API server refuses pods of the namespace with this message, and takes those that ask for no sidecar. */
function refuse(lab: CliLab, status: number, message: string): void {
  const spares = (pod: JsonObject) => metadataOf(pod).labels["sidecar.istio.io/inject"] === "false";
  lab.api.faults.push({ method: "POST", path: "/namespaces/shop/pods", status, message, spares });
}

const RULES = [{ apiGroups: [""], resources: ["pods"], operations: ["CREATE"], apiVersions: ["v1"] }];
const [OLD, NEW] = ["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"];
const OWN = "namespace.sidecar-injector.outrigger";

export const usualFailures: readonly UsualFailure[] = [
  {
    mistake: "an injector that was removed has left its webhook, with `failurePolicy: Fail`",
    prepare: ({ put }) =>
      put(`${ADMISSION}/mutatingwebhookconfigurations/old-injector`, {
        kind: "MutatingWebhookConfiguration",
        metadata: { name: "old-injector" },
        webhooks: [
          {
            name: "inject.old.example.com",
            failurePolicy: "Fail",
            rules: RULES,
            clientConfig: { service: { namespace: "old", name: "injector" } },
            namespaceSelector: { matchLabels: { "istio-injection": "enabled" } },
          },
        ],
      }),
    check: ["other-webhooks", "its service old/injector does not exist"],
    explain:
      "Also sent to: inject.old.example.com of old-injector (mutating, Fail): its service old/injector does not exist",
    remedy: "kubectl delete mutatingwebhookconfiguration old-injector",
  },
  {
    mistake: "a validating webhook of a removed policy engine, with `Fail`",
    prepare: ({ put }) =>
      put(`${ADMISSION}/validatingwebhookconfigurations/policy-engine`, {
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "policy-engine" },
        webhooks: [
          {
            name: "validate.policy.example.com",
            rules: RULES,
            clientConfig: { service: { namespace: "p", name: "e" } },
          },
        ],
      }),
    check: ["other-webhooks", "its service p/e does not exist"],
    explain:
      "Also sent to: validate.policy.example.com of policy-engine (validating, Fail): its service p/e does not exist",
    remedy: "kubectl delete validatingwebhookconfiguration policy-engine",
  },
  {
    mistake: "a policy engine denies the pod",
    prepare: (lab) =>
      refuse(
        lab,
        403,
        'admission webhook "validate.kyverno.svc-fail" denied the request: image registry is not allowed',
      ),
    check: ["workloads", "image registry is not allowed"],
    explain: "API server: rejects it (other-webhook)",
    remedy: "another webhook rejects the pod: do what its message says",
  },
  {
    mistake: "the namespace's quota is used up with the sidecar's requests",
    prepare: (lab) =>
      refuse(
        lab,
        403,
        'pods "web-abc" is forbidden: exceeded quota: team, requested: requests.cpu=110m, used: requests.cpu=950m, limited: requests.cpu=1',
      ),
    check: ["workloads", "exceeded quota: team"],
    explain: "Result: the API server rejects the pod: Cluster eks rejects",
    remedy: "kubectl describe quota -n shop",
  },
  {
    mistake: "a quota of limits, and a sidecar without limits",
    prepare: (lab) => refuse(lab, 403, 'pods "web-abc" is forbidden: failed quota: team: must specify limits.cpu'),
    check: ["workloads", "must specify limits.cpu"],
    explain: "API server: rejects it (quota-needs-resources)",
    remedy: "the sidecar by global.proxy.resources",
  },
  {
    mistake: "a LimitRange that the sidecar exceeds",
    prepare: (lab) =>
      refuse(lab, 403, 'pods "web-abc" is forbidden: maximum cpu usage per Container is 1, but limit is 2'),
    check: ["workloads", "maximum cpu usage per Container"],
    explain: "API server: rejects it (limit-range)",
    remedy: "kubectl describe limitrange -n shop",
  },
  {
    mistake: "Pod Security `baseline` or `restricted`, and istio-init",
    prepare: (lab) =>
      refuse(
        lab,
        403,
        'pods "web-abc" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "istio-init" must not include "NET_ADMIN", "NET_RAW" in securityContext.capabilities.add)',
      ),
    check: ["workloads", "violates PodSecurity"],
    explain: "API server: rejects it (pod-security)",
    remedy: "use Istio's CNI plugin",
  },
  {
    mistake: "a Fargate profile selects the namespace",
    prepare: ({ api }) => {
      api.webhook = (_url, pod) => ({
        ...pod,
        metadata: { ...(pod["metadata"] as JsonObject), annotations: { "sidecar.istio.io/status": "{}" } },
        spec: {
          ...(pod["spec"] as JsonObject),
          schedulerName: "fargate-scheduler",
          initContainers: [
            { name: "istio-init", securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } } },
          ],
        },
      });
    },
    check: ["workloads", "a Fargate profile selects the pod, and Fargate does not run it: NET_ADMIN of istio-init"],
    explain: "but it does not run: a Fargate profile selects the pod",
    remedy: "run the workload on nodes",
  },
  {
    mistake: "the API server does not trust the endpoint's certificate",
    prepare: (lab) =>
      refuse(
        lab,
        500,
        `Internal error occurred: failed calling webhook "${OWN}": Post "https://x/t/abc/inject": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
    check: ["workloads", "x509"],
    explain: "API server: rejects it (own-certificate)",
    remedy: "outrigger register --ca-file FILE",
  },
  {
    mistake: "the record was removed, and the webhooks enforce with its token",
    prepare: (lab) =>
      refuse(
        lab,
        500,
        `Internal error occurred: failed calling webhook "${OWN}": the server could not find the requested resource`,
      ),
    check: ["workloads", "could not find the requested resource"],
    explain: "API server: rejects it (own-token)",
    remedy: "the deployment does not know the webhook's token: outrigger register",
  },
  {
    mistake: "the control plane cannot reach the endpoint, under `Fail`",
    prepare: (lab) =>
      refuse(
        lab,
        500,
        `Internal error occurred: failed calling webhook "${OWN}": Post "https://x/t/abc/inject": context deadline exceeded`,
      ),
    check: ["workloads", "context deadline exceeded"],
    explain: "API server: rejects it (own-webhook)",
    remedy: "in an emergency, outrigger off",
  },
  {
    mistake: "the control plane cannot reach the endpoint, under `Ignore`",
    prepare: ({ api }) => {
      api.webhook = () => {
        throw new Error("no answer");
      };
    },
    check: ["workloads", "admitted without a sidecar: shop/Deployment/web"],
    explain: "Result: no sidecar, although the release injects it: the call fails and is ignored (outrigger check)",
    remedy: "outrigger check",
  },
  {
    mistake: "the safety net denies a pod that got no sidecar",
    prepare: (lab) =>
      refuse(
        lab,
        422,
        "pods \"web-abc\" is forbidden: ValidatingAdmissionPolicy 'outrigger-sidecar-injector' with binding 'outrigger-sidecar-injector-namespace' denied request: the pod has no sidecar",
      ),
    check: ["workloads", "the pod has no sidecar"],
    explain: "API server: rejects it (safety-net)",
    remedy: "in an emergency, outrigger off",
  },
  {
    mistake: "pods cannot be made, and the Deployment looks accepted",
    prepare: (lab) => {
      const message =
        'pods "web-5d8f-" is forbidden: error looking up service account shop/web: serviceaccount "web" not found';
      putDeployment(lab, { status: { conditions: [{ type: "ReplicaFailure", status: "True", message }] } });
      lab.put("/api/v1/namespaces/shop/events/e1", {
        kind: "Event",
        metadata: { name: "e1", namespace: "shop" },
        reason: "FailedCreate",
        involvedObject: { kind: "ReplicaSet", namespace: "shop", name: "web-5d8f" },
        lastTimestamp: new Date().toISOString(),
        message: `Error creating: ${message}`,
      });
    },
    check: ["created", "shop/ReplicaSet/web-5d8f cannot make its pods"],
    explain: 'Deployment/web could not make a pod: pods "web-5d8f-" is forbidden',
    remedy: "kubectl create serviceaccount",
  },
  {
    mistake: "the namespace has no label",
    prepare: (lab) => {
      putDeployment(lab, { namespace: "plain" });
      putPod(lab, "plain", OLD);
    },
    check: ["injected", "namespaces without a label istio-injection, whose pods ask for nothing: plain"],
    pods: "Neither namespace nor pods ask for a sidecar in plain",
    explain: "Check this: Neither the namespace nor the pod asks for a sidecar: kubectl label namespace plain",
    remedy: "kubectl label namespace plain istio-injection=enabled",
  },
  {
    mistake: "the label is on the Deployment",
    prepare: (lab) => putDeployment(lab, { namespace: "plain", labels: { [INJECT]: "true" } }),
    explain: `Check this: The label ${INJECT} is on the Deployment and not on its pod template`,
    remedy: "move it to spec.template.metadata.labels",
  },
  {
    mistake: "an annotation instead of the label",
    prepare: (lab) => putDeployment(lab, { namespace: "plain", annotations: { [INJECT]: "true" } }),
    explain: "is an annotation, which no selector sees",
    remedy: "write it as a label",
  },
  {
    mistake: "a revision that is not registered",
    prepare: (lab) => {
      putDeployment(lab, { namespace: "plain", podLabels: { "istio.io/rev": "1-9" } });
      putPod(lab, "plain", OLD, { "istio.io/rev": "1-9" });
    },
    check: ["injected", 'plain/web-1: no webhook serves the revision "1-9"'],
    explain: "istio.io/rev of the pod is 1-9, which is not registered (there is default)",
    pods: 'no webhook serves the revision "1-9"',
    remedy: "outrigger register --revision 1-9",
  },
  {
    mistake: "the pod uses the host's network",
    prepare: (lab) => putDeployment(lab, { spec: { hostNetwork: true } }),
    explain: "The pod uses the host's network (spec.hostNetwork)",
    remedy: "such a pod is never injected",
  },
  {
    mistake: "pods are older than the webhook",
    prepare: (lab) => putPod(lab, "shop", OLD),
    check: ["injected", "shop/web-1: it is older than the webhook"],
    explain: "no sidecar: it is older than the webhook",
    pods: "it is older than the webhook",
    remedy: "kubectl rollout restart",
  },
  {
    mistake: "the rollout has not come to the namespace",
    prepare: async (lab) => {
      lab.namespace("first", { "istio-injection": "enabled" });
      await lab.register("--phase", "namespace", "--namespace", "first");
      putPod(lab, "shop", NEW);
    },
    check: ["injected", "wait for the rollout: shop/web-1: the rollout has not come to its namespace"],
    explain: "Not sent to any webhook",
    pods: "the rollout has not come to its namespace",
    remedy: "outrigger register --cluster … --phase namespace --namespace shop",
  },
  {
    mistake: "only dry runs are sent: the phase `audit`",
    prepare: async (lab) => {
      await lab.register("--phase", "audit");
      putPod(lab, "shop", NEW);
    },
    check: ["injected", "the rollout is at the phase audit"],
    explain: "only dry runs are sent (phase audit)",
    pods: "the rollout is at the phase audit",
    remedy: "outrigger register --cluster … --phase namespace",
  },
  {
    mistake: "injection was switched off",
    prepare: async (lab) => {
      await lab.run("off", "--kubeconfig", "kubeconfig");
      putPod(lab, "shop", NEW);
    },
    check: ["webhooks", "revision default is off since"],
    explain: "no sidecar: injection was switched off at",
    pods: "injection was switched off at",
    remedy: "outrigger register",
  },
];
