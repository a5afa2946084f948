// Well-typed overlays that any API server rejects, with what must be said about them.

const CONTAINER = "spec:\n  containers:\n  - name: agent\n    image: agent:1\n";

/** What is wrong, overlay, its line, what the message says. */
export const REJECTED_OVERLAYS: readonly (readonly [string, string, number, string])[] = [
  ["a name in capitals", "spec:\n  containers:\n  - name: Log_Agent\n    image: a\n", 3, "must be a DNS label"],
  ["no image", "spec:\n  containers:\n  - name: agent\n", 3, "spec.containers[agent].image"],
  ["port 70000", `${CONTAINER}    ports: [{containerPort: 70000}]\n`, 5, "containerPort must be"],
  ["protocol HTTP", `${CONTAINER}    ports: [{containerPort: 80, protocol: HTTP}]\n`, 5, "protocol must be one of"],
  [
    "two ports of one name",
    `${CONTAINER}    ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]\n`,
    5,
    "ports",
  ],
  ["a mount without its volume", `${CONTAINER}    volumeMounts: [{name: gone, mountPath: /a}]\n`, 5, "volumeMounts"],
  [
    "two mounts at one path",
    `${CONTAINER}    volumeMounts: [{name: v, mountPath: /a}, {name: w, mountPath: /a}]\n  volumes: [{name: v, emptyDir: {} }, {name: w, emptyDir: {} }]\n`,
    5,
    "mountPath",
  ],
  [
    "value and valueFrom",
    `${CONTAINER}    env:\n    - name: A\n      value: b\n      valueFrom: {fieldRef: {fieldPath: metadata.name} }\n`,
    8,
    "valueFrom must not be set",
  ],
  [
    "a fieldPath that does not exist",
    `${CONTAINER}    env:\n    - name: A\n      valueFrom: {fieldRef: {fieldPath: metadata.nmae} }\n`,
    7,
    "fieldPath must be one of",
  ],
  [
    "a request above its limit",
    `${CONTAINER}    resources:\n      requests: {cpu: 2}\n      limits: {cpu: 1}\n`,
    6,
    "must not be more than its limit",
  ],
  ["a resource that does not exist", `${CONTAINER}    resources: {limits: {disk: 1} }\n`, 5, "resources.limits"],
  ["a bad label", "metadata:\n  labels: {a: 'not a label!'}\n", 2, "metadata.labels.a must be"],
  ["a bad key of a label", "metadata:\n  labels: {'a b': x}\n", 2, 'metadata.labels["a b"]'],
  ["a bad key of an annotation", "metadata:\n  annotations: {'a b': x}\n", 2, 'metadata.annotations["a b"]'],
  [
    "two volume sources",
    "spec:\n  volumes: [{name: v, emptyDir: {}, hostPath: {path: /a} }]\n",
    2,
    "a volume has one source",
  ],
  ["a probe without a handler", `${CONTAINER}    livenessProbe: {periodSeconds: 3}\n`, 5, "livenessProbe"],
  ["a probe with two", `${CONTAINER}    livenessProbe: {grpc: {port: 1}, tcpSocket: {port: 1} }\n`, 5, "livenessProbe"],
  ["dnsPolicy Foo", "spec:\n  dnsPolicy: Foo\n", 2, "spec.dnsPolicy must be one of"],
  ["restartPolicy Sometimes", "spec:\n  restartPolicy: Sometimes\n", 2, "spec.restartPolicy must be one of"],
  ["a misspelt pull policy", `${CONTAINER}    imagePullPolicy: IfNotPresnt\n`, 5, "imagePullPolicy must be one of"],
  [
    "one name in both lists",
    `${CONTAINER}  initContainers: [{name: agent, image: a}]\n`,
    5,
    "initContainers[agent].name",
  ],
  [
    "an init container with a probe",
    "spec:\n  initContainers:\n  - name: setup\n    image: a\n    livenessProbe: {grpc: {port: 1} }\n",
    5,
    "livenessProbe",
  ],
  [
    "privileged without escalation",
    `${CONTAINER}    securityContext: {privileged: true, allowPrivilegeEscalation: false}\n`,
    5,
    "allowPrivilegeEscalation",
  ],
  ["a toleration without a key", "spec:\n  tolerations: [{operator: Equal, value: a}]\n", 2, "spec.tolerations"],
];
