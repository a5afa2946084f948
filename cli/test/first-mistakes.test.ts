// The mistakes of a first hour: each is named by a denial, a warning or explain, with the thing, its place and the fix.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

interface Written {
  readonly annotations?: string;
  readonly labels?: string;
  /** The fields of the container. */
  readonly container?: string;
  readonly spec?: string;
}

function podOf({ annotations = "", labels = "", container = "image: web:1", spec = "" }: Written): string {
  const metadata = `{name: web, annotations: {${annotations}}, labels: {${labels}}}`;
  return `apiVersion: v1\nkind: Pod\nmetadata: ${metadata}\nspec: {containers: [{name: web, ${container}}]${spec}}\n`;
}

const annotated = (key: string, value: string) => podOf({ annotations: `${key}: ${JSON.stringify(value)}` });
const contained = (container: string) => podOf({ container });

type Row = readonly [mistake: string, manifest: string, ...said: string[]];

/** The pod is refused: by Istio, by an API server, or because its proxy would not start. */
const DENIED: readonly Row[] = [
  [
    "a port out of range",
    annotated("traffic.sidecar.istio.io/excludeInboundPorts", "70000"),
    "use ports from 0 to 65535",
  ],
  ["a port's name", annotated("traffic.sidecar.istio.io/excludeInboundPorts", "http"), "like 80,443"],
  ["ports with semicolons", annotated("traffic.sidecar.istio.io/includeInboundPorts", "80;443"), 'use "*" or ports'],
  ["a negative port", annotated("traffic.sidecar.istio.io/excludeOutboundPorts", "-1"), "like 80,443"],
  [
    "a mask that is too long",
    annotated("traffic.sidecar.istio.io/includeOutboundIPRanges", "10.0.0.0/33"),
    "like 10.0.0.0/8",
  ],
  [
    "a range with a space",
    annotated("traffic.sidecar.istio.io/excludeOutboundIPRanges", "10.0.0.0/8, 1.0.0.0/8"),
    "without spaces",
  ],
  ["an interception mode", annotated("sidecar.istio.io/interceptionMode", "TPROXI"), "use REDIRECT, TPROXY or NONE"],
  ["a status port", annotated("status.sidecar.istio.io/port", "abc"), "use a port from 0 to 65535"],
  ["a period in words", annotated("readiness.status.sidecar.istio.io/periodSeconds", "2s"), "use a whole number"],
  ["a negative delay", annotated("readiness.status.sidecar.istio.io/initialDelaySeconds", "-1"), "use a whole number"],
  ["an amount of CPU", annotated("sidecar.istio.io/proxyCPU", "lots"), "use a quantity, like 100m"],
  ["an amount of memory", annotated("sidecar.istio.io/proxyMemoryLimit", "1 GB"), "use a quantity, like 100m or 128Mi"],
  ["a log level", annotated("sidecar.istio.io/logLevel", "verbose"), "sidecar.istio.io/logLevel", "trace, debug, info"],
  ["a switch", annotated("prometheus.istio.io/merge-metrics", "maybe"), "use true or false"],
  [
    "an interface's name",
    annotated("traffic.sidecar.istio.io/excludeInterfaces", "a-name-that-is-too-long"),
    "at most 15 characters",
  ],
  [
    "a ProxyConfig that is no YAML",
    annotated("proxy.istio.io/config", "{"),
    "the bracket that opens here is not closed",
  ],
  ["a number in words", annotated("proxy.istio.io/config", "concurrency: two"), "concurrency must be a whole number"],
  [
    "a mapping as a number",
    annotated("proxy.istio.io/config", "tracing: {zipkin: 5}"),
    "tracing.zipkin must be a mapping",
  ],
  [
    "volumes that are no JSON",
    annotated("sidecar.istio.io/userVolume", "data"),
    "unexpected token",
    '[{"name":"data","emptyDir":{}}]',
  ],
  [
    "a mount without a path",
    annotated("sidecar.istio.io/userVolumeMount", '[{"name":"a"}]'),
    "item 1 has no mountPath",
    '"mountPath":"/data"',
  ],
  [
    "a mount without its volume",
    annotated("sidecar.istio.io/userVolumeMount", '[{"name":"gone","mountPath":"/a"}]'),
    'of container "istio-proxy" must name a volume of the pod, not "gone"',
    'change metadata.annotations["sidecar.istio.io/userVolumeMount"]',
  ],
  [
    "a volume's name",
    annotated("sidecar.istio.io/userVolume", '[{"name":"A B","emptyDir":{}}]'),
    "must be a DNS label",
    'change metadata.annotations["sidecar.istio.io/userVolume"]',
  ],
  ["a template's name", annotated("inject.istio.io/templates", "sidcar"), '"sidcar"', "use one of gateway, "],
  [
    "a list as an image",
    podOf({ spec: ", initContainers: [{name: setup, image: [a]}]" }),
    'image of container "setup" must be text',
  ],
  [
    "text as a port",
    contained("image: a, ports: [{containerPort: http}]"),
    'containerPort of container "web" must be a whole number',
  ],
  [
    "text as containers",
    "kind: Pod\nmetadata: {name: web}\nspec: {containers: web}\n",
    "spec.containers must be a list",
  ],
];

/** The pod is injected, and does not do what its author means. */
const WARNED: readonly Row[] = [
  [
    "a field of the ProxyConfig",
    annotated("proxy.istio.io/config", "holdApplicationsUntilProxyStarts: true"),
    "proxy.istio.io/config",
    'did you mean "holdApplicationUntilProxyStarts"',
  ],
  [
    "a label in capitals",
    podOf({ labels: 'Sidecar.istio.io/inject: "true"' }),
    "label Sidecar.istio.io/inject",
    "write sidecar.istio.io/inject",
  ],
  [
    "the namespace's label",
    podOf({ labels: "istio-injection: enabled" }),
    "istio-injection is for namespaces",
    'write sidecar.istio.io/inject: "true"',
  ],
  ["an image with a space", contained('image: "web: 1"'), "container web: white space in its image", "remove it"],
  [
    "a probe on a port without that name",
    contained("image: a, readinessProbe: {httpGet: {port: http}}"),
    'readinessProbe is on port "http"',
    "add it to ports",
  ],
  [
    "the proxy's user",
    contained("image: a, securityContext: {runAsUser: 1337}"),
    "container web: runAsUser 1337",
    "use another",
  ],
  [
    "the proxy's metrics port",
    contained("image: a, ports: [{containerPort: 15090}]"),
    "port 15090 is istio-proxy's",
    "listen on another",
  ],
  [
    "the proxy's port in a native sidecar",
    podOf({
      spec: ", initContainers: [{name: log, image: a, restartPolicy: Always, ports: [{containerPort: 15021}]}]",
    }),
    "container log: port 15021",
    "listen on another",
  ],
  ["image: auto", contained("image: auto"), "container web: no template gives it an image", 'instead of "auto"'],
  [
    "an annotation",
    annotated("sidecar.istio.io/proxyImagee", "a"),
    "metadata.annotations['sidecar.istio.io/proxyImagee']",
    "did you mean sidecar.istio.io/proxyImage?",
  ],
  [
    "an annotation's domain",
    annotated("sidecar.istio.io/excludeInboundPorts", "80"),
    "did you mean traffic.sidecar.istio.io/excludeInboundPorts?",
  ],
  ["a singular", annotated("inject.istio.io/template", "gateway"), "did you mean inject.istio.io/templates?"],
  [
    "a label",
    podOf({ labels: 'sidecar.istio.io/injct: "true"' }),
    "metadata.labels['sidecar.istio.io/injct']",
    "did you mean sidecar.istio.io/inject?",
  ],
  [
    "a key that is given twice",
    contained("image: a, image: b"),
    "web.yaml:4:",
    "a key is given twice in its mapping: the last one counts",
  ],
];

const deployment = (metadata: string, kind = "Deployment") => {
  const template = "{metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}";
  const spec = kind === "CronJob" ? `{jobTemplate: {spec: {template: ${template}}}}` : `{template: ${template}}`;
  return `apiVersion: apps/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;
};
const labelled = (labels: string) => podOf({ labels });
const ENABLED = "istio-injection=enabled";

/** The pod gets no sidecar: options, manifest, what explain says. */
const EXPLAINED: readonly (readonly [mistake: string, options: string, manifest: string, ...said: string[]])[] = [
  ["the host's network", `--namespace-label ${ENABLED}`, podOf({ spec: ", hostNetwork: true" }), "(spec.hostNetwork)"],
  ["a system namespace", `-n kube-system --namespace-label ${ENABLED}`, podOf({}), "run it in another namespace"],
  [
    "a label on the Deployment",
    "--namespace-label a=b",
    deployment('{name: web, labels: {sidecar.istio.io/inject: "true"}}'),
    "move it to spec.template.metadata.labels",
  ],
  [
    "a revision on the CronJob",
    "--namespace-label a=b",
    deployment("{name: web, labels: {istio.io/rev: prod}}", "CronJob"),
    "move it to spec.jobTemplate.spec.template.metadata.labels",
  ],
  [
    "a word for true",
    "--namespace-label a=b",
    labelled("sidecar.istio.io/inject: enabled"),
    'is "enabled", which means nothing: write "true"',
  ],
  [
    "an annotation that no selector sees",
    "--namespace-label a=b",
    annotated("sidecar.istio.io/inject", "true"),
    "write it as a label",
  ],
  [
    "a pod that opts out",
    `--namespace-label ${ENABLED}`,
    labelled('sidecar.istio.io/inject: "false"'),
    'its label sidecar.istio.io/inject is "false"',
  ],
  [
    "a tag that is not registered",
    "--namespace-label istio.io/rev=prod",
    podOf({}),
    "istio.io/rev of the namespace is prod",
    "--tag prod",
  ],
  [
    "a namespace that is switched off",
    "--namespace-label istio-injection=disabled",
    podOf({}),
    "kubectl label namespace default istio-injection=enabled --overwrite",
  ],
  [
    "a namespace's word for enabled",
    "--namespace-label istio-injection=true",
    podOf({}),
    'is "true", which means nothing',
    "istio-injection=enabled --overwrite",
  ],
  [
    "both labels of a namespace",
    `--namespace-label ${ENABLED} --namespace-label istio.io/rev=prod`,
    podOf({}),
    "istio-injection wins",
  ],
  [
    "no label at all",
    "--namespace-label a=b",
    podOf({}),
    "Neither the namespace nor the pod asks for a sidecar: kubectl label namespace",
  ],
  ["labels that are not known", "", podOf({}), "Not known whether it is sent", "--namespace-label"],
];

describe("the mistakes of a first hour", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeAll(() => {
    cli = fakeCli(fakeAws().connect);
  });
  afterAll(() => cli.remove("."));

  it.each(DENIED)("%s: the pod is refused", async (_mistake, manifest, ...said) => {
    cli.write("web.yaml", manifest);
    const { code, out, err } = await cli.run("inject -f web.yaml");
    expect([code, out]).toEqual([1, ""]);
    for (const part of ["Cannot inject web.yaml", ...said]) expect(err).toContain(part);
    expect((await cli.run("explain -f web.yaml")).out + err).toContain(said[0]);
  });

  it.each(WARNED)("%s: a warning of inject and explain", async (_mistake, manifest, ...said) => {
    cli.write("web.yaml", manifest);
    const { code, out, err } = await cli.run("inject -f web.yaml");
    expect(code).toBe(0);
    expect(out).toContain("istio-proxy");
    for (const part of said) expect(err).toContain(part);
    if (!err.startsWith("Warning: ")) return;
    const { out: explained } = await cli.run("explain -f web.yaml");
    for (const part of said) expect(explained).toContain(part);
  });

  it.each(EXPLAINED)("%s: explain says why there is no sidecar", async (_mistake, options, manifest, ...said) => {
    cli.write("web.yaml", manifest);
    const { code, out } = await cli.run(`explain -f web.yaml ${options}`.trim());
    expect(code).toBe(0);
    for (const part of said) expect(out).toContain(part);
  });

  it("are more than fifty", () => {
    expect(DENIED.length + WARNED.length + EXPLAINED.length).toBeGreaterThanOrEqual(50);
  });
});
