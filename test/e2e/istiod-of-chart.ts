// What Istio's chart `istiod` installs in a cluster with a revision, tags and templates of one's own, as far as injection goes.

interface Chart {
  readonly revision: string;
  /** `revisionTags`. */
  readonly tags: readonly string[];
  readonly values: object;
  /** The injector's configuration: `policy`, `defaultTemplates`, `templates`. */
  readonly config: object;
}

const NAMESPACE = "istio-system";
const NOT_OPTED_OUT = { key: "sidecar.istio.io/inject", operator: "NotIn", values: ["false"] };

/** A list of objects, for `kubectl create -f`. */
export function istiodOfChart({ revision, tags, values, config }: Chart): object {
  const mesh = { defaultConfig: { discoveryAddress: `istiod-${revision}.${NAMESPACE}.svc:15012` } };
  const map = (name: string, data: Readonly<Record<string, object>>) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${name}-${revision}`, namespace: NAMESPACE, labels: { "istio.io/rev": revision } },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)])),
  });
  const items = [
    map("istio-sidecar-injector", { config, values }),
    map("istio", { mesh }),
    webhooksOf(`istio-sidecar-injector-${revision}`, revision),
    ...tags.map((tag) => webhooksOf(`istio-revision-tag-${tag}`, revision, tag)),
  ];
  return { apiVersion: "v1", kind: "List", items };
}

function webhooksOf(name: string, revision: string, tag?: string) {
  const exists = (key: string) => ({ key, operator: "DoesNotExist" });
  const isOf = (key: string, value: string) => ({ key, operator: "In", values: [value] });
  const named = tag ?? revision;
  const webhook = (first: string, namespace: readonly object[], pod: readonly object[]) => ({
    name: `${first}.sidecar-injector.istio.io`,
    clientConfig: { service: { namespace: NAMESPACE, name: "istiod", path: "/inject", port: 443 } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    namespaceSelector: { matchExpressions: namespace },
    objectSelector: { matchExpressions: [NOT_OPTED_OUT, ...pod] },
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  });
  const unlabelled = [exists("istio.io/rev"), exists("istio-injection")];
  const ofDefault = [
    webhook("namespace", [isOf("istio-injection", "enabled")], []),
    webhook("object", unlabelled, [isOf("sidecar.istio.io/inject", "true"), exists("istio.io/rev")]),
  ];
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: {
      name,
      labels: { app: "sidecar-injector", "istio.io/rev": revision, ...(tag !== undefined && { "istio.io/tag": tag }) },
    },
    webhooks: [
      webhook("rev.namespace", [isOf("istio.io/rev", named), exists("istio-injection")], []),
      webhook("rev.object", unlabelled, [isOf("istio.io/rev", named)]),
      ...(named === "default" ? ofDefault : []),
    ],
  };
}
