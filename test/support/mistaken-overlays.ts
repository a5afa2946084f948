// Overlays that a platform engineer gets wrong and that any API server rejects. "#!" ends the line that is to blame. All but
// those for fields that only a change can break were judged by the API server's own validation of Kubernetes 1.36.3.

const CONTAINER = "spec:\n  containers:\n  - name: agent\n    image: agent:1\n";
const INIT = "spec:\n  initContainers:\n  - name: agent\n    image: agent:1\n";

/** What is wrong, and the text of the template. */
export const MISTAKEN_OVERLAYS: readonly (readonly [what: string, overlay: string])[] = [
  ["a protocol in lower case", `${CONTAINER}    ports:\n    - containerPort: 80\n      protocol: tcp #!\n`],
  [
    "two ports of one name",
    `${CONTAINER}    ports:\n    - {containerPort: 80, name: web}\n    - {containerPort: 81, name: web} #!\n`,
  ],
  [
    "two ports of the node",
    `${CONTAINER}    ports:\n    - {containerPort: 80, hostPort: 9000}\n    - {containerPort: 81, hostPort: 9000} #!\n`,
  ],
  [
    "another port of the node with hostNetwork",
    "spec:\n  hostNetwork: true\n  containers:\n  - name: agent\n    image: agent:1\n    ports:\n    - {containerPort: 80, hostPort: 9000} #!\n",
  ],
  [
    "a misspelt fieldPath",
    `${CONTAINER}    env:\n    - name: IP\n      valueFrom:\n        fieldRef:\n          fieldPath: status.podIp #!\n`,
  ],
  [
    "all labels in a variable",
    `${CONTAINER}    env:\n    - name: L\n      valueFrom: {fieldRef: {fieldPath: metadata.labels}} #!\n`,
  ],
  ["a negative deadline", "spec:\n  activeDeadlineSeconds: -5 #!\n"],
  ["memory in percent", `${CONTAINER}    resources:\n      limits:\n        memory: 50% #!\n`],
  ["memory in MB", `${CONTAINER}    resources:\n      limits:\n        memory: 512MB #!\n`],
  ["an empty name", "spec:\n  containers:\n  - name: '' #!\n    image: a\n"],
  ["an unknown kind of volume", "spec:\n  volumes:\n  - name: v\n    emptyDirectory: {} #!\n"],
  [
    "two mounts of one path",
    "spec:\n  volumes:\n  - {name: a, emptyDir: {}}\n  - {name: b, emptyDir: {}}\n  containers:\n  - name: agent\n    image: agent:1\n    volumeMounts:\n    - {name: a, mountPath: /data}\n    - {name: b, mountPath: /data} #!\n",
  ],
  ["a resource in capitals", `${CONTAINER}    resources:\n      limits:\n        CPU: 1 #!\n`],
  ["envFrom without a source", `${CONTAINER}    envFrom:\n    - prefix: A_ #!\n`],
  [
    "preStop with two handlers",
    `${CONTAINER}    lifecycle:\n      preStop:\n        exec: {command: [a]}\n        sleep: {seconds: 3} #!\n`,
  ],
  ["a readiness probe of an init container", `${INIT}    readinessProbe: #!\n      httpGet: {port: 80}\n`],
  ["a misspelt restartPolicy of a sidecar", `${INIT}    restartPolicy: always #!\n`],
  [
    "a probe of an init container that is no sidecar",
    `${INIT}    restartPolicy: OnFailure\n    livenessProbe: {tcpSocket: {port: 80}} #!\n`,
  ],
  [
    "huge pages without a limit",
    `${CONTAINER}    resources: #!\n      requests:\n        hugepages-2Mi: 4Mi\n        cpu: 1\n`,
  ],
  ["half a huge page", `${CONTAINER}    resources:\n      limits:\n        cpu: 1\n        hugepages-2Mi: 3Mi #!\n`],
  [
    "an ephemeral-storage limit below its request",
    `${CONTAINER}    resources:\n      requests:\n        ephemeral-storage: 2Gi #!\n      limits:\n        ephemeral-storage: 1Gi\n`,
  ],
  [
    "a device that is overcommitted",
    `${CONTAINER}    resources:\n      requests:\n        nvidia.com/gpu: 1 #!\n      limits:\n        nvidia.com/gpu: 2\n`,
  ],
  ["half a device", `${CONTAINER}    resources:\n      limits:\n        nvidia.com/gpu: 500m #!\n`],
  [
    "matchLabelKeys without a selector",
    "spec:\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: zone\n    whenUnsatisfiable: DoNotSchedule\n    matchLabelKeys: [pod-template-hash] #!\n",
  ],
  [
    "a misspelt whenUnsatisfiable",
    "spec:\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: zone\n    whenUnsatisfiable: ScheduleAnyways #!\n",
  ],
  [
    "minDomains with ScheduleAnyway",
    "spec:\n  topologySpreadConstraints:\n  - maxSkew: 1\n    topologyKey: zone\n    minDomains: 2 #!\n    whenUnsatisfiable: ScheduleAnyway\n",
  ],
  [
    "tolerationSeconds with NoSchedule",
    "spec:\n  tolerations:\n  - key: a\n    operator: Exists\n    effect: NoSchedule #!\n    tolerationSeconds: 30\n",
  ],
  ["Exists with a value", "spec:\n  tolerations:\n  - key: a\n    operator: Exists\n    value: 'true' #!\n"],
  [
    "a Localhost profile without its file",
    `${CONTAINER}    securityContext:\n      seccompProfile: #!\n        type: Localhost\n`,
  ],
  [
    "a file for RuntimeDefault",
    `${CONTAINER}    securityContext:\n      seccompProfile:\n        type: RuntimeDefault\n        localhostProfile: a.json #!\n`,
  ],
  [
    "a seccomp type in the form of the annotation",
    "spec:\n  securityContext:\n    seccompProfile:\n      type: runtime/default #!\n",
  ],
  ["hostNetwork without hostUsers", "spec:\n  hostUsers: false\n  hostNetwork: true #!\n"],
  ["hostPID and shareProcessNamespace", "spec:\n  hostPID: true\n  shareProcessNamespace: true #!\n"],
  ["an annotation key with two slashes", "metadata:\n  annotations:\n    example.com/team/owner: x #!\n"],
  [
    "a label that is too long once rendered",
    "metadata:\n  labels:\n    example.com/sa: 'x{{sha256sum metadata.name}}' #!\n",
  ],
  ["a label with a blank", "metadata:\n  labels:\n    team: platform team #!\n"],
  ["a node selector with a slash", "spec:\n  nodeSelector:\n    topology.kubernetes.io/zone: eu/west #!\n"],
  [
    "an affinity of no weight",
    "spec:\n  affinity:\n    podAntiAffinity:\n      preferredDuringSchedulingIgnoredDuringExecution:\n      - weight: 0 #!\n        podAffinityTerm: {topologyKey: zone}\n",
  ],
  [
    "an affinity without a topology",
    "spec:\n  affinity:\n    podAntiAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n      - labelSelector: {matchLabels: {a: b}} #!\n",
  ],
  [
    "an operator in lower case",
    "spec:\n  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n        - matchExpressions:\n          - {key: a, operator: in, values: [b]} #!\n",
  ],
  [
    "Exists with values",
    "spec:\n  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n        - matchExpressions:\n          - {key: a, operator: Exists, values: [b]} #!\n",
  ],
  ["dnsPolicy None without a nameserver", "spec:\n  dnsPolicy: None #!\n"],
  ["four nameservers", "spec:\n  dnsConfig:\n    nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4] #!\n"],
  ["a nameserver by its name", "spec:\n  dnsConfig:\n    nameservers:\n    - dns.example.com #!\n"],
  ["a host alias by its name", "spec:\n  hostAliases:\n  - ip: localhost #!\n    hostnames: [a]\n"],
  ["a host alias with an underscore", "spec:\n  hostAliases:\n  - ip: 127.0.0.1\n    hostnames:\n    - My_Host #!\n"],
  ["a sysctl in capitals", "spec:\n  securityContext:\n    sysctls:\n    - {name: Net.Core, value: '1'} #!\n"],
  ["a negative user", `${CONTAINER}    securityContext:\n      runAsUser: -1 #!\n`],
  [
    "a mode without its leading 0",
    "spec:\n  volumes:\n  - name: c\n    configMap:\n      name: c\n      defaultMode: 644 #!\n",
  ],
  [
    "two sources in one item",
    "spec:\n  volumes:\n  - name: p\n    projected:\n      sources:\n      - secret: {name: a}\n        configMap: {name: b} #!\n",
  ],
  [
    "a token for a minute",
    "spec:\n  volumes:\n  - name: p\n    projected:\n      sources:\n      - serviceAccountToken:\n          path: t\n          expirationSeconds: 60 #!\n",
  ],
  [
    "an absolute subPath",
    "spec:\n  volumes:\n  - {name: v, emptyDir: {}}\n  containers:\n  - name: agent\n    image: agent:1\n    volumeMounts:\n    - {name: v, mountPath: /v, subPath: /abs} #!\n",
  ],
  [
    "Bidirectional without privileges",
    "spec:\n  volumes:\n  - {name: v, emptyDir: {}}\n  containers:\n  - name: agent\n    image: agent:1\n    volumeMounts:\n    - {name: v, mountPath: /v, mountPropagation: Bidirectional} #!\n",
  ],
  ["a CSI volume without a driver", "spec:\n  volumes:\n  - name: v\n    csi: #!\n      readOnly: true\n"],
  ["a claim without a name", "spec:\n  volumes:\n  - name: v\n    persistentVolumeClaim: {readOnly: true} #!\n"],
  [
    "an ephemeral volume without a size",
    "spec:\n  volumes:\n  - name: v\n    ephemeral:\n      volumeClaimTemplate:\n        spec: #!\n          accessModes: [ReadWriteOnce]\n",
  ],
  [
    "a short access mode",
    "spec:\n  volumes:\n  - name: v\n    ephemeral:\n      volumeClaimTemplate:\n        spec:\n          accessModes: [RWO] #!\n          resources: {requests: {storage: 1Gi}}\n",
  ],
  ["a gRPC probe without a port", `${CONTAINER}    livenessProbe:\n      grpc: {service: x} #!\n`],
  [
    "a liveness probe with two successes",
    `${CONTAINER}    livenessProbe:\n      tcpSocket: {port: 80}\n      successThreshold: 2 #!\n`,
  ],
  ["a negative period", `${CONTAINER}    readinessProbe:\n      tcpSocket: {port: 80}\n      periodSeconds: -1 #!\n`],
  ["a scheme in lower case", `${CONTAINER}    readinessProbe:\n      httpGet: {port: 80, scheme: https} #!\n`],
  ["a port name in capitals", `${CONTAINER}    readinessProbe:\n      httpGet: {port: Http_Port} #!\n`],
  [
    "a sleep longer than the grace period",
    `${CONTAINER}    lifecycle:\n      preStop:\n        sleep: {seconds: 60} #!\n`,
  ],
  ["Unmasked with hostUsers", `${CONTAINER}    securityContext:\n      procMount: Unmasked #!\n`],
  ["a runtime class in capitals", "spec:\n  runtimeClassName: gVisor #!\n"],
  ["a service account in capitals", "spec:\n  serviceAccountName: My_SA #!\n"],
  ["a host name with a period", "spec:\n  hostname: web.example #!\n"],
  ["an operating system in capitals", "spec:\n  os: {name: Linux} #!\n"],
  [
    "a user ID on Windows",
    "spec:\n  os: {name: windows}\n  containers:\n  - name: agent\n    image: a\n    securityContext:\n      runAsUser: 1000 #!\n",
  ],
  ["an unknown preemptionPolicy", "spec:\n  preemptionPolicy: Always #!\n"],
  ["a readiness gate with a blank", "spec:\n  readinessGates:\n  - conditionType: 'my gate' #!\n"],
  ["a scheduling gate without a name", "spec:\n  schedulingGates:\n  - name: '' #!\n"],
  [
    "an AppArmor annotation for no container",
    "metadata:\n  annotations:\n    container.apparmor.security.beta.kubernetes.io/nosuch: runtime/default #!\n",
  ],
  ["a finalizer without a domain", "metadata:\n  finalizers:\n  - cleanup #!\n"],
  [
    "a resize policy for devices",
    `${CONTAINER}    resizePolicy:\n    - {resourceName: gpu, restartPolicy: NotRequired} #!\n`,
  ],
  ["a claim that the pod does not have", `${CONTAINER}    resources:\n      claims:\n      - name: nope #!\n`],
  [
    "a claim by two names",
    "spec:\n  resourceClaims:\n  - name: g #!\n    resourceClaimName: a\n    resourceClaimTemplateName: b\n",
  ],
  ["an ephemeral container", "spec:\n  ephemeralContainers: #!\n  - {name: dbg, image: x}\n"],
  ["another namespace", "metadata:\n  namespace: kube-system #!\n"],
  ["a resource version", "metadata:\n  resourceVersion: '12' #!\n"],
  ["another kind", "kind: Deployment #!\n"],
  ["another API version", "apiVersion: apps/v1 #!\n"],
  ["a priority class without its priority", "spec:\n  priorityClassName: high #!\n"],
  ["overhead without a runtime class", "spec:\n  overhead: {cpu: 10m} #!\n"],
  ["variables next to the containers", `${CONTAINER}  env: #!\n  - {name: A, value: b}\n`],
  ["limits next to the image", `${CONTAINER}    limits: #!\n      cpu: 1\n`],
  ["ports that are no list", `${CONTAINER}    ports: #!\n      containerPort: 80\n`],
  ["a command that is no list", `${CONTAINER}    command: sleep 5 #!\n`],
  ["variables that are no list", `${CONTAINER}    env: #!\n      A: b\n`],
  ["a port in quotes", `${CONTAINER}    ports:\n    - containerPort: '80' #!\n`],
  ["a secret volume by name", "spec:\n  volumes:\n  - name: s\n    secret: {name: s} #!\n"],
  [
    "a config map without a key",
    `${CONTAINER}    env:\n    - name: A\n      valueFrom:\n        configMapKeyRef: {name: cm} #!\n`,
  ],
];
