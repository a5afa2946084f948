// Pods and annotations as people write them: unusual, but each has a right answer.

import type { Container, Pod, Volume } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { uninjectPod } from "../manifest/uninject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import type { SourceTree } from "../release/source-tree.ts";

const APP: Container = { name: "app", image: "app" };
const STATUS = "sidecar.istio.io/status";
const OVERRIDES = "proxy.istio.io/overrides";

let shipped: SourceTree;
const injectors = new Map<string, Injector>();

beforeAll(async () => {
  shipped = await shippedTreeUntried();
});

function injectorOf(layer: SourceTree): Injector {
  const key = JSON.stringify(layer);
  const injector = injectors.get(key) ?? loadRelease(compileRelease([shipped, layer]));
  injectors.set(key, injector);
  return injector;
}

function run(pod: Pod, layer: SourceTree = {}) {
  return injectPod(injectorOf(layer), { pod, namespace: "default", parameters: {} });
}

function inject(pod: Pod, layer: SourceTree = {}) {
  const result = run(pod, layer);
  if (!result.injected) throw new Error(result.message);
  return result;
}

const podOf = (
  containers: readonly Container[],
  annotations: Readonly<Record<string, string>> = {},
  spec: object = {},
): Pod => ({ metadata: { name: "web", annotations }, spec: { containers, ...spec } });

const names = (list: readonly Container[] | undefined) => (list ?? []).map(({ name }) => name);
const proxyOf = ({ spec }: Pod) =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].filter(({ name }) => name === "istio-proxy");

describe("a pod for which a template writes more text than is read", () => {
  const comment = `    # ${"x".repeat(20_000)}\n`;
  const long = {
    "templates/long": `spec:\n  containers:\n{{#each spec.containers as |c|}}\n  - name: {{c.name}}\n${comment}{{/each}}\n`,
  };
  const many = podOf(
    Array.from({ length: 810 }, (_, at) => ({ ...APP, name: `c-${at}` })),
    { "inject.istio.io/templates": "long" },
  );

  it("is its author's fault, where the template renders for a small pod", () => {
    const message =
      'Cannot render template "long": its text is longer than 16000000 characters for this pod: make the pod smaller';
    expect(() => inject(many, long)).toThrow(expect.objectContaining({ code: "pod-invalid", message, path: "spec" }));
  });

  it("is the operator's fault, where the template renders for no pod", () => {
    const template = `spec: {}\n{{#each values.many}}\n${comment}{{/each}}\n`;
    const endless = { "templates/long": template, "values/90": JSON.stringify({ many: Array(810).fill(1) }) };
    expect(() => inject(many, endless)).toThrow(expect.objectContaining({ code: "template-render" }));
  });
});

describe("an annotation for which a template takes too many steps", () => {
  const LIST = '(splitList "," (annotation metadata "example.com/list" ""))';
  const rounds = `{{#each ${LIST} as |a|}}{{#each ${LIST} as |b|}}{{/each}}{{/each}}`;
  const doubled = `{{#let (annotation metadata "example.com/list" "") as |t|}}${"{{#let (cat t t) as |t|}}".repeat(9)}{{#if t}}{{/if}}${"{{/let}}".repeat(10)}`;
  const treeOf = (template: string) => ({ "templates/slow": `spec:\n  hostname: a\n${template}` });
  const pod = (length: number) =>
    podOf([APP], { "inject.istio.io/templates": "slow", "example.com/list": "x,".repeat(length), "example.com/b": "" });

  it.each([
    ["goes through a list for each of its items", rounds, 3000],
    ["doubles a text again and again", doubled, 3000],
    [
      "replaces each character by a long text",
      `{{#if (replace "x" ${LIST.slice(15, -1)} ${LIST.slice(15, -1)})}}{{/if}}`,
      5000,
    ],
  ])("is denied by its name: %s", (_, template, length) => {
    expect(inject(pod(10), treeOf(template)).patch).not.toEqual([]);
    expect(() => inject(pod(length), treeOf(template))).toThrow(
      expect.objectContaining({
        code: "annotation-invalid",
        path: 'metadata.annotations["example.com/list"]',
        message: expect.stringMatching(
          /^Cannot render template "slow": .* for this pod: make annotation example.com\/list shorter$/,
        ),
      }),
    );
  });

  it("is not one that takes as many steps as it is long", () => {
    const once = `{{#each ${LIST} as |a|}}{{#if (eq a "y")}}{{/if}}{{/each}}`;
    expect(inject(pod(60_000), treeOf(once)).patch).not.toEqual([]);
  });
});

describe("user volumes", () => {
  it.each([
    ["userVolume", "nope", "it is not JSON: unexpected token 'o'", '[{"name":"data","emptyDir":{}}]'],
    [
      "userVolume",
      "[{]",
      "it is not JSON at character 3: expected property name or '}'",
      '[{"name":"data","emptyDir":{}}]',
    ],
    ["userVolume", '{"a":5}', "an item is not a JSON object: a", '[{"name":"data","emptyDir":{}}]'],
    ["userVolumeMount", '[{"name":"v"}]', "item 1 has no mountPath", '[{"name":"data","mountPath":"/data"}]'],
  ])("are refused where %s is %s, with the place and an example", (name, text, problem, example) => {
    const annotation = `sidecar.istio.io/${name}`;
    expect(() => run(podOf([APP], { [annotation]: text }))).toThrow(
      `Cannot read annotation ${annotation}: ${problem}; write it as ${example}`,
    );
  });

  it("are none where the annotations are null", () => {
    const none = { "sidecar.istio.io/userVolume": "null", "sidecar.istio.io/userVolumeMount": "null" };
    const { annotations: _, ...metadata } = inject(podOf([APP], none)).pod.metadata ?? {};
    expect(metadata).toEqual((({ annotations: __, ...rest }) => rest)(inject(podOf([APP], {})).pod.metadata ?? {}));
    expect(inject(podOf([APP], none)).pod.spec).toEqual(inject(podOf([APP], {})).pod.spec);
  });

  it.each([
    ['[{"name":"v","hostPath":{"path":"/v"}}]', { name: "v", hostPath: { path: "/v" } }],
    ['{"v":{"HOSTPATH":{"Path":"/v"}}}', { name: "v", hostPath: { path: "/v" } }],
    ['{"v":{"emptyDir":{},"unknown":1}}', { name: "v", emptyDir: {} }],
    ['{"v":{"name":"w","emptyDir":{}}}', { name: "w", emptyDir: {} }],
    ['{"v":null}', { name: "v", emptyDir: {} }],
  ])("are read from %s", (text, volume) => {
    const { pod, patch } = inject(podOf([APP], { "sidecar.istio.io/userVolume": text }));
    expect(pod.spec?.volumes).toContainEqual(volume);
    expect(patch).not.toEqual([]);
    expect(inject(pod).patch).toEqual([]);
  });

  it("keep the order of a list, and are in the order of their names without one", () => {
    const numbers = Array.from({ length: 12 }, (_, at) => String(at));
    const listed = JSON.stringify(numbers.map((at) => ({ name: `v${at}`, emptyDir: {} })));
    const named = JSON.stringify(Object.fromEntries(numbers.map((at) => [`v${at}`, { emptyDir: {} }])));
    const namesOf = (text: string) => {
      const { pod } = inject(podOf([APP], { "sidecar.istio.io/userVolume": text }));
      return pod.spec?.volumes?.flatMap(({ name }) => (/^v\d+$/.test(name) ? [name] : []));
    };
    expect(namesOf(listed)).toEqual(numbers.map((at) => `v${at}`));
    expect(namesOf(named)).toEqual(numbers.map((at) => `v${at}`).sort());
  });

  it("have their mounts in any case, and directives in them have no effect", () => {
    const { pod } = inject(
      podOf([APP], {
        "sidecar.istio.io/userVolumeMount": '[{"name":"v","mountpath":"/v","readonly":true}]',
        "sidecar.istio.io/userVolume": '{"v":{"$patch":"delete"}}',
      }),
    );
    expect(proxyOf(pod)[0]?.volumeMounts).toContainEqual({ name: "v", mountPath: "/v", readOnly: true });
    expect(pod.spec?.volumes).toContainEqual({ name: "v", emptyDir: {} });
  });

  it("are denied under the name of one of the template's volumes", () => {
    const pod = podOf([APP], { "sidecar.istio.io/userVolume": '{"istio-token":{"emptyDir":{}}}' });
    expect(() => run(pod)).toThrow(
      expect.objectContaining({
        code: "annotation-invalid",
        path: 'metadata.annotations["sidecar.istio.io/userVolume"]',
        message: expect.stringContaining('must be unique: another volume is named "istio-token"'),
      }),
    );
  });
});

describe("a volume of the pod with the name of one of the injected", () => {
  const podWith = (volume: object) => {
    const pod = podOf([APP]);
    return { ...pod, spec: { containers: [], ...pod.spec, volumes: [volume as Volume] } };
  };

  it.each([
    [{ emptyDir: {} }, "emptyDir"],
    [{ secret: { secretName: "own" } }, "secret"],
  ])("does not replace the proxy's token: %o", (source, own) => {
    expect(() => run(podWith({ name: "istio-token", ...source }))).toThrow(
      expect.objectContaining({
        code: "pod-invalid",
        path: "spec.volumes",
        message: `Cannot inject: volume istio-token has the proxy's token, and the pod has another with this name (${own}): rename the pod's volume`,
      }),
    );
  });

  it("is used where the injected one has no token", () => {
    const volume = { name: "istio-data", hostPath: { path: "/data" } };
    expect(inject(podWith(volume)).pod.spec?.volumes).toContainEqual(volume);
  });
});

describe("a custom template for the proxy", () => {
  const custom = "spec:\n  containers:\n  - name: istio-proxy\n    env:\n    - {name: CUSTOM, value: a}\n";

  it.each(["sidecar, custom", "custom, sidecar"])(
    "merges into the native sidecar with [%s], with a warning",
    (order) => {
      const layer = { config: `nativeSidecars: true\ndefaultTemplates: [${order}]`, "templates/custom": custom };
      const { pod, warnings } = inject(podOf([APP]), layer);
      expect(names(pod.spec?.containers)).toEqual(["app"]);
      expect(proxyOf(pod)).toHaveLength(1);
      expect(proxyOf(pod)[0]?.env).toContainEqual({ name: "CUSTOM", value: "a" });
      expect(proxyOf(pod)[0]).toMatchObject({ restartPolicy: "Always" });
      expect(warnings).toEqual(["template custom changes istio-proxy in containers: name it in initContainers"]);
      expect(inject(pod, layer).patch).toEqual([]);
    },
  );

  it("merges into the container when the proxy is no native sidecar, without a warning", () => {
    const layer = {
      config: "nativeSidecars: false\ndefaultTemplates: [sidecar, custom]",
      "templates/custom": custom,
    };
    const { pod, warnings } = inject(podOf([APP]), layer);
    expect(names(pod.spec?.containers)).toEqual(["app", "istio-proxy"]);
    expect(warnings).toEqual([]);
  });
});

describe("annotations of an earlier injection", () => {
  const authored = { name: "istio-proxy", image: "auto", args: ["own"] };

  it("count for nothing when they were copied from an injected pod", () => {
    const { pod: injected } = inject(podOf([APP, authored]));
    const copied = podOf([APP], injected.metadata?.annotations);
    const { pod } = inject(copied);
    expect(proxyOf(pod)).toHaveLength(1);
    expect(proxyOf(pod)[0]?.args).not.toEqual(["own"]);
    expect(inject(pod).patch).toEqual([]);
  });

  it.each(["", "{", "null", "[]", '{"containers":1}'])("cost the author nothing when the status is %j", (status) => {
    const { pod } = inject(podOf([APP, authored], { [STATUS]: status }));
    expect(proxyOf(pod)).toMatchObject([{ args: ["own"] }]);
  });

  it("add nothing when they are overrides without a status", () => {
    const text = JSON.stringify({ containers: [{ name: "evil", image: "evil" }] });
    const { pod } = inject(podOf([APP], { [OVERRIDES]: text }));
    expect(names([...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])])).not.toContain("evil");
    expect(inject(pod).patch).toEqual([]);
  });

  it("leave the author's own ISTIO_KUBE_APP_PROBERS in the proxy", () => {
    const env = [{ name: "ISTIO_KUBE_APP_PROBERS", value: "own" }];
    const first = inject(podOf([APP, { ...authored, env }])).pod;
    expect(inject(first).patch).toEqual([]);
    expect(proxyOf(inject(first).pod)[0]?.env).toContainEqual(env[0]);
  });
});

describe("the author's own proxy container", () => {
  const proxy: Container = { name: "istio-proxy", image: "auto" };

  it("is denied in two lists, with both places", () => {
    const pod = podOf([APP, proxy], {}, { initContainers: [proxy] });
    expect(() => run(pod)).toThrow(
      expect.objectContaining({
        code: "pod-invalid",
        message: expect.stringContaining("spec.containers[1] and spec.initContainers[0]"),
      }),
    );
  });

  it("stays a container if it is the only one, and is denied if an annotation wants it native", () => {
    const layer = { config: "nativeSidecars: true" };
    const { pod } = inject(podOf([proxy]), layer);
    expect(names(pod.spec?.containers)).toEqual(["istio-proxy"]);
    expect(inject(pod, layer).patch).toEqual([]);
    expect(() => run(podOf([proxy], { "sidecar.istio.io/nativeSidecar": "true" }), layer)).toThrow(
      expect.objectContaining({
        code: "pod-invalid",
        message: expect.stringContaining("only container is istio-proxy"),
      }),
    );
  });

  it("loses restartPolicy when it becomes a container", () => {
    const layer = { config: "nativeSidecars: false" };
    const { pod } = inject(podOf([APP], {}, { initContainers: [{ ...proxy, restartPolicy: "Always" }] }), layer);
    expect(proxyOf(pod)).toHaveLength(1);
    expect(proxyOf(pod)[0]).not.toHaveProperty("restartPolicy");
    expect(inject(pod, layer).patch).toEqual([]);
  });

  it("loses restartPolicy when it becomes a native sidecar, as it does once another webhook adds a container", () => {
    const own = { ...proxy, restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }] } as Container;
    const layer = { config: "nativeSidecars: true" };
    const { pod: alone } = inject(podOf([own]), layer);
    expect(alone.spec?.containers[0]).toMatchObject({ name: "istio-proxy", restartPolicy: "Never" });
    const { pod } = inject(
      { ...alone, spec: { ...alone.spec, containers: [...(alone.spec?.containers ?? []), APP] } },
      layer,
    );
    expect(names(pod.spec?.containers)).toEqual(["app"]);
    expect(proxyOf(pod)).toMatchObject([{ restartPolicy: "Always" }]);
    expect(inject(pod, layer).patch).toEqual([]);
    expect(uninjectPod(injectorOf(layer), pod)?.spec?.containers).toContainEqual(own);
  });

  it.each(["sidecar", "gateway"])(
    "gets the image of the template %s where it says auto, and keeps its own",
    (template) => {
      const imageOf = (image: string) =>
        proxyOf(inject(podOf([APP, { ...proxy, image }], { "inject.istio.io/templates": template })).pod)[0]?.image;
      expect(imageOf("auto")).toMatch(/\/proxyv2:/);
      expect(imageOf("registry.example/own:1")).toBe("registry.example/own:1");
    },
  );

  it("replaces a probe handler, a value and a volume source of the template", () => {
    const { pod } = inject(
      podOf(
        [
          APP,
          {
            ...proxy,
            readinessProbe: { exec: { command: ["true"] } },
            env: [
              { name: "POD_NAME", value: "own" },
              { name: "PROXY_CONFIG", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
            ],
          },
        ],
        {},
        { volumes: [{ name: "istio-data", hostPath: { path: "/data" } }] },
      ),
    );
    const [injected] = proxyOf(pod);
    expect(injected?.readinessProbe).toMatchObject({ exec: { command: ["true"] } });
    expect(injected?.readinessProbe).not.toHaveProperty("httpGet");
    expect(injected?.env).toContainEqual({ name: "POD_NAME", value: "own" });
    expect(injected?.env).toContainEqual({
      name: "PROXY_CONFIG",
      valueFrom: { configMapKeyRef: { name: "c", key: "k" } },
    });
    expect(pod.spec?.volumes?.filter(({ name }) => name === "istio-data")).toEqual([
      { name: "istio-data", hostPath: { path: "/data" } },
    ]);
    expect(inject(pod).patch).toEqual([]);
  });
});

describe("settings at their limits", () => {
  it("takes an empty list of default templates for the sidecar", () => {
    expect(inject(podOf([APP]), { config: "defaultTemplates: []" }).templates).toEqual(["sidecar"]);
  });

  it.each(["80, 443", " 80,443 ", "80, 15020"])("writes excludeInboundPorts %j without spaces", (ports) => {
    const { pod } = inject(podOf([APP], { "traffic.sidecar.istio.io/excludeInboundPorts": ports }));
    const args = pod.spec?.initContainers?.find(({ name }) => name === "istio-init")?.args ?? [];
    expect(args.filter((arg) => arg.includes(" "))).toEqual([]);
    expect(args.some((arg) => arg.includes("80"))).toBe(true);
  });

  it.each(["sidecar", "gateway", "grpc-agent"])(
    "cuts canonical names to a label value in the template %s",
    (template) => {
      const metadata = {
        name: `${"a".repeat(62)}-bcd`,
        annotations: { "inject.istio.io/templates": template },
      };
      const { pod } = inject({ metadata, spec: { containers: [APP] } });
      expect(pod.metadata?.labels?.["service.istio.io/canonical-name"]).toBe("a".repeat(62));
    },
  );

  it("leaves probes alone when the status port is 0", () => {
    const readinessProbe = { httpGet: { path: "/", port: 80 } };
    const { pod } = inject(podOf([{ ...APP, readinessProbe }], { "status.sidecar.istio.io/port": "0" }));
    expect(pod.spec?.containers.find(({ name }) => name === "app")?.readinessProbe).toEqual(readinessProbe);
  });

  it.each([{ os: { name: "windows" } }, { nodeSelector: { "kubernetes.io/os": "windows" } }])(
    "skips a Windows pod: %j",
    (spec) => {
      expect(run(podOf([APP], { "sidecar.istio.io/inject": "true" }, spec))).toMatchObject({
        injected: false,
        reason: "windows",
      });
    },
  );

  it("injects a pod whose node affinity asks for Windows: a node need not have what a pod only prefers", () => {
    const term = { matchExpressions: [{ key: "kubernetes.io/os", operator: "In", values: ["windows"] }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
    expect(run(podOf([APP], {}, { affinity: { nodeAffinity } }))).toMatchObject({ injected: true });
  });
});

describe("injecting again with another configuration", () => {
  it("brings a socket back from csi when the SPIRE overlay is gone", () => {
    const spire = {
      config: "defaultTemplates: [sidecar, spire]",
      "templates/spire":
        "spec:\n  volumes:\n  - name: workload-socket\n    csi: {driver: csi.spiffe.io, readOnly: true}\n",
    };
    const first = inject(podOf([APP]), spire).pod;
    const plain = inject(podOf([APP])).pod;
    const again = inject(first).pod;
    const socket = ({ spec }: Pod) => spec?.volumes?.find(({ name }) => name === "workload-socket");
    expect(socket(again)).toEqual(socket(plain));
  });

  it("keeps a container of the author's that is called istio-init when the template has none", () => {
    const layer = { config: "defaultTemplates: [gateway]" };
    const init = { name: "istio-init", image: "own" };
    const first = inject(podOf([APP], {}, { initContainers: [init] }), layer).pod;
    expect(names(first.spec?.initContainers)).toEqual(["istio-init"]);
    expect(inject(first, layer).patch).toEqual([]);
  });
});
