// What is measured in addition to the pods of the file: pods derived from the typical one. Each scenario has a bar, a multiple
// of the JSON floor of the same pods.

import type { Container, Pod } from "../../lib/kube/pod-types.ts";
import type { ConformanceCase } from "../conformance/conformance-case.ts";

/** A case of the file, whose request holds a pod. */
export interface BenchPod {
  readonly name: string;
  readonly case: ConformanceCase;
  readonly pod: Pod;
  /** Of a minimal patch for it. */
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
}

/** The pods of the file and the derived ones, each scenario with its calls. Bars: issue and design, in floors. */
export function scenariosOf(pods: readonly BenchPod[]): readonly Scenario[] {
  const typical = pods.find((pod) => pod.name === "typical") ?? pods[0];
  if (typical === undefined) throw new Error("Cannot measure: the file has no pods");
  const shapes = Array.from({ length: SHAPES }, (_, index) => shapeOf(typical, index));
  return [
    ...pods.map((pod) => ({ name: pod.name, bar: 5, goal: 3, pods: [pod], fresh: false })),
    { name: "proxy.istio.io/config", bar: 6, pods: [withProxyConfig(typical)], fresh: false },
    { name: `${SHAPES} shapes in turn`, bar: 8, pods: shapes, fresh: false },
    { name: `${SHAPES} shapes, first time`, bar: 5, pods: shapes, fresh: true },
  ];
}

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
