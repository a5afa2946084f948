import { readRelease } from "outrigger:bundled-release";
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { parseYaml, parseYamlDocuments } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { injectPod } from "../inject-pod.ts";
import type { InjectRequest, InjectResult } from "../injection.ts";
import { loadRelease } from "../release/load-release.ts";
import { injectManifest } from "./inject-manifest.ts";

const SERVICE = "# kept\nkind: Service\napiVersion: v1\nmetadata: {name: web}   # as it was\n";
const POD_SPEC = { containers: [{ name: "web", image: "web" }] };

/** Injects by adding a label, which shows the injected documents. */
function inject({ pod }: InjectRequest): InjectResult {
  const labels = { ...pod.metadata?.labels, injected: "yes" };
  const injected = { ...pod, metadata: { ...pod.metadata, labels } };
  return {
    injected: true,
    reason: "policy-enabled",
    author: pod,
    pod: injected,
    patch: [],
    patchText: "[]",
    templates: ["sidecar"],
    warnings: [],
  };
}

function run(text: string, options: Partial<Parameters<typeof injectManifest>[1]> = {}) {
  const requests: InjectRequest[] = [];
  const recording = (request: InjectRequest) => {
    requests.push(request);
    return (options.inject ?? inject)(request);
  };
  return { ...injectManifest(text, { source: "web.yaml", ...options, inject: recording }), requests };
}

function workload(kind: string, apiVersion: string, rest: JsonObject = {}): string {
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: { name: "web", namespace: "shop" },
    spec: { template: { spec: POD_SPEC }, ...rest },
  });
}

describe("injectManifest()", () => {
  it.each([
    ["a pod", "kind: Pod\napiVersion: v1\n<metadata:\n  name: web\n>spec:\n  containers: []\n"],
    [
      "a workload's template",
      "kind: Job\napiVersion: batch/v1\nspec:\n  template:\n    <metadata:\n      labels: {a: b}\n    >spec:\n      containers: []\n",
    ],
    [
      "an item of a list",
      "kind: List\napiVersion: v1\nitems:\n- kind: Job\n  apiVersion: batch/v1\n  metadata: {name: web}\n  spec:\n    template:\n      <metadata: {labels: {a: b}}\n      >spec:\n        containers: []\n",
    ],
  ])("removes the metadata of %s where the edited pod has none", (_what, text) => {
    const without = (request: InjectRequest) => ({ ...inject(request), pod: { spec: request.pod.spec } });
    const { text: edited } = run(text.replaceAll(/[<>]/g, ""), {
      inject: without as Parameters<typeof injectManifest>[1]["inject"],
    });
    expect(edited).toBe(text.replace(/<.*>/s, ""));
  });

  it.each([
    ["Deployment", "apps/v1", { strategy: {} }],
    ["Deployment", "extensions/v1beta1", { strategy: {} }],
    ["ReplicaSet", "apps/v1", {}],
    ["StatefulSet", "apps/v1", { updateStrategy: {} }],
    ["DaemonSet", "apps/v1", { updateStrategy: {} }],
    ["ReplicationController", "v1", {}],
    ["Job", "batch/v1", {}],
    ["DeploymentConfig", "v1", { replicas: 0, strategy: { resources: {} }, test: false }],
    ["DeploymentConfig", "apps.openshift.io/v1", { replicas: 0, strategy: { resources: {} }, test: false }],
  ])("injects the template when a document is a %s of %s", (kind, apiVersion, printed) => {
    const { text, requests, warnings } = run(workload(kind, apiVersion), { isReference: true });
    expect(parseYaml(text, "out")).toMatchObject({
      kind,
      spec: { ...printed, template: { metadata: { labels: { injected: "yes" } }, spec: POD_SPEC } },
    });
    expect(requests).toEqual([
      {
        pod: { metadata: {}, spec: POD_SPEC },
        namespace: "shop",
        parameters: {},
        owner: { name: "web", namespace: "shop", kind, apiVersion },
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it("injects the pod in a CronJob, with the job template's metadata, when it does as the reference does", () => {
    const manifest = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "nightly" },
      spec: { jobTemplate: { spec: { template: { spec: POD_SPEC } } } },
    };
    const { text, requests } = run(JSON.stringify(manifest), { isReference: true });
    expect(parseYaml(text, "out")).toMatchObject({
      spec: {
        jobTemplate: {
          metadata: { labels: { injected: "yes" } },
          spec: { template: { metadata: {}, spec: POD_SPEC } },
        },
      },
    });
    expect(requests[0]?.owner).toEqual({ name: "nightly", namespace: "", kind: "CronJob", apiVersion: "batch/v1" });
  });

  it("takes the owner from a pod's own metadata when a document is a Pod", () => {
    const { requests } = run(
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: POD_SPEC }),
      { namespace: "shop" },
    );
    expect(requests).toMatchObject([{ namespace: "shop", owner: { name: "web", kind: "Pod", apiVersion: "v1" } }]);
  });

  it("injects what it knows and keeps the rest when a document is a List", () => {
    const list = {
      apiVersion: "v1",
      kind: "List",
      items: [{ apiVersion: "v1", kind: "Service" }, JSON.parse(workload("Deployment", "apps/v1"))],
    };
    const { text } = run(JSON.stringify(list), { isReference: true });
    expect(parseYaml(text, "out")).toMatchObject({
      kind: "List",
      metadata: {},
      items: [
        { apiVersion: "v1", kind: "Service" },
        { spec: { template: { metadata: { labels: { injected: "yes" } } } }, status: {} },
      ],
    });
    const metadata = { resourceVersion: "12" };
    for (const isReference of [true, false]) {
      const kept = run(JSON.stringify({ ...list, metadata }), { isReference }).text;
      expect(parseYaml(kept, "out")).toMatchObject({ metadata });
    }
  });

  it.each([
    ["nothing", ""],
    ["only a separator", "---\n"],
    ["only a comment", "# nothing\n"],
    ["another kind", SERVICE],
    ["several", `---\n${SERVICE}---  # and\n\n${SERVICE}---\n`],
    ["Windows lines", SERVICE.replaceAll("\n", "\r\n")],
    ["no line break at the end", SERVICE.trimEnd()],
    ["a kind of another API group", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {tasks: []}\n"],
    ["a scalar", "just text\n"],
    ["no kind", "a: 1\n"],
  ])("keeps every byte when a stream holds %s", (_what, text) => {
    expect(run(text)).toMatchObject({ text, requests: [] });
  });

  it("keeps the bytes around it when one document of a stream is injected", () => {
    const { text } = run(`---\n${SERVICE}--- # second\n${workload("Deployment", "apps/v1")}\n---\n${SERVICE}`);
    expect(text.startsWith(`---\n${SERVICE}--- # second\n`)).toBe(true);
    expect(text.endsWith(`\n---\n${SERVICE}`)).toBe(true);
    expect(parseYamlDocuments(text, "out").map(({ value }) => (value as JsonObject)["kind"])).toEqual([
      "Service",
      "Deployment",
      "Service",
    ]);
  });

  it("stays on the line of its separator when a document is there", () => {
    const { text } = run(`--- ${workload("Deployment", "apps/v1")}`);
    expect(parseYamlDocuments(text, "out")).toHaveLength(1);
    expect(text.startsWith('--- {"apiVersion"')).toBe(true);
  });

  it.each([
    ["host-network", '===> Skipping injection because Deployment "shop/web" has host networking enabled'],
    ["opted-out", '===> Skipping injection because Deployment "shop/web" has sidecar injection disabled'],
    ["policy-disabled", '===> Skipping injection because Deployment "shop/web" has sidecar injection disabled'],
  ] as const)("warns in istioctl's words when a pod is left out: %s", (reason, warning) => {
    const manifest = workload("Deployment", "apps/v1");
    const leaveOut = () => ({ injected: false, reason, message: "m" }) as const;
    expect(run(manifest, { inject: leaveOut })).toMatchObject({ text: manifest, warnings: [`${warning}: m`] });
    const reference = run(manifest, { inject: leaveOut, isReference: true });
    expect(reference.warnings).toEqual([warning]);
    expect(parseYaml(reference.text, "out")).toMatchObject({
      spec: { strategy: {}, template: { metadata: {}, spec: POD_SPEC } },
    });
  });

  it("reads scalars as typed fields want them when a person left the quotes out", () => {
    const manifest =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels:\n    sidecar.istio.io/inject: false\n    version: 2\n    empty:\nspec:\n  hostNetwork:\n  containers:\n  - name: web\n    resources: {limits: {cpu: 1}}\n    env: [{name: A, value: 8080}]\n    ports: [{containerPort: 80}]\n    x-unknown: 1\n";
    expect(run(manifest).requests[0]?.pod).toEqual({
      metadata: { name: "web", labels: { "sidecar.istio.io/inject": "false", version: "2" } },
      spec: {
        containers: [
          {
            name: "web",
            resources: { limits: { cpu: "1" } },
            env: [{ name: "A", value: "8080" }],
            ports: [{ containerPort: 80 }],
            "x-unknown": 1,
          },
        ],
      },
    });
  });

  it.each([
    ["containers: web", "spec.containers must be a list"],
    ["containers: [web]", "spec.containers[0] must be a mapping"],
    [
      'containers: [{ports: [{containerPort: "80"}]}]',
      "spec.containers[0].ports[0].containerPort must be a whole number",
    ],
    ['hostNetwork: "true", containers: []', "spec.hostNetwork must be true or false"],
    ["nodeSelector: {a: []}, containers: []", "spec.nodeSelector.a must be text"],
  ])("names file, document and field when %s is of the wrong type", (spec, message) => {
    expect(() => run(`${SERVICE}---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {${spec}}\n`)).toThrow(
      expect.objectContaining({
        code: "pod-invalid",
        message: `Cannot inject web.yaml, document 2 (Pod "web"): ${message}`,
      }),
    );
  });

  it("says what is missing when a workload has no pod and it does as the reference does", () => {
    expect(() => run("apiVersion: apps/v1\nkind: Deployment\n", { isReference: true })).toThrow(
      expect.objectContaining({
        message: "Cannot inject web.yaml, document 1 (Deployment): spec.template.spec is missing, or is not a mapping",
      }),
    );
  });

  it("keeps code and path when injecting fails", () => {
    const failing = () => {
      throw new OutriggerError("annotation-invalid", "bad value", { path: "metadata.annotations[x]" });
    };
    expect(() => run(workload("Job", "batch/v1"), { inject: failing })).toThrow(
      expect.objectContaining({
        code: "annotation-invalid",
        path: "metadata.annotations[x]",
        message: 'Cannot inject web.yaml, document 1 (Job "web"): bad value',
      }),
    );
  });

  it("names the line in the file when a document is not YAML", () => {
    expect(() => run(`${SERVICE}---\na: [\n`)).toThrow(
      expect.objectContaining({ code: "yaml-invalid", path: "web.yaml", line: expect.any(Number) }),
    );
  });

  it("leaves out the zero values that Go types leave out when it does as the reference does", () => {
    const zeros = workload("Deployment", "apps/v1", { paused: false, minReadySeconds: 0, replicas: 0 });
    const { text } = run(zeros, { isReference: true });
    expect(parseYaml(text, "out")).toMatchObject({ spec: { replicas: 0 } });
    expect(text).not.toMatch(/paused|minReady/);
  });

  it("prints what a claim template's type prints when a StatefulSet has some", () => {
    const { text } = run(
      workload("StatefulSet", "apps/v1", { volumeClaimTemplates: [{ metadata: { name: "data" } }] }),
      { isReference: true },
    );
    expect(parseYaml(text, "out")).toMatchObject({
      spec: { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { resources: {} }, status: {} }] },
    });
    expect(run(workload("StatefulSet", "apps/v1"), { isReference: true }).text).not.toContain("volumeClaimTemplates");
  });

  it("points Prometheus where the webhook does when a pod has a status port of its own", () => {
    const injector = loadRelease(readRelease());
    const metadata = { annotations: { "proxy.istio.io/config": "statusPort: 15077" } };
    const pod = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec: POD_SPEC });
    const { text } = run(pod, { inject: (request) => injectPod(injector, request) });
    expect(parseYaml(text, "out")).toMatchObject({ metadata: { annotations: { "prometheus.io/port": "15020" } } });
  });

  it("changes only the lines of the injection, in every document that has a pod", () => {
    const deployment = `# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web   # the front
spec:
  selector: &labels {matchLabels: {app: web}}
  template:
    metadata:
      # asked for by ops
      labels: {app: web}
    spec:
      nodeSelector: {}
      containers:
        - image: "web"
          name: web
          command: ["sh",  "-c",
            "true"]
`;
    const { text, warnings } = run(`${deployment}---\n${SERVICE}---\n${deployment}`);
    const injected = deployment.replace("labels: {app: web}", 'labels: {app: web, injected: "yes"}');
    expect(text).toBe(`${injected}---\n${SERVICE}---\n${injected}`);
    expect(warnings).toEqual(["web.yaml: passed through, no pod in it: Service"]);
    expect(run("apiVersion: v1\nkind: Service\n", { isReference: true }).warnings).toEqual([]);
  });

  it("gives the pod of a CronJob its own metadata, as a webhook does", () => {
    const manifest = `apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  jobTemplate:
    metadata: {labels: {job: a}}
    spec:
      template:
        metadata:
          labels:
            pod: b
        spec:
          containers:
          - name: c
`;
    const { text, requests } = run(manifest, { namespace: "shop" });
    expect(text).toBe(manifest.replace("pod: b\n", 'pod: b\n            injected: "yes"\n'));
    expect(requests).toMatchObject([
      {
        pod: { metadata: { labels: { pod: "b" } } },
        namespace: "shop",
        owner: { name: "nightly", namespace: "shop", kind: "CronJob", apiVersion: "batch/v1" },
      },
    ]);
  });

  it.each([
    ["argoproj.io/v1alpha1", "Rollout", { template: { spec: POD_SPEC } }, 1],
    ["serving.knative.dev/v1", "Service", { template: { spec: POD_SPEC } }, 1],
    [
      "leaderworkerset.x-k8s.io/v1",
      "LeaderWorkerSet",
      { leaderWorkerTemplate: { leaderTemplate: { spec: POD_SPEC }, workerTemplate: { spec: POD_SPEC } } },
      2,
    ],
    ["batch.volcano.sh/v1alpha1", "Job", { tasks: [{ template: { spec: POD_SPEC } }, { template: {} }] }, 1],
    [
      "jobset.x-k8s.io/v1alpha2",
      "JobSet",
      { replicatedJobs: [{ template: { spec: { template: { spec: POD_SPEC } } } }] },
      1,
    ],
    ["monitoring.coreos.com/v1", "Prometheus", { containers: [{ name: "a" }] }, 0],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition", { template: { spec: POD_SPEC } }, 0],
  ])("finds the pods of a %s %s by their shape", (apiVersion, kind, spec, count) => {
    const { text, requests } = run(JSON.stringify({ apiVersion, kind, metadata: { name: "web" }, spec }));
    expect(requests).toHaveLength(count);
    expect(text.match(/"injected"/g) ?? []).toHaveLength(count);
    if (count > 0) expect(requests[0]?.owner).toMatchObject({ name: "web", kind, apiVersion });
  });

  it("finds a pod in any field when its kind is named", () => {
    const widget = JSON.stringify({ apiVersion: "a.b/v1", kind: "Widget", spec: { worker: { spec: POD_SPEC } } });
    expect(run(widget).requests).toEqual([]);
    expect(run(widget, { kinds: ["Widget"] }).requests).toHaveLength(1);
  });

  it.each([
    ["spec: {replicas: 3}", "spec.template.spec is missing, as in a patch"],
    ["spec: {template: {spec: {nodeSelector: {a: b}}}}", "spec.template.spec.containers is missing, as in a patch"],
  ])("passes a patch through and says so: %s", (spec, reason) => {
    const patch = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n${spec}\n`;
    expect(run(patch)).toEqual({
      text: patch,
      warnings: [`web.yaml (Deployment "web"): passed through: ${reason}`],
      requests: [],
    });
  });

  it("does not let an empty list take an injected list away", () => {
    const pod = "kind: Pod\nmetadata: {labels: {}}\nspec: {containers: [{name: web, args: [], env: [], image: a}]}\n";
    const { requests, text } = run(pod);
    expect(requests[0]?.pod).toEqual({ metadata: {}, spec: { containers: [{ name: "web", image: "a" }] } });
    expect(text).toContain("args: [], env: []");
  });

  it("warns of what kubectl accepts in silence, with its place", () => {
    const { warnings } = run(`${SERVICE}---\nkind: Pod\nkind: Pod\nspec: {containers: [{name: a}]}\n`);
    expect(warnings).toContain("web.yaml:7:1: a key is given twice in its mapping: the last one counts");
  });

  it("prints a document again, and warns, when its text cannot be edited", () => {
    const merged =
      "kind: Pod\nx: &x {labels: {a: b}, annotations: {c: d}}\nmetadata:\n  <<: *x\nspec: {containers: [{name: a}]}\n";
    const dropLabels = (request: InjectRequest): InjectResult => {
      const result = inject(request);
      if (!result.injected) return result;
      return { ...result, pod: { ...result.pod, metadata: { annotations: { c: "d" } } } };
    };
    const { text, warnings } = run(merged, { inject: dropLabels });
    expect(parseYaml(text, "out")).toMatchObject({ metadata: { annotations: { c: "d" } } });
    expect(warnings).toEqual(["web.yaml (Pod): reprinted, without comments: its text cannot be edited"]);
  });
});

describe("the owner that injectManifest() gives a document", () => {
  const controller = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "1", controller: true };
  const pod = (metadata: JsonObject) => JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec: POD_SPEC });
  const ownerIn = (text: string, options: Partial<Parameters<typeof injectManifest>[1]> = {}) =>
    run(text, options).requests[0]?.owner;

  it("is the workload itself, even where its pods' template names another", () => {
    const template = { metadata: { generateName: "x-", ownerReferences: [controller] }, spec: POD_SPEC };
    for (const isReference of [true, false]) {
      expect(ownerIn(workload("Deployment", "apps/v1", { template }), { isReference })).toEqual({
        name: "web",
        namespace: "shop",
        kind: "Deployment",
        apiVersion: "apps/v1",
      });
    }
  });

  it("is a pod's controller where the pod's metadata names one", () => {
    const text = pod({ name: "db-0", generateName: "db-", namespace: "shop", ownerReferences: [controller] });
    expect(ownerIn(text)).toEqual({ name: "db", namespace: "shop", kind: "StatefulSet", apiVersion: "apps/v1" });
  });

  it("is in the namespace of the injection, save as the reference does it", () => {
    expect(ownerIn(pod({ name: "web" }))?.namespace).toBe(run(pod({ name: "web" })).requests[0]?.namespace);
    expect(ownerIn(pod({ name: "web" }), { isReference: true })?.namespace).toBe("");
  });
});

describe("injectManifest() of a pod that is skipped", () => {
  const skip = (reason: "host-network" | "opted-out", message: string) => (): InjectResult =>
    ({
      injected: false,
      reason,
      message,
      patchText: "",
      warnings: ["a warning of a review"],
    }) as never;
  const pod = (metadata: JsonObject) => JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec: POD_SPEC });

  it.each<[string, string, Partial<Parameters<typeof injectManifest>[1]>, string]>([
    ["a pod", pod({ name: "a", namespace: "n" }), {}, 'Pod "n/a" has sidecar injection disabled: why'],
    [
      "a pod as the reference does",
      pod({ name: "a", namespace: "n" }),
      { isReference: true },
      'Pod "n/a" has sidecar injection disabled',
    ],
    [
      "a pod without a namespace, as the reference does",
      pod({ name: "a" }),
      { isReference: true },
      'Pod "a" has sidecar injection disabled',
    ],
    [
      "a workload whose template has a name",
      workload("Deployment", "apps/v1", { template: { metadata: { name: "t" }, spec: POD_SPEC } }),
      {},
      'Deployment "shop/t" has sidecar injection disabled: why',
    ],
  ])("warns of %s, without the warnings of a review", (_, text, options, warning) => {
    expect(run(text, { ...options, inject: skip("opted-out", "why") }).warnings).toEqual([
      expect.stringContaining(`===> Skipping injection because ${warning}`),
    ]);
    const [said] = run(text, { ...options, inject: skip("opted-out", "why") }).warnings;
    expect(said?.endsWith(warning)).toBe(true);
  });

  const UNQUOTED =
    "kind: Pod\napiVersion: v1\nmetadata: {name: a, annotations: {a: yes}}\nspec: {containers: [{name: b}]}\n";

  it("quotes text that an API server would refuse, and names it", () => {
    expect(run(UNQUOTED)).toMatchObject({
      text: expect.stringContaining('annotations: {a: "true"}'),
      warnings: [expect.stringMatching(/^web\.yaml \(Pod "a"\): quoted metadata\.annotations\.a: /)],
    });
    const template = workload("Deployment", "apps/v1", {
      template: {
        metadata: { labels: { a: 1, b: 2, c: 3 } },
        spec: { containers: [{ name: "a", args: [1, 2, 3, 4] }] },
      },
    });
    const [warning] = run(template).warnings;
    expect(warning).toContain(
      "quoted spec.template.metadata.labels.a, spec.template.metadata.labels.b, spec.template.metadata.labels.c, spec.template.spec.containers[0].args[0], spec.template.spec.containers[0].args[1] and 2 more: ",
    );
  });

  it("leaves the text of a pod that is not injected, which the reference prints as text too", () => {
    const skipped = { inject: skip("opted-out", "") };
    expect(run(UNQUOTED, skipped).text).toBe(UNQUOTED);
    const printed = run(UNQUOTED, { ...skipped, isReference: true }).text;
    expect(parseYaml(printed, "printed")).toMatchObject({
      metadata: { annotations: { a: "true" } },
    });
  });

  it("says no more than istioctl where there is no message", () => {
    expect(run(pod({ name: "a", namespace: "n" }), { inject: skip("host-network", "") }).warnings).toEqual([
      '===> Skipping injection because Pod "n/a" has host networking enabled',
    ]);
  });
});
