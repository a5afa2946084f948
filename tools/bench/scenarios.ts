// What is measured in addition to the pods of the file: pods derived from the typical one. Each scenario has a bar, a multiple
// of the JSON floor of the same pods.

import type { Container, Pod } from "@outrigger/pod";
import type { ConformanceCase } from "../conformance/conformance-case.ts";

/** A case of the file, whose request holds a pod. */
export interface BenchPod {
  readonly name: string;
  readonly case: ConformanceCase;
  readonly pod: Pod;
  /** The bytes of a minimal patch for the pod. */
  readonly patchBytes: number;
  /** The pod is the one of the file: what the reference makes of it is known. */
  readonly isMeasured: boolean;
}

export interface Scenario {
  readonly name: string;
  /** The most, in floors, and what would be better. */
  readonly bar: number;
  readonly goal?: number;
  readonly pods: readonly BenchPod[];
  /** Each round begins with a release that has served nothing. */
  readonly fresh: boolean;
  /** Each request is of another workload, so that no answer is remembered for it. */
  readonly isNewWorkload: boolean;
}

/**
 * The pods of the file and the derived ones, each scenario with its calls. Bars: issue and design, in floors. Each pod is sent as the
 * replicas of one workload, and as pods of workloads that nobody has seen.
 */
export function scenariosOf(pods: readonly BenchPod[]): readonly Scenario[] {
  const typical = pods.find((pod) => pod.name === "typical") ?? pods[0];
  if (typical === undefined) throw new Error("Cannot measure: the file has no pods");
  const shapes = Array.from({ length: SHAPES }, (_, index) => shapeOf(typical, index));
  const measured = [
    ...pods.map((pod) => ({ name: pod.name, pod, bar: 5, goal: 2 })),
    { name: "proxy.istio.io/config", pod: withProxyConfig(typical), bar: 6, goal: 2.5 },
  ];
  return [
    ...measured.map(({ pod, ...rest }) => ({ ...rest, pods: replicasOf(pod), fresh: false, isNewWorkload: false })),
    ...measured.map(({ name, pod, bar, goal }) => ({
      name: `${name}, new`,
      bar,
      goal,
      pods: [pod],
      fresh: false,
      isNewWorkload: true,
    })),
    { name: `${SHAPES} shapes in turn`, bar: 8, pods: shapes, fresh: false, isNewWorkload: true },
    { name: `${SHAPES} shapes, first time`, bar: 5, goal: 3, pods: shapes, fresh: true, isNewWorkload: true },
  ];
}

const REPLICAS = 20;

/** The pod, and others of its ReplicaSet, in each of which the API server has given the token's volume another name. */
function replicasOf(pod: BenchPod): readonly BenchPod[] {
  const names = Array.from({ length: REPLICAS - 1 }, (_, index) => `kube-api-access-${(1e5 + index).toString(36)}z`);
  return [pod, ...names.map((name) => derived(pod, renamed(pod.pod, name)))];
}

function renamed(pod: Pod, name: string): Pod {
  return JSON.parse(JSON.stringify(pod).replaceAll(TOKEN_VOLUME, name));
}

const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;

const SHAPES = 200;

function withProxyConfig(pod: BenchPod): BenchPod {
  const config = 'concurrency: 4\nterminationDrainDuration: 30s\nproxyMetadata:\n  ISTIO_META_DNS_CAPTURE: "true"\n';
  return withAnnotations(pod, { "proxy.istio.io/config": config });
}

/** Annotations that make a template take another branch; the bits of a shape's number say which of them it has. */
const BRANCHES: readonly Annotations[] = [
  { "sidecar.istio.io/proxyCPU": "150m" },
  { "sidecar.istio.io/proxyMemoryLimit": "512Mi" },
  { "sidecar.istio.io/logLevel": "info" },
  { "sidecar.istio.io/agentLogLevel": "default:info" },
  { "sidecar.istio.io/bootstrapOverride": "bootstrap" },
  { "traffic.sidecar.istio.io/excludeInterfaces": "eth1" },
  { "traffic.sidecar.istio.io/includeOutboundPorts": "8443" },
  {
    "sidecar.istio.io/userVolume": '{"extra":{"emptyDir":{}}}',
    "sidecar.istio.io/userVolumeMount": '{"extra":{"mountPath":"/etc/extra","readOnly":true}}',
  },
];

type Annotations = Readonly<Record<string, string>>;

function shapeOf(pod: BenchPod, index: number): BenchPod {
  const chosen = BRANCHES.filter((_, bit) => (index >> bit) % 2 === 1);
  const annotated = withAnnotations(pod, Object.assign({}, ...chosen));
  return withContainers(annotated, 1 + (index % 4));
}

function withContainers(bench: BenchPod, count: number): BenchPod {
  const { spec } = bench.pod;
  const own = spec?.containers ?? [];
  const copies = Array.from({ length: count }, (_, index): readonly Container[] => {
    const container = own[index % own.length];
    if (container === undefined) return [];
    return [index < own.length ? container : { ...container, name: `${container.name}-${index}` }];
  });
  return derived(bench, { ...bench.pod, spec: { ...spec, containers: copies.flat() } });
}

function withAnnotations(bench: BenchPod, annotations: Annotations): BenchPod {
  const { metadata } = bench.pod;
  return derived(bench, {
    ...bench.pod,
    metadata: { ...metadata, annotations: { ...metadata?.annotations, ...annotations } },
  });
}

function derived(bench: BenchPod, pod: Pod): BenchPod {
  return { ...bench, pod, isMeasured: false };
}
