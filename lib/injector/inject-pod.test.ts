// The pipeline with a release of a few lines, so that what each part contributes can be read off the result.

import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { injectPod } from "./inject-pod.ts";
import type { Injector, InjectRequest, InjectResult } from "./injection.ts";
import { compileRelease } from "./release/compile-release.ts";
import { loadRelease } from "./release/load-release.ts";
import type { SourceTree } from "./release/source-tree.ts";

const TREE: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    image: proxy\n",
  "samples/plain-pod": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};
const APP: Container = { name: "app", image: "app" };
const POD: Pod = { metadata: { name: "web" }, spec: { containers: [APP] } };

function injectorOf(layer: SourceTree): Injector {
  return loadRelease(compileRelease([TREE, layer]));
}

function run(layer: SourceTree | Injector, pod: Pod = POD, more: Partial<InjectRequest> = {}) {
  const injector =
    "templates" in layer && typeof layer["templates"] === "object"
      ? (layer as Injector)
      : injectorOf(layer as SourceTree);
  const result: InjectResult = injectPod(injector, { pod, namespace: "default", parameters: {}, ...more });
  if (!result.injected) throw new Error(result.message);
  return result;
}

const podOf = (spec: Partial<NonNullable<Pod["spec"]>>, metadata: Pod["metadata"] = {}): Pod => ({
  metadata: { name: "web", ...metadata },
  spec: { containers: [APP], ...spec },
});
const names = (list: readonly Container[] | undefined) => list?.map(({ name }) => name);

describe("injectPod() gives templates", () => {
  const layer = (config = "", values = "") => ({
    config: `defaultTemplates: [sidecar]\n${config}`,
    ...(values && { "values/10-mine": values }),
    "templates/sidecar": `metadata:
  annotations:
    seen-revision: "{{revision}}"
    seen-cluster: "{{cluster}}"
    seen-network: "{{network}}"
    seen-native: "{{nativeSidecars}}"
    seen-owner: "{{owner.kind}}/{{owner.name}}"
    seen-name: "{{metadata.name}}"
    seen-account: "{{spec.serviceAccountName}}"
    seen-uid: "{{proxyUID}}/{{proxyGID}}"
spec:
  containers:
  - name: istio-proxy
    image: proxy
`,
  });
  const seen = (...given: Parameters<typeof run>) => {
    const entries = Object.entries(run(...given).pod.metadata?.annotations ?? {}).filter(([key]) =>
      key.startsWith("seen-"),
    );
    return Object.fromEntries(entries.map(([key, value]) => [key.slice(5), value]));
  };

  it("what the pod says", () => {
    expect(seen(layer(), podOf({ serviceAccountName: "acc" }))).toMatchObject({
      name: "web",
      account: "acc",
      native: "true",
      uid: "1337/1337",
    });
  });

  it("the revision of the cluster before that of the config", () => {
    expect(seen(layer("revision: r1\n"))).toMatchObject({ revision: "r1" });
    expect(seen(layer("revision: r1\n"), POD, { cluster: { revision: "r2" } })).toMatchObject({ revision: "r2" });
  });

  it("whether sidecars are native in the cluster, before the config", () => {
    expect(seen(layer("nativeSidecars: false\n"))).toMatchObject({ native: "false" });
    expect(seen(layer("nativeSidecars: true\n"), POD, { cluster: { nativeSidecars: false } })).toMatchObject({
      native: "false",
    });
  });

  it("the network of the label, the path, the cluster, the values, in this order", () => {
    const values = "global: {network: n0, multiCluster: {clusterName: c0}}\n";
    const injector = injectorOf(layer("", values));
    const parameters = { ISTIO_META_NETWORK: "n2", ISTIO_META_CLUSTER_ID: "c2" };
    const cluster = { network: "n1" };
    const labelled = podOf({}, { labels: { "topology.istio.io/network": "n3" } });
    expect(seen(injector)).toMatchObject({ network: "n0", cluster: "c0" });
    expect(seen(injector, POD, { cluster })).toMatchObject({ network: "n1" });
    expect(seen(injector, POD, { cluster, parameters })).toMatchObject({ network: "n2", cluster: "c2" });
    expect(seen(injector, labelled, { cluster, parameters })).toMatchObject({ network: "n3" });
    expect(
      seen(injector, POD, {
        cluster: { network: "" },
        parameters: { ISTIO_META_NETWORK: "", ISTIO_META_CLUSTER_ID: "" },
      }),
    ).toMatchObject({ network: "n0", cluster: "c0" });
  });

  it("the owner of the request before that of the pod", () => {
    const owned = podOf({}, {
      name: "",
      generateName: "web-5d8f-",
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "job", controller: true }],
    } as unknown as Pod["metadata"]);
    expect(seen(layer(), owned)).toMatchObject({ owner: "Job/job" });
    const owner = { kind: "StatefulSet", name: "db" } as NonNullable<InjectRequest["owner"]>;
    expect(seen(layer(), owned, { owner })).toMatchObject({ owner: "StatefulSet/db" });
  });
});

describe("injectPod() sets the proxy's environment", () => {
  const env = (layer: SourceTree, more: Partial<InjectRequest> = {}) =>
    run(layer, POD, more).pod.spec?.containers.find(({ name }) => name === "istio-proxy")?.env;

  it("from the path, with the cluster and network where there are any", () => {
    expect(env({})).toBeUndefined();
    expect(env({}, { parameters: { A: "1", ISTIO_META_CLUSTER_ID: "c" }, cluster: { network: "n" } })).toEqual([
      { name: "A", value: "1" },
      { name: "ISTIO_META_CLUSTER_ID", value: "c" },
      { name: "ISTIO_META_NETWORK", value: "n" },
    ]);
  });
});

describe("injectPod() merges templates", () => {
  const two = (first: string, second: string): SourceTree => ({
    config: "defaultTemplates: [one, two]\n",
    "templates/one": first,
    "templates/two": second,
  });
  const CONTAINER = "spec:\n  containers:\n  - name: istio-proxy\n    image: proxy\n";
  const NATIVE = "spec:\n  initContainers:\n  - name: istio-proxy\n    image: proxy\n    restartPolicy: Always\n";

  it("in their order, and answers with their names", () => {
    const result = run(two("metadata: {annotations: {a: one, b: one}}\n", "metadata: {annotations: {a: two}}\n"));
    expect(result.pod.metadata?.annotations).toMatchObject({ a: "two", b: "one" });
    expect(result.templates).toEqual(["one", "two"]);
    expect(JSON.parse(result.patchText)).toEqual(result.patch);
    expect(result.warnings).toEqual([]);
  });

  it("into the author's container for the proxy, whichever list the template has it in", () => {
    const proxy = { name: "istio-proxy", image: "auto", args: ["own"] };
    const native = run(
      { config: "defaultTemplates: [sidecar]\nnativeSidecars: true\n", "templates/sidecar": NATIVE },
      podOf({ containers: [APP, proxy] }),
    );
    expect(names(native.pod.spec?.containers)).toEqual(["app"]);
    expect(native.pod.spec?.initContainers).toMatchObject([
      { name: "istio-proxy", args: ["own"], restartPolicy: "Always" },
    ]);
    const plain = run({ "templates/sidecar": CONTAINER }, podOf({ initContainers: [proxy] }));
    expect(names(plain.pod.spec?.containers)).toEqual(["app", "istio-proxy"]);
    expect(plain.pod.spec?.initContainers).toBeUndefined();
    const others = run(
      { "templates/sidecar": CONTAINER },
      podOf({ initContainers: [{ name: "mine", image: "m" }, proxy] }),
    );
    expect(names(others.pod.spec?.initContainers)).toEqual(["mine"]);
  });

  it("follows the template when the annotation says that the proxy is not native, unless the reference is asked for", () => {
    const proxy = { name: "istio-proxy", image: "auto" };
    const annotations = { "sidecar.istio.io/nativeSidecar": "false" };
    const config = "defaultTemplates: [sidecar]\nnativeSidecars: true\n";
    const safe = run({ config, "templates/sidecar": NATIVE }, podOf({ containers: [APP, proxy] }, { annotations }));
    expect(names(safe.pod.spec?.containers)).toEqual(["app"]);
    expect(safe.warnings).toEqual([]);
    const layer = { config: `${config}compatibility: reference\n`, "templates/sidecar": NATIVE };
    const result = run(layer, podOf({ containers: [APP, proxy] }, { annotations }));
    expect(names(result.pod.spec?.containers)).toEqual(["app", "istio-proxy"]);
    expect(names(result.pod.spec?.initContainers)).toEqual(["istio-proxy"]);
    expect(result.warnings).toEqual([
      "container istio-proxy is in containers and initContainers: move it in the template",
    ]);
    const empty = run(
      layer,
      podOf({ containers: [APP, proxy] }, { annotations: { "sidecar.istio.io/nativeSidecar": "" } }),
    );
    expect(names(empty.pod.spec?.containers)).toEqual(["app"]);
  });

  it("adds to a proxy that an earlier template made native", () => {
    const each =
      "spec:\n  containers:\n  {{#each spec.containers}}\n  - name: {{name}}\n    workingDir: /x\n  {{/each}}\n";
    const layer = { ...two(NATIVE, each), config: "defaultTemplates: [one, two]\nnativeSidecars: true\n" };
    const { pod, warnings } = run(layer, podOf({ containers: [APP, { name: "istio-proxy", image: "auto" }] }));
    expect(pod.spec?.containers).toMatchObject([{ name: "app", workingDir: "/x" }]);
    expect(pod.spec?.initContainers).toMatchObject([
      { name: "istio-proxy", workingDir: "/x", restartPolicy: "Always" },
    ]);
    // The author has a container for the proxy, and the template adds to every container: nothing to move.
    expect(warnings).toEqual([]);
  });
});

describe("injectPod() again", () => {
  const again = (layer: SourceTree, pod: Pod) => {
    const injector = injectorOf(layer);
    const first = run(injector, pod);
    return { first: first.pod, second: run(injector, first.pod) };
  };

  it.each<[string, SourceTree, Pod]>([
    ["a plain pod", {}, POD],
    ["a pod with an own proxy before others", {}, podOf({ containers: [{ name: "istio-proxy", image: "auto" }, APP] })],
    [
      "a pod with an own proxy among the init containers",
      {},
      podOf({
        initContainers: [
          { name: "istio-proxy", image: "auto" },
          { name: "i", image: "i" },
        ],
      }),
    ],
    [
      "volumes, secrets and labels",
      {
        "templates/sidecar": `${TREE["templates/sidecar"]}  volumes: [{name: v, emptyDir: {}}, {name: mine}]\n  imagePullSecrets: [{name: s}]\nmetadata: {labels: {l: x}, annotations: {a: x}}\n`,
      },
      podOf({ volumes: [{ name: "mine", configMap: { name: "c" } }] }, { labels: { app: "web" } }),
    ],
    ["probes", {}, podOf({ containers: [{ ...APP, readinessProbe: { httpGet: { path: "/r", port: 80 } } }] })],
    ["scraping", {}, podOf({}, { annotations: { "prometheus.io/port": "80", "prometheus.io/path": "/m" } })],
  ])("changes nothing of %s", (_what, layer, pod) => {
    const { second } = again(layer, pod);
    expect(second.patch).toEqual([]);
  });

  it("puts back what another configuration injected", () => {
    const before = run({
      "templates/sidecar":
        "spec:\n  containers:\n  - name: istio-proxy\n    image: proxy\n  volumes: [{name: old}]\nmetadata: {labels: {l: x}, annotations: {a: x}}\n",
    });
    const after = run({}, before.pod);
    expect(after.pod).toEqual(run({}).pod);
    expect(after.pod.metadata).not.toHaveProperty("labels.l");
  });

  it("puts the author's containers back in their order, which a template's naming of them has changed", () => {
    const layer = {
      "templates/sidecar": `metadata:
  annotations:
    first: {{#each spec.containers}}{{name}}{{#unless @last}},{{/unless}}{{/each}}
spec:
  containers:
  - {name: helper, image: other, env: [{name: A, value: b}]}
  - {name: app, image: other, env: [{name: A, value: b}]}
`,
    };
    const first = run(layer, podOf({ containers: [APP, { name: "helper", image: "helper" }] }));
    expect(names(first.pod.spec?.containers)).toEqual(["helper", "app"]);
    expect(run(layer, first.pod).patch).toEqual([]);
    expect(names(run({}, first.pod).pod.spec?.containers)).toEqual(["app", "helper", "istio-proxy"]);
  });

  it("keeps a container that the status names but no template has", () => {
    const status = JSON.stringify({ containers: ["istio-proxy", "app"], initContainers: ["first"] });
    const pod = podOf(
      { containers: [APP, { name: "istio-proxy", image: "old" }], initContainers: [{ name: "first", image: "f" }] },
      { annotations: { "sidecar.istio.io/status": status } },
    );
    const result = run({}, pod);
    expect(names(result.pod.spec?.containers)).toEqual(["app", "istio-proxy"]);
    expect(names(result.pod.spec?.initContainers)).toEqual(["first"]);
    expect(result.pod.spec?.containers[1]).toMatchObject({ image: "proxy" });
  });
});

describe("injectPod() refuses", () => {
  const code = (expected: string) => expect.objectContaining({ code: expected });

  it("annotations that are wrong before it begins, and templates that do not exist", () => {
    expect(() => run({}, podOf({}, { annotations: { "status.sidecar.istio.io/port": "x" } }))).toThrow(
      code("annotation-invalid"),
    );
    expect(() => run({}, podOf({}, { annotations: { "inject.istio.io/templates": "other" } }))).toThrow(
      code("template-unknown"),
    );
  });

  it("an annotation that must hold JSON, where a render fails on it", () => {
    const key = "sidecar.istio.io/userVolume";
    const volumes = `{{#if (isset metadata.annotations "${key}")}}
  volumes:
  {{#each (sorted (fromJSON (lookup metadata.annotations "${key}")))}}
  - name: {{this.key}}
  {{/each}}
{{/if}}
`;
    const injector = injectorOf({ "templates/sidecar": `${TREE["templates/sidecar"]}${volumes}` });
    expect(() => run(injector, podOf({}, { annotations: { [key]: "{" } }))).toThrow(
      expect.objectContaining({ code: "annotation-invalid", path: `metadata.annotations["${key}"]` }),
    );
  });

  it("nothing that it skips", () => {
    const result = injectPod(injectorOf({}), {
      pod: podOf({ hostNetwork: true }),
      namespace: "default",
      parameters: {},
    });
    expect(result).toMatchObject({ injected: false, reason: "host-network" });
    const system = injectPod(injectorOf({}), { pod: POD, namespace: "kube-system", parameters: {} });
    expect(system).toMatchObject({ injected: false, reason: "system-namespace" });
    const own = injectPod(injectorOf({}), {
      pod: podOf({}, { namespace: "kube-system" }),
      namespace: "default",
      parameters: {},
    });
    expect(own).toMatchObject({ injected: false, reason: "system-namespace" });
  });
});

describe("injectPod(), with an integer of 64 bits that JavaScript does not hold exactly,", () => {
  const large = (json: string): Pod => JSON.parse(json.replaceAll("N", "9007199254740993"));
  const refusal = (field: string) =>
    expect.objectContaining({ code: "pod-invalid", message: expect.stringContaining(`Cannot inject: ${field} of `) });

  it("leaves it where it is", () => {
    const { patchText } = run(
      {},
      large(
        '{"spec":{"tolerations":[{"operator":"Exists","tolerationSeconds":N}],"terminationGracePeriodSeconds":N,"containers":[{"name":"app","image":"app","livenessProbe":{"exec":{},"terminationGracePeriodSeconds":N}}]}}',
      ),
    );
    expect(patchText).not.toContain("900719925474099");
  });

  it.each([
    [
      "in a container that is recorded",
      "",
      '{"spec":{"containers":[{"name":"istio-proxy","livenessProbe":{"terminationGracePeriodSeconds":N}},{"name":"app","image":"app"}]}}',
      "livenessProbe.terminationGracePeriodSeconds",
    ],
    [
      "that a template copies",
      "  tolerations: {{spec.tolerations}}\n  activeDeadlineSeconds: {{spec.tolerations.[0].tolerationSeconds}}\n",
      '{"spec":{"tolerations":[{"operator":"Exists","tolerationSeconds":N}],"containers":[{"name":"app","image":"app"}]}}',
      "spec.tolerations[0].tolerationSeconds",
    ],
    [
      "that a template writes into a text",
      '  hostname: "a{{spec.terminationGracePeriodSeconds}}"\n',
      '{"spec":{"terminationGracePeriodSeconds":N,"containers":[{"name":"app","image":"app"}]}}',
      "spec.terminationGracePeriodSeconds",
    ],
  ])("denies the pod by its name %s", (_, more, json, field) => {
    const layer = { "templates/sidecar": `spec:\n${more}  containers:\n  - name: istio-proxy\n    image: proxy\n` };
    expect(() => run(layer, large(json))).toThrow(refusal(field));
  });
});
