// What an editor may try on the pods of others: each as an edit and as an injection. An edit that no
// person accepted is held, whether a sample takes its branch or not, and `baseline` refuses the pod.
import { guardedInjection, parseGuardrails } from "@outrigger/guardrails";
import { compileRelease, loadRelease, type SourceTree, samplePods } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { type EffectName, HELD_BY_DEFAULT } from "./effects.ts";
import { compareReleases } from "./judge-edit.ts";

const AUTHOR = `
kind: Pod
metadata:
  name: web-5d8f-abcde
  labels: {app: web, version: v1, pod-template-hash: 5d8f}
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
    volumeMounts: [{name: istiod-ca-cert, mountPath: /var/run/secrets/istio}]
  volumes:
  - {name: istiod-ca-cert, configMap: {name: istio-ca-root-cert}}
`;

const SHIPPED: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": SIDECAR,
  "samples/web": AUTHOR,
};

const spec = (text: string) => `spec:\n  ${text}\n`;
const web = (text: string) => spec(`containers: [{name: web, ${text}}]`);
const own = (text: string, more = "") =>
  spec(`containers: [{name: own, image: registry.example/own:1, ${text}}]${more}`);
const mounted = (path: string) =>
  `${web(`volumeMounts: [{name: own, mountPath: ${path}}]`)}  volumes: [{name: own, emptyDir: {}}]\n`;
const volume = (text: string) => spec(`volumes: [{name: own, ${text}}]`);
const token = (audience: string) =>
  own(
    "volumeMounts: [{name: t, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]",
    `\n  volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: token${audience}}}]}}]`,
  );
const label = (key: string, value = "x") => `metadata: {labels: {${key}: '${value}'}}\n`;
const annotation = (key: string, value = "x") => `metadata: {annotations: {${key}: ${JSON.stringify(value)}}}\n`;
const proxy = (text: string) => spec(`containers: [{name: istio-proxy, image: registry.example/proxyv2:1, ${text}}]`);
const variable = (name: string, value: string) => proxy(`env: [{name: ${name}, value: '${value}'}]`);

/** The class that holds it → what is tried. */
const ATTACKS: Readonly<Partial<Record<EffectName, readonly string[]>>> = {
  "author-changed": [
    label("app"),
    label("version"),
    label("pod-template-hash"),
    label("security.istio.io/tlsMode", "disabled"),
    "metadata: {labels: {app: null}}\n",
    annotation("team"),
    "metadata: {annotations: {team: null}}\n",
    spec("runtimeClassName: runc"),
    spec("runtimeClassName: null"),
    spec("nodeSelector: {pool: b}"),
    spec("nodeSelector: null"),
    web("env: [{name: LD_PRELOAD, value: /x.so}]"),
    web("env: [{name: NODE_OPTIONS, value: '-r /x'}]"),
    web("workingDir: /tmp"),
    web("tty: true"),
    web("resources: {limits: {memory: 8Mi}}"),
    web("livenessProbe: {exec: {command: ['false']}}"),
    web("lifecycle: {preStop: {httpGet: {host: evil.example, path: /, port: 80}}}"),
    web("ports: [{containerPort: 81}]"),
    web("securityContext: {runAsNonRoot: true}"),
    mounted("/usr/local/bin"),
    mounted("/var/run/secrets/kubernetes.io/serviceaccount"),
    spec("volumes: [{name: data, persistentVolumeClaim: null, emptyDir: {}}]"),
    spec("volumes: [{name: data, persistentVolumeClaim: {readOnly: true}}]"),
    spec("volumes: [{name: keys, $patch: delete}]"),
  ],
  "pod-may-not-run": [
    "metadata: {finalizers: [evil.example/never]}\n",
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
    spec("hostname: evil"),
    spec("enableServiceLinks: false"),
    spec("readinessGates: [{conditionType: evil.example/never}]"),
    spec("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]"),
    spec("securityContext: {fsGroup: 0}"),
    spec("securityContext: {supplementalGroups: [0]}"),
    spec("securityContext: {runAsNonRoot: true}"),
    spec("resources: {limits: {cpu: '8'}}"),
  ],
  "privileges-widened": [
    spec("hostUsers: true"),
    volume("hostPath: {path: /run/own}"),
    volume("nfs: {server: a, path: /}"),
    volume("azureFile: {shareName: a, secretName: web}"),
    volume("flexVolume: {driver: a/b, secretRef: {name: web}}"),
    volume("cephfs: {monitors: [a], secretRef: {name: web}}"),
    volume(
      "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}",
    ),
    own("readinessProbe: {httpGet: {host: 192.0.2.1, path: /, port: 80}}"),
    own("lifecycle: {postStart: {tcpSocket: {host: 192.0.2.1, port: 80}}}"),
    own("resources: {limits: {hugepages-2Mi: 64Mi, memory: 1Gi, cpu: '1'}}"),
  ],
  "identity-used": [
    token(""),
    token(", audience: sts.amazonaws.com"),
    token(", audience: https://kubernetes.default.svc"),
    annotation("iam.amazonaws.com/role", "arn:aws:iam::123456789012:role/evil"),
    volume("persistentVolumeClaim: {claimName: other}"),
    volume("projected: {sources: [{podCertificate: {signerName: a/b, keyType: ED25519, keyPath: k}}]}"),
    own("volumeMounts: [{name: keys, mountPath: /keys}]"),
    own("volumeMounts: [{name: data, mountPath: /data}]"),
  ],
  "control-plane-address": [
    annotation("proxy.istio.io/config", "discoveryAddress: evil.example:15012"),
    variable("PROXY_CONFIG", '{"discovery_address": "evil.example:15012"}'),
    variable("PROXY_CONFIG", "discoveryAddress: evil.example:15012"),
    variable("PROXY_CONFIG", '{"binaryPath": "/tmp/evil"}'),
    variable("PROXY_CONFIG", '{"proxyBootstrapTemplatePath": "/tmp/evil"}'),
    variable("PROXY_CONFIG", '{"proxyMetadata": {"CA_ADDR": "evil.example:15012"}}').replace(
      'CA_ADDR"',
      'XDS_ROOT_CA"',
    ),
    variable("XDS_ROOT_CA", "/tmp/evil.pem"),
    variable("CA_ROOT_CA", "/tmp/evil.pem"),
    variable("CA_ADDR", "evil.example:15012"),
    spec("hostAliases: [{ip: 192.0.2.1, hostnames: [istiod.istio-system.svc]}]"),
    spec("volumes: [{name: istiod-ca-cert, configMap: {name: evil}}]"),
  ],
};

const CONFIG = { config: "defaultTemplates: [sidecar, evil]\n" };
const plainly = (text: string): SourceTree => ({ ...CONFIG, "templates/evil": text });
const hidden = (text: string): SourceTree =>
  plainly(`{{#if (eq (lookup metadata.annotations "evil") "yes")}}\n${text}{{/if}}\n`);
const HARMLESS = compileRelease([SHIPPED, plainly("")]);

/** The classes that hold an edit. */
function heldOf(tree: SourceTree): readonly string[] {
  const layers = [SHIPPED, tree];
  const effects = compareReleases(HARMLESS, compileRelease(layers), layers);
  return effects.map(({ name }) => name).filter((name) => HELD_BY_DEFAULT.includes(name));
}

const CASES = Object.entries(ATTACKS).flatMap(([name, texts]) => texts.map((text) => ({ name, text })));

/** The proxy's own variables and volumes, which are compared where a sample comes to it. */
const COMPARED = /istio-proxy|istiod-ca-cert/;

/** Whether a pod has that annotation is known when it is injected. */
const UNKNOWABLE = [annotation("team")];

describe(`${CASES.length} edits of an author's pods`, () => {
  it.each(CASES)("$name holds $text", ({ name, text }) => expect(heldOf(plainly(text))).toContain(name));

  it.each(CASES.filter(({ text }) => !COMPARED.test(text) && !UNKNOWABLE.includes(text)))(
    "is held behind a branch: $text",
    ({ text }) => expect(heldOf(hidden(text))).not.toEqual([]),
  );

  it.each(CASES.filter(({ text }) => !COMPARED.test(text)))("is refused by baseline: $text", ({ text }) =>
    expect(() => inject(text)).toThrow("guardrails"),
  );
});

function inject(text: string): void {
  const release = loadRelease(compileRelease([SHIPPED, hidden(text)]));
  const asking = AUTHOR.replace("{team: shop}", '{team: shop, evil: "yes"}');
  const [sample] = samplePods([{ "samples/web": asking }]);
  guardedInjection(parseGuardrails("baseline,secret:mesh-*,secret:regcred"))(release, sample?.request as never);
}

describe("images by the grammar of references", () => {
  const guardrails = parseGuardrails("baseline,image:registry.istio.io/*,image:registry.example/*");
  const attempt = (image: string) => {
    const text = `spec:\n  containers:\n  - name: own\n    image: ${JSON.stringify(image)}\n`;
    const release = loadRelease(compileRelease([SHIPPED, hidden(text)]));
    const pod = {
      metadata: { name: "a", annotations: { evil: "yes" } },
      spec: { containers: [{ name: "a", image: "a" }] },
    };
    return guardedInjection(guardrails)(release, { pod, namespace: "shop", parameters: {} } as never);
  };

  it.each([
    "registry.istio.io/../evil/x",
    "registry.istio.io/x:1 evil",
    "registry.istio.io//x",
    "registry.istio.io/x@evil",
    "evil.example/x",
  ])("refuse %j", (image) => expect(() => attempt(image)).toThrow());

  it.each(["registry.istio.io/release/proxyv2:1.31.0", `registry.istio.io/x:1@sha256:${"0".repeat(64)}`])(
    "admit %j",
    (image) => expect(attempt(image)).toMatchObject({ injected: true }),
  );
});

describe("an edit of every day", () => {
  const telemetry = `spec:
  containers:
  {{#each spec.containers}}
  - name: {{name}}
    env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: 'http://localhost:4317'}]
  {{/each}}
`;
  const agent = (image: string) => own("").replace("registry.example/own:1, ", image);
  it.each([
    ["another tag of the proxy", spec("containers: [{name: istio-proxy, image: registry.example/proxyv2:2}]")],
    ["a mirror", spec("containers: [{name: istio-proxy, image: mirror.example/proxyv2:1}]")],
    ["resources", proxy("resources: {limits: {cpu: '2', memory: 1Gi}, requests: {cpu: 10m}}")],
    ["a log level", proxy("args: [proxy, '--proxyLogLevel=debug']")],
    ["a variable of the proxy", proxy("env: [{name: ISTIO_META_A, value: b}]")],
    ["a probe of the proxy", proxy("readinessProbe: {httpGet: {path: /healthz/ready, port: 15021}}")],
    ["a label of its own", label("mesh.example/part-of")],
    ["an annotation of its own", annotation("mesh.example/note")],
    ["a sidecar", agent("registry.example/agent:1")],
    ["a sidecar with a Secret of its own", own("envFrom: [{secretRef: {name: mesh-own}}]")],
    [
      "a sidecar with a volume",
      own("volumeMounts: [{name: own, mountPath: /own}]", "\n  volumes: [{name: own, emptyDir: {}}]"),
    ],
    [
      "a sidecar with a ConfigMap",
      own("volumeMounts: [{name: own, mountPath: /own}]", "\n  volumes: [{name: own, configMap: {name: own}}]"),
    ],
    ["a sidecar with a token for its own", token(", audience: vault")],
    ["an endpoint of telemetry", telemetry],
    ["a pull secret", spec("imagePullSecrets: [{name: regcred}]")],
    ["a grace period", spec("terminationGracePeriodSeconds: 60")],
    ["an option of DNS", spec("dnsConfig: {options: [{name: ndots, value: '2'}]}")],
  ])("is neither held nor refused: %s", (_what, text) => {
    expect(heldOf(plainly(text))).toEqual([]);
    expect(() => inject(text)).not.toThrow();
  });
});
