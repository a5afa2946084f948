// Pods that an API server accepts, near to what an injection adds: vendored real pods and accepted cases, with names, ports
// and annotations that meet those of the templates.

import type { JsonObject } from "@outrigger/base";
import { decodePod } from "@outrigger/injector";
import type { Container, Pod } from "@outrigger/pod";
import { validatePod } from "@outrigger/pod";
import { podCases, realPods, setIn } from "../pod-validation/pod-cases.ts";
import { READ_ANNOTATIONS } from "./generated-trees.ts";
import { pick, type Random, some } from "./random.ts";

const LONG = "x".repeat(70);

const TEMPLATES = "inject.istio.io/templates";

/** Texts that helpers take as any other. */
export const ODD_TEXTS: readonly string[] = [
  "a,b.c/d",
  "",
  " \t ",
  "ключ 🚣",
  "a: b\n- {{c}}",
  "'\"\\",
  "1e400",
  "[1,",
  "/a//../b/",
  "-_.",
  LONG,
];

/** Texts for each annotation: right ones, and ones that make a field of the injected pod wrong. */
const ANNOTATIONS: Readonly<Record<string, readonly string[]>> = {
  [READ_ANNOTATIONS.image]: ["agent:2", " agent", ""],
  [READ_ANNOTATIONS.port]: ["9200", "0", "70000", "15090"],
  [READ_ANNOTATIONS.cpu]: ["1", "50m", "-1"],
  [READ_ANNOTATIONS.user]: ["0", "-5"],
  [READ_ANNOTATIONS.grace]: ["0", "3", "600"],
  [READ_ANNOTATIONS.priority]: ["high", "Not A Name"],
  [READ_ANNOTATIONS.secret]: ["own", "UPPER", "a b"],
  [READ_ANNOTATIONS.path]: ["/opt", "", "/var/agent-logs", "/etc/istio/proxy"],
  [READ_ANNOTATIONS.text]: ODD_TEXTS,
  "sidecar.istio.io/proxyCPU": ["100m", "8"],
  "sidecar.istio.io/proxyCPULimit": ["2", "50m"],
  "sidecar.istio.io/proxyMemory": ["64Mi", "8Gi"],
  "sidecar.istio.io/proxyMemoryLimit": ["256Mi", "1Mi"],
  "sidecar.istio.io/proxyImage": ["registry.example/proxy:1", " padded"],
  "sidecar.istio.io/bootstrapOverride": ["bootstrap", "Not A Name"],
  "sidecar.istio.io/userVolume": [
    '{"v":{"emptyDir":{}}}',
    '{"istio-data":{"hostPath":{"path":"/d"}}}',
    '{"V":{}}',
    "[]",
  ],
  "sidecar.istio.io/userVolumeMount": ['{"v":{"mountPath":"/v"}}', '{"istio-token":{"mountPath":"/v"}}'],
  "sidecar.istio.io/nativeSidecar": ["true", "false"],
  "sidecar.istio.io/rewriteAppHTTPProbers": ["true", "false"],
  "sidecar.istio.io/interceptionMode": ["TPROXY", "REDIRECT"],
  [TEMPLATES]: [
    ...["sidecar", "gateway", "grpc-agent", "grpc-simple", "custom"],
    ...["sidecar,custom", "custom,sidecar", "custom,grpc-agent,sidecar", "grpc-simple,custom"],
    ...["second,custom,sidecar", "sidecar,second,custom", "gateway,second"],
  ],
  "status.sidecar.istio.io/port": ["15020", "0", "15021"],
  "proxy.istio.io/config": ["concurrency: 2", "holdApplicationUntilProxyStarts: true", "statusPort: 70000"],
  "prometheus.io/scrape": ["true"],
  "prometheus.io/port": ["15090", "9090", "http"],
  "readiness.status.sidecar.istio.io/periodSeconds": ["0", "5"],
  "traffic.sidecar.istio.io/excludeInboundPorts": ["80"],
  "k8s.v1.cni.cncf.io/networks": ["own"],
};

/** The label that the templates read by its key. */
export const READ_LABEL = "app";

/** Annotations that choose, and write nothing. */
const CHOICES: readonly string[] = [
  TEMPLATES,
  "sidecar.istio.io/nativeSidecar",
  "sidecar.istio.io/rewriteAppHTTPProbers",
  "sidecar.istio.io/interceptionMode",
];

/** A text for each annotation with which no template writes a wrong field. A short grace period is wrong with a hook that sleeps. */
export const RIGHT_TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(ANNOTATIONS).flatMap(([key, [text = ""]]) => (CHOICES.includes(key) ? [] : [[key, text]])),
  ),
  [READ_ANNOTATIONS.grace]: "600",
  "prometheus.io/port": "9090",
};

/** Names of containers that templates bring. */
export const NAMES: readonly string[] = ["istio-proxy", "istio-init", "istio-validation", "agent", "enable-core-dump"];
const VOLUMES: readonly string[] = ["istio-data", "istio-token", "workload-socket", "agent", "v"];

/** Of these, every text is right. */
const ANY: readonly string[] = [TEMPLATES, READ_ANNOTATIONS.text];

/** Makes pods from a seed's choices. Reading the vendored files takes a moment: make one for many pods. */
export function podGenerator(): (random: Random) => Pod {
  const real = realPods()
    .filter(({ verdict }) => verdict === "accepted")
    .map(({ pod }) => pod as Pod);
  const cases = podCases().filter(({ name, refusal }) => name === "app" && refusal === null);
  return (random) => {
    for (;;) {
      const base = random() < 0.5 ? pick(random, real) : (accepted(random, cases) as Pod);
      const pod = newer(near(base, random), random);
      if (isDecoded(pod) && validatePod(pod, { isTemplate: true }).length === 0) return pod;
    }
  };
}

/** Mostly the first text, which is right: finding the cause of a denial takes as long as ten injections. */
function textFor(random: Random, texts: readonly string[]): string {
  return random() < 0.9 ? (texts[0] as string) : pick(random, texts);
}

/** As an API server decodes it: a value set in a list that the pod does not have makes it an object. */
function isDecoded(pod: Pod): boolean {
  try {
    decodePod(pod as JsonObject, "encoded");
    return true;
  } catch {
    return false;
  }
}

type Cases = ReturnType<typeof podCases>;

function accepted(random: Random, cases: Cases): JsonObject {
  const first = pick(random, cases);
  return random() < 0.5 ? first.pod : setIn(first.pod, pick(random, cases).set);
}

/** Fields of newer API servers, each for a pod as a whole. */
const NEWER_PODS: readonly JsonObject[] = [
  { resources: { requests: { cpu: "1" }, limits: { cpu: "4", memory: "8Gi" } } },
  { hostUsers: false },
  { schedulingGates: [{ name: "example.com/quota" }] },
  { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] },
];

/** The same for a container. */
const NEWER_CONTAINERS: readonly JsonObject[] = [
  {
    resizePolicy: [
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "memory", restartPolicy: "RestartContainer" },
    ],
  },
  {
    restartPolicy: "Never",
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
  },
];

/** What owns pods: a Job of a CronJob, a ReplicaSet of a Rollout. */
const OWNERS = [
  { apiVersion: "batch/v1", kind: "Job", name: "report-28912345" },
  { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-6b7f9c5d4" },
  { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" },
];

/** The pod with an owner, and with fields that few pods have yet. */
function newer(pod: Pod, random: Random): Pod {
  const spec = Object.assign({}, pod.spec, ...some(random, NEWER_PODS, 0.1));
  const [owner] = some(random, OWNERS, 0.2);
  const image = { name: "model", image: { reference: "registry.example/model:1", pullPolicy: "Always" } };
  const withClaim = (each: Container): Container => {
    const claims = spec.resourceClaims && random() < 0.5 ? [{ name: "gpu" }] : undefined;
    const added = Object.assign({}, each, ...some(random, NEWER_CONTAINERS, 0.05));
    return claims === undefined ? added : { ...added, resources: { ...added.resources, claims } };
  };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(owner && { ownerReferences: [{ ...owner, uid: "3f6f6d6e-0000-4000-8000-000000000001", controller: true }] }),
    },
    spec: {
      ...spec,
      containers: (spec.containers ?? []).map(withClaim),
      ...(random() < 0.05 && { volumes: [...(spec.volumes ?? []), image] }),
    },
  };
}

/** The pod with some names and texts of the templates in it. */
function near(pod: Pod, random: Random): Pod {
  const annotations = Object.fromEntries(
    some(random, Object.keys(ANNOTATIONS), 0.03).map((key) => [
      key,
      (ANY.includes(key) ? pick : textFor)(random, ANNOTATIONS[key] as readonly string[]),
    ]),
  );
  const labels = random() < 0.2 ? { [READ_LABEL]: pick(random, [LONG.slice(0, 63), "web", "a.b"]) } : {};
  const name = random() < 0.02 ? `${pick(random, ["a", "b"]).repeat(200)}` : pod.metadata?.name;
  const volumes = some(random, VOLUMES, 0.05).map((each) => ({ name: each, ...pick(random, SOURCES) }));
  const spec = pod.spec;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(name !== undefined && { name }),
      labels: { ...pod.metadata?.labels, ...labels },
      annotations: { ...pod.metadata?.annotations, ...annotations },
    },
    spec: {
      ...spec,
      containers: (spec?.containers ?? []).map((each) => nearContainer(each, random)),
      ...(Array.isArray(spec?.initContainers) && {
        initContainers: spec.initContainers.map((each) => nearContainer(each, random)),
      }),
      ...((volumes.length > 0 || spec?.volumes) && { volumes: [...(spec?.volumes ?? []), ...volumes] }),
    },
  };
}

const SOURCES = [{}, { emptyDir: {} }, { hostPath: { path: "/own" } }, { configMap: { name: "own" } }];

/** @param container null in pods that are no pods, which are left out in the end */
function nearContainer(container: Container | null, random: Random): Container {
  return {
    ...(container as Container),
    ...(random() < 0.12 && { name: pick(random, NAMES) }),
    ...(random() < 0.1 && {
      ports: [
        {
          name: pick(random, ["agent", "http-envoy-prom", "own"]),
          containerPort: pick(random, [9100, 15090, 80]),
          ...(random() < 0.4 && { hostPort: 9100 }),
        },
      ],
    }),
    ...(random() < 0.05 && {
      volumeMounts: [
        ...(container?.volumeMounts ?? []),
        { name: pick(random, VOLUMES), mountPath: pick(random, ["/var/agent", "/own", "/etc/istio/pod"]) },
      ],
    }),
    ...(random() < 0.05 && {
      env: [...(container?.env ?? []), { name: pick(random, ["POD_NAME", "AGENT", "OWN"]), value: "own" }],
    }),
    ...(random() < 0.05 && { lifecycle: { preStop: { exec: { command: ["true"] } } } }),
    ...(random() < 0.05 && { resources: { limits: { cpu: "10m" } } }),
  };
}
