// The forms in which public repositories configure Istio's injector, each reduced to its facts and written again for this project,
// with what the import makes of them.
import type { JsonObject } from "@outrigger/base";

export interface PublicConfiguration {
  readonly name: string;
  readonly text: string;
  /** What `config.yaml` says. */
  readonly config?: JsonObject;
  readonly mesh?: JsonObject;
  /** Part of the values. */
  readonly values?: JsonObject;
  /** Paths of the tree besides config, mesh and values. */
  readonly paths?: readonly string[];
  /** Part of each finding, in order; notes are left out. */
  readonly findings?: readonly string[];
}

const SPIRE = `spec:
  volumes:
  - name: workload-socket
    csi: {driver: csi.spiffe.io, readOnly: true}
`;
const indented = (text: string, spaces: number) => text.replaceAll(/^(?=.)/gm, " ".repeat(spaces));

export const PUBLIC_CONFIGURATIONS: readonly PublicConfiguration[] = [
  {
    name: "an IstioOperator with an annotation for Multus",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {namespace: istio-system, name: istio-operator}
spec:
  profile: demo
  components: {cni: {enabled: true}}
  values:
    global: {jwtPolicy: first-party-jwt}
    sidecarInjectorWebhook:
      injectedAnnotations: {k8s.v1.cni.cncf.io/networks: istio-cni}
`,
    config: { injectedAnnotations: { "k8s.v1.cni.cncf.io/networks": "istio-cni" } },
    values: {
      global: { jwtPolicy: "first-party-jwt", proxy: { resources: { requests: { cpu: "10m", memory: "40Mi" } } } },
      pilot: { cni: { enabled: true } },
    },
  },
  {
    name: "an IstioOperator with a selector of pods that are left alone",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  revision: blue
  hub: registry.example/istio
  tag: 1.30.1
  meshConfig:
    trustDomain: example.org
    defaultConfig: {proxyMetadata: {ISTIO_META_DNS_CAPTURE: "true"}}
  values:
    sidecarInjectorWebhook:
      injectedAnnotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "true"}
      neverInjectSelector:
      - matchExpressions:
        - {key: app, operator: In, values: [admission-create, admission-patch]}
`,
    config: {
      injectedAnnotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": "true" },
      neverInjectSelector: [
        { matchExpressions: [{ key: "app", operator: "In", values: ["admission-create", "admission-patch"] }] },
      ],
      revision: "blue",
      istio: "1.30",
    },
    mesh: {
      trustDomain: "example.org",
      defaultConfig: {
        discoveryAddress: "istiod-blue.istio-system.svc:15012",
        proxyMetadata: { ISTIO_META_DNS_CAPTURE: "true" },
      },
    },
    values: { global: { hub: "registry.example/istio", tag: "1.30.1" } },
  },
  {
    name: "an IstioOperator with mesh configuration in two places",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  meshConfig: {accessLogFile: /dev/stdout}
  values: {meshConfig: {trustDomain: example.org, accessLogFile: ""}}
`,
    mesh: { trustDomain: "example.org", accessLogFile: "/dev/stdout" },
  },
  {
    name: "an IstioOperator with the CNI plugin and nothing else",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec: {components: {cni: {enabled: true}}}
`,
    values: { pilot: { cni: { enabled: true } } },
  },
  {
    name: "an IstioOperator whose components win over values, and values over its own keys",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  revision: a
  hub: registry.example/a
  namespace: not-read
  components: {pilot: {namespace: control}, ztunnel: {enabled: true}}
  values: {revision: b, global: {hub: registry.example/b}, pilot: {cni: {enabled: true}}}
  unvalidatedValues: {global: {meshID: m}}
`,
    config: { revision: "b" },
    mesh: { defaultConfig: { discoveryAddress: "istiod-b.control.svc:15012", meshId: "m" } },
    values: { global: { hub: "registry.example/b", meshID: "m" }, pilot: { cni: { enabled: false } } },
  },
  {
    name: "an IstioOperator that patches istiod and its ConfigMaps",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  installPackagePath: /charts
  addonComponents: {kiali: {enabled: true}}
  components:
    pilot:
      enabled: false
      k8s:
        env:
        - {name: ENABLE_NATIVE_SIDECARS, value: "false"}
        - {name: COMPLIANCE_POLICY, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: PILOT_A, value: "1"}
        overlays:
        - {kind: ConfigMap, name: istio-sidecar-injector, patches: [{path: data.a, value: b}]}
        - {kind: Service, name: istiod}
`,
    config: { nativeSidecars: false },
    findings: [
      "Left out spec.addonComponents of the IstioOperator: it is not known",
      "Left out the charts and profiles of spec.installPackagePath, /charts",
      "Cannot read COMPLIANCE_POLICY of spec.components.pilot.k8s.env: it is no text",
      "spec.components.pilot.enabled is false: this IstioOperator installs no injector",
      "Cannot apply the patches of ConfigMap istio-sidecar-injector in spec.components.pilot.k8s.overlays",
    ],
  },
  {
    name: "an IstioOperator of the profile openshift without the CNI plugin",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec: {profile: openshift, components: {cni: {enabled: false}}}
`,
    config: { platform: "openshift" },
    values: { pilot: { cni: { enabled: false, provider: "multus" } } },
  },
  {
    name: "an IstioOperator of the profile remote",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec: {profile: remote}
`,
    mesh: { defaultProviders: { metrics: [] } },
    findings: ["Cannot derive the mesh configuration: configMap is false"],
  },
  {
    name: "an IstioOperator of a profile of one's own",
    text: `apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec: {profile: /profiles/ours.yaml, hub: registry.example/istio}
`,
    values: { global: { hub: "registry.example/istio" } },
    findings: ["Cannot read the values of spec.profile /profiles/ours.yaml"],
  },
  {
    name: "Helm values below defaults",
    text: `defaults:
  meshConfig: {trustDomain: example.org}
  global: {proxy: {logLevel: debug, clusterDomain: example.org}}
  sidecarInjectorWebhook:
    templates:
      spire: |
${indented(SPIRE, 8)}global: {proxy: {logLevel: info}}
sidecarInjectorWebhook: {defaultTemplates: [sidecar, spire]}
`,
    config: { defaultTemplates: ["sidecar", "spire"] },
    mesh: { trustDomain: "example.org" },
    values: { global: { proxy: { logLevel: "info", clusterDomain: "example.org" } } },
    paths: ["templates/spire"],
  },
  {
    name: "Helm values of a chart that has istiod as a dependency",
    text: `global: {proxy: {clusterDomain: example.org}}
istiod:
  global: {proxy: {logLevel: debug}}
  sidecarInjectorWebhook: {templates: {spire: ${JSON.stringify(SPIRE)}}}
  meshConfig: {enablePrometheusMerge: false}
monitoring: {enabled: true}
`,
    mesh: { enablePrometheusMerge: false },
    values: { global: { proxy: { clusterDomain: "example.org", logLevel: "debug" } } },
    paths: ["templates/spire"],
  },
  {
    name: "Helm values that leave jobs alone",
    text: `pilot: {resources: null}
meshConfig: {defaultConfig: {holdApplicationUntilProxyStarts: true}}
sidecarInjectorWebhook:
  neverInjectSelector:
  - matchExpressions:
    - {key: job-name, operator: Exists}
`,
    config: { neverInjectSelector: [{ matchExpressions: [{ key: "job-name", operator: "Exists" }] }] },
    mesh: { defaultConfig: { holdApplicationUntilProxyStarts: true } },
  },
  {
    name: "Helm values with the policy, aliases and native sidecars",
    text: `global: {proxy: {autoInject: disabled}, platform: openshift}
pilot: {env: {ENABLE_NATIVE_SIDECARS: "false", COMPLIANCE_POLICY: fips-140-2}}
sidecarInjectorWebhook:
  aliases: {both: [sidecar, spire]}
  templates: {spire: ${JSON.stringify(SPIRE)}}
`,
    config: {
      policy: "disabled",
      aliases: { both: ["sidecar", "spire"] },
      nativeSidecars: false,
      compliancePolicy: "fips-140-2",
      platform: "openshift",
    },
    values: { pilot: { cni: { enabled: true, provider: "multus" } } },
    paths: ["templates/spire"],
  },
  {
    name: "Helm values of an ambient profile and an older release",
    text: "profile: ambient\ncompatibilityVersion: '1.26'\nglobal: {tag: 1.29.2}\n",
    config: { istio: "1.29", nativeSidecars: false },
    mesh: { defaultConfig: { image: { imageType: "distroless" }, proxyMetadata: { ISTIO_META_ENABLE_HBONE: "true" } } },
  },
  {
    name: "Helm values of a profile and a platform that no release has",
    text: "profile: external\nplatform: moon\n",
    findings: ["Cannot read the values of profile external", "Cannot read the values of platform moon"],
  },
  {
    name: "Helm values with a template that is a mapping",
    text: "sidecarInjectorWebhook: {templates: {custom: {spec: {containers: []}}}}\n",
    findings: ["The template custom is not text"],
  },
  {
    name: "values of something else",
    text: "replicaCount: 2\nimage: {tag: 1.2.3}\n",
    values: { replicaCount: 2 },
    findings: ["None of the keys is one of the chart istiod"],
  },
  {
    name: "an Istio of the Sail operator",
    text: `apiVersion: sailoperator.io/v1
kind: Istio
metadata: {name: default}
spec:
  version: v1.28.1
  namespace: istio-system
  profile: openshift
  updateStrategy: {type: InPlace}
  values:
    global: {meshID: mesh1, multiCluster: {clusterName: cluster1}, network: network1}
    meshConfig: {trustDomain: example.org}
    sidecarInjectorWebhook:
      templates:
        spire: |
${indented(SPIRE, 10)}`,
    config: { istio: "1.28", platform: "openshift" },
    mesh: { trustDomain: "example.org", defaultConfig: { meshId: "mesh1" } },
    values: {
      pilot: { cni: { enabled: true } },
      global: { meshID: "mesh1", multiCluster: { clusterName: "cluster1" }, network: "network1" },
    },
    paths: ["templates/spire"],
  },
  {
    name: "an Istio of the Sail operator that is updated by revisions",
    text: `apiVersion: sailoperator.io/v1
kind: Istio
metadata: {name: prod}
spec:
  version: v1.30.3
  namespace: mesh-system
  updateStrategy: {type: RevisionBased}
  values: {revision: ignored, global: {istioNamespace: mesh-system}}
`,
    config: { istio: "1.30", revision: "prod-v1-30-3" },
    mesh: {
      rootNamespace: "mesh-system",
      defaultConfig: { discoveryAddress: "istiod-prod-v1-30-3.mesh-system.svc:15012" },
    },
    values: { revision: "prod-v1-30-3", global: { istioNamespace: "mesh-system" } },
  },
  {
    name: "Helm values of a second istiod in a namespace of its own",
    text: `revision: canary
global:
  istioNamespace: mesh-system
  meshID: mesh1
  variant: distroless
  proxy: {tracer: zipkin}
pilot: {env: {PILOT_A: "1"}, autoscaleMin: 2}
`,
    config: { revision: "canary" },
    mesh: {
      rootNamespace: "mesh-system",
      defaultConfig: {
        discoveryAddress: "istiod-canary.mesh-system.svc:15012",
        meshId: "mesh1",
        image: { imageType: "distroless" },
        tracing: { zipkin: { address: "zipkin.mesh-system:9411" } },
      },
    },
    values: { revision: "canary", global: { istioNamespace: "mesh-system" } },
  },
  {
    name: "Helm values of a mesh whose istiod is elsewhere",
    text: "global: {remotePilotAddress: 192.0.2.1}\nconfigMap: false\n",
    findings: ["Cannot derive the mesh configuration: configMap is false, so the chart writes none"],
  },
  {
    name: "Helm values with those of istiod at the top level",
    text: "cni: {enabled: true}\nenv: {ENABLE_NATIVE_SIDECARS: false}\nreplicaCount: 2\n",
    config: { nativeSidecars: false },
    values: { pilot: { cni: { enabled: true } } },
  },
  {
    name: "a ConfigMap with selectors of operators",
    text: `apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector, namespace: istio-system}
data:
  values: '{"global": {"tag": "1.31.0"}}'
  config: |
    policy: enabled
    alwaysInjectSelector: [{matchLabels: {mesh: "true"}}]
    neverInjectSelector:
    - matchExpressions:
      - {key: strimzi.io/kind, operator: In, values: [cluster-operator]}
    injectedAnnotations:
    template: "{{ Template_Version_And_Istio_Version_Mismatched_Check_Installation }}"
    templates: {}
    someday: true
`,
    config: {
      policy: "enabled",
      alwaysInjectSelector: [{ matchLabels: { mesh: "true" } }],
      neverInjectSelector: [
        { matchExpressions: [{ key: "strimzi.io/kind", operator: "In", values: ["cluster-operator"] }] },
      ],
      istio: "1.31",
      defaults: "none",
    },
    values: { global: { tag: "1.31.0" } },
    findings: ["Left out someday", "No mesh configuration was given"],
  },
  {
    name: "a ConfigMap from before Istio 1.9",
    text: `apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector}
data:
  values: "{}"
  config: |
    policy: enabled
    template: |
      rewriteAppHTTPProbe: {{ valueOrDefault .Values.sidecarInjectorWebhook.rewriteAppHTTPProbe false }}
      containers:
      - name: istio-proxy
        image: registry.example/proxy:1
`,
    config: { policy: "enabled", defaults: "none" },
    paths: ["templates/sidecar"],
    findings: [
      "Cannot inject rewriteAppHTTPProbe at the top level of a template: a pod has none there; injectors before Istio 1.9 read it",
      "Cannot inject containers at the top level of a template: a pod has none there; indent it below spec",
      "No mesh configuration was given",
    ],
  },
];
