// What is measured beside the pods of the file: pods derived from the typical one. Each scenario has a bar, a multiple
// of the JSON floor of the same pods.

/** The pods of the file and the derived ones, each scenario with its calls. Bars: issue and design, in floors. */
export function scenariosOf(pods) {
  const typical = pods.find((pod) => pod.name === "typical") ?? pods[0];
  const shapes = Array.from({ length: SHAPES }, (_, index) => shapeOf(typical, index));
  return [
    ...pods.map((pod) => ({ name: pod.name, bar: 5, goal: 3, pods: [pod] })),
    { name: "proxy.istio.io/config", bar: 6, pods: [withProxyConfig(typical)] },
    { name: `${SHAPES} shapes in turn`, bar: 8, pods: shapes },
    { name: `${SHAPES} shapes, first time`, bar: 5, pods: shapes, fresh: true },
  ];
}

const SHAPES = 200;

function withProxyConfig(pod) {
  const config = 'concurrency: 4\nterminationDrainDuration: 30s\nproxyMetadata:\n  ISTIO_META_DNS_CAPTURE: "true"\n';
  return withAnnotations(pod, { "proxy.istio.io/config": config });
}

/** Annotations that make a template take another branch; the bits of a shape's number say which of them it has. */
const BRANCHES = [
  { "sidecar.istio.io/proxyCPU": "150m" },
  { "sidecar.istio.io/proxyMemoryLimit": "512Mi" },
  { "sidecar.istio.io/logLevel": "info" },
  { "sidecar.istio.io/agentLogLevel": "default:info" },
  { "sidecar.istio.io/bootstrapOverride": "bootstrap" },
  { "traffic.sidecar.istio.io/excludeInterfaces": "eth1" },
  { "traffic.sidecar.istio.io/includeOutboundPorts": "8443" },
  { "sidecar.istio.io/userVolumeMount": '{"extra":{"mountPath":"/etc/extra","readOnly":true}}' },
];

function shapeOf(pod, index) {
  const chosen = BRANCHES.filter((_, bit) => (index >> bit) % 2 === 1);
  const annotated = withAnnotations(pod, Object.assign({}, ...chosen));
  return withContainers(annotated, 1 + (index % 4));
}

function withContainers(pod, count) {
  const { spec } = pod.request.object;
  const containers = Array.from({ length: count }, (_, index) => {
    const container = spec.containers[index % spec.containers.length];
    return index < spec.containers.length ? container : { ...container, name: `${container.name}-${index}` };
  });
  return withObject(pod, { ...pod.request.object, spec: { ...spec, containers } });
}

function withAnnotations(pod, annotations) {
  const { object } = pod.request;
  const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } };
  return withObject(pod, { ...object, metadata });
}

function withObject(pod, object) {
  return { name: pod.name, patchBytes: pod.patchBytes, request: { ...pod.request, object } };
}
