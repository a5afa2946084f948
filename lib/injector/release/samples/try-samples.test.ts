import { beforeAll, describe, expect, it } from "vitest";
import { shippedTree } from "../../../../test/support/shipped-tree.ts";
import { lintTree } from "../compile-release.ts";
import type { SourceTree } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

function errorsOf(tree: SourceTree): readonly TreeFinding[] {
  return lintTree([shipped, tree]).findings.filter(({ severity }) => severity === "error");
}

/** An overlay with one more container; its fields start in line 5. */
const container = (fields: string) => `spec:\n  containers:\n  - name: agent\n    image: agent:1\n${fields}`;

describe("trySamples()", () => {
  it.each<[string, string, line: number, words: string]>([
    ["a container's name in capitals", "spec:\n  containers:\n  - name: Log_Agent\n    image: a\n", 3, ".name"],
    ["a container without image", "spec:\n  containers:\n  - name: agent\n", 3, ".image"],
    ["port 70000", container("    ports:\n    - containerPort: 70000\n"), 6, ".containerPort"],
    ["protocol HTTP", container("    ports:\n    - containerPort: 80\n      protocol: HTTP\n"), 7, ".protocol"],
    ["a mount without volume", container("    volumeMounts:\n    - {name: gone, mountPath: /a}\n"), 6, "gone"],
    [
      "value and valueFrom",
      container("    env:\n    - name: A\n      value: b\n      valueFrom: {fieldRef: {fieldPath: metadata.name}}\n"),
      8,
      "valueFrom",
    ],
    [
      "a request above its limit",
      container("    resources:\n      requests: {cpu: 2}\n      limits: {cpu: 1}\n"),
      6,
      "cpu",
    ],
    ["a bad label", "metadata:\n  labels:\n    app: 'a b'\n", 3, "metadata.labels"],
    [
      "two volume sources",
      "spec:\n  volumes:\n  - name: v\n    emptyDir: {}\n    configMap: {name: c}\n",
      5,
      "spec.volumes",
    ],
    ["a probe without handler", container("    livenessProbe:\n      periodSeconds: 3\n"), 5, "livenessProbe"],
    ["dnsPolicy Foo", "spec:\n  dnsPolicy: Foo\n", 2, "spec.dnsPolicy"],
    ["imagePullPolicy IfNotPresnt", container("    imagePullPolicy: IfNotPresnt\n"), 5, "imagePullPolicy"],
  ])("rejects %s, at its line", (_what, text, line, words) => {
    const errors = errorsOf({ "templates/bad": text });
    expect(errors).toEqual([
      expect.objectContaining({ path: "templates/bad", line, message: expect.stringContaining(words) }),
    ]);
    expect(errors[0]?.message).toContain("an API server rejects the injected pod");
  });

  it("rejects a probe that the rewriting of probes would hide", () => {
    const errors = errorsOf({ "templates/bad": container("    livenessProbe:\n      grpc: {service: x}\n") });
    expect(errors.map(({ line, message }) => [line, message])).toEqual([
      [6, expect.stringContaining("livenessProbe.grpc.port must be between 1 and 65535")],
    ]);
  });

  it("places what a sample's author should correct in the tree's own sample, and in no file of the layers below", () => {
    const odd =
      "kind: Pod\nmetadata: {labels: {istio-injection: enabled}}\nspec: {containers: [{name: web, image: web}]}\n";
    const warnings = (layers: readonly SourceTree[]) =>
      lintTree(layers).findings.flatMap(({ path, message }) =>
        message.includes("istio-injection") ? [[path, message]] : [],
      );
    const found = expect.stringMatching(/^label istio-injection is for namespaces.*"true"$/);
    expect(warnings([shipped, { "samples/odd": odd }])).toEqual([["samples/odd", found]]);
    const shown = expect.stringMatching(/, as samples\/odd shows$/);
    expect(warnings([{ ...shipped, "samples/odd": odd }, { mesh: "{}\n" }])).toEqual([["", shown]]);
  });

  it("names the entry that makes a field of the pod's author wrong", () => {
    const sample = "kind: Pod\nspec: {hostIPC: true, containers: [{name: web, image: web}]}\n";
    const bad = "metadata: {labels: {a: b}}\nspec:\n  subdomain: a\n  hostUsers: false\n";
    const { findings } = lintTree([{ "samples/web": sample, "templates/bad": bad }]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "error",
        path: "templates/bad",
        line: 4,
        message: expect.stringContaining(
          "with spec.hostUsers, an API server rejects the injected pod: spec.hostIPC must not be true",
        ),
      }),
    );
  });

  describe("of a priority class, whose priority an API server sets before it calls webhooks", () => {
    const errorsWith = (overlay: string, spec: string) =>
      lintTree([
        {
          config: "defaultTemplates: [a]\n",
          "samples/web": `kind: Pod\nspec: {${spec}containers: [{name: web, image: web}]}\n`,
          "templates/a": overlay,
        },
      ]).findings.filter(({ severity }) => severity === "error");

    it.each([
      ["with its priority", "spec: {priorityClassName: high, priority: 1000}\n", ""],
      ["that the pod has", "spec: {priorityClassName: '{{spec.priorityClassName}}'}\n", "priorityClassName: high, "],
      ["that is empty", "spec: {priorityClassName: ''}\n", ""],
      ["that it does not write", "spec: {dnsPolicy: Default}\n", "priorityClassName: high, "],
    ])("accepts one %s", (_, overlay, spec) => {
      expect(errorsWith(overlay, spec)).toEqual([]);
    });

    it.each(["", "priorityClassName: low, "])(
      "rejects another than the pod's without its priority, at its line: %j",
      (spec) => {
        expect(errorsWith("spec:\n  priorityClassName: high\n", spec)).toEqual([
          expect.objectContaining({
            line: 2,
            message: expect.stringContaining("needs spec.priority with the value of the class"),
          }),
        ]);
      },
    );
  });

  it("only warns of a pod that an API server rejects when the config asks for the reference's pods", () => {
    const bad = { "templates/bad": "spec:\n  dnsPolicy: Foo\n" };
    expect(errorsOf({ ...bad, config: "compatibility: safe\n" })).toHaveLength(1);
    const { findings } = lintTree([shipped, { ...bad, config: "compatibility: reference\n" }]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "warning",
        path: "templates/bad",
        line: 2,
        message: expect.stringContaining("an API server rejects the injected pod: spec.dnsPolicy"),
      }),
    );
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("reports all violations of all templates in one run", () => {
    const errors = errorsOf({
      "templates/a": container(
        "    imagePullPolicy: Some\n    ports:\n    - containerPort: 0\n    - containerPort: 70000\n",
      ),
      "templates/b": "spec:\n  dnsPolicy: Foo\n  restartPolicy: Sometimes\n",
      "partials/proxy-image": "image: ''\n",
    });
    const places = errors.map(({ path, line }) => `${path}:${line}`);
    expect(new Set(places)).toEqual(
      new Set([
        "partials/proxy-image:1",
        "templates/a:5",
        "templates/a:7",
        "templates/a:8",
        "templates/b:2",
        "templates/b:3",
      ]),
    );
  });

  it("blames the values file that wrote what a template inserts", () => {
    const errors = errorsOf({ "values/10": "global:\n  proxy:\n    resources: {limits: {cpu: 1x}}\n" });
    expect(errors).toEqual([
      expect.objectContaining({
        path: "values/10",
        line: 3,
        column: 31,
        message: expect.stringContaining("values.global.proxy.resources.limits.cpu"),
      }),
    ]);
  });

  it("blames the values file for a request above the limit that it sets", () => {
    const errors = errorsOf({ "values/10": "global:\n  proxy:\n    resources:\n      requests: {cpu: 9}\n" });
    expect(errors).toEqual([expect.objectContaining({ path: "values/10", line: 4 })]);
  });

  it("reports what is wrong with a sample itself as a warning about the sample", () => {
    const { findings, release } = lintTree([
      shipped,
      { "samples/bad": "kind: Pod\nspec:\n  containers:\n  - name: Web\n    image: web\n" },
    ]);
    expect(release).toBeDefined();
    expect(findings).toEqual([
      {
        severity: "warning",
        path: "samples/bad",
        line: 4,
        column: 11,
        message: expect.stringMatching(
          /^the sample itself is a pod that an API server rejects: spec\.containers\[0\]\.name/,
        ),
      },
    ]);
  });

  describe("a container of a sample that has the name of one that a template adds", () => {
    const sample = (more = "") =>
      `kind: Pod\nmetadata: {name: a${more}}\nspec:\n  containers:\n  - {name: app, image: a}\n  - {name: istio-init, image: b}\n`;
    const grpc = sample(", annotations: {inject.istio.io/templates: grpc-simple }");

    it("is no fault of a template that the sample did not choose", () => {
      expect(errorsOf({ "samples/mine": grpc })).toEqual([]);
    });

    it("is one of the template that it chose", () => {
      const [error] = errorsOf({ "samples/mine": sample() });
      expect(error?.message).toContain("another container of the pod is named");
    });

    it("hides no name that the template itself gives twice", () => {
      const twice =
        "spec:\n  initContainers:\n  - {name: agent, image: a}\n  containers:\n  - {name: agent, image: a}\n";
      const [error] = errorsOf({ "samples/mine": grpc, "templates/twice": twice });
      expect(error).toMatchObject({ path: "templates/twice" });
      expect(error?.message).toContain("another container of the pod is named");
    });
  });

  it("accepts a template that extends the container of a default template", () => {
    const text = "spec:\n  containers:\n  - name: istio-proxy\n    env:\n    - name: A\n      value: b\n";
    expect(errorsOf({ "templates/more-env": text, config: "nativeSidecars: false\n" })).toEqual([]);
  });

  it("warns of a path that no sample resolves, at its place", () => {
    const text =
      'metadata:\n  annotations:\n    a: x{{metadata.name}}\n    b: {{metadata.nmae}}\n{{#each spec.containers}}\n    "{{@index}}": {{nmae}}\n{{/each}}\n';
    const { findings } = lintTree([shipped, { "templates/x": text }]);
    expect(findings).toEqual([
      {
        severity: "warning",
        path: "templates/x",
        line: 4,
        column: 8,
        message: expect.stringContaining('"metadata.nmae"'),
      },
      { severity: "warning", path: "templates/x", line: 6, column: 19, message: expect.stringContaining('"nmae"') },
    ]);
  });

  describe("with a field under which nothing is written", () => {
    it("names the line of an empty list of containers", () => {
      const text = "spec:\n  containers:\n  {{#if metadata.labels.nope}}\n  - name: a\n    image: a\n  {{/if}}\n";
      expect(errorsOf({ "templates/x": text })).toEqual([
        expect.objectContaining({
          path: "templates/x",
          line: 2,
          column: 3,
          message: expect.stringContaining('put "containers:" inside the #if'),
        }),
      ]);
    });

    it("rejects a literal null that would delete the author's containers", () => {
      expect(errorsOf({ "templates/x": "spec:\n  containers: null\n" })).toEqual([
        expect.objectContaining({ path: "templates/x", line: 2, message: expect.stringContaining("$patch: delete") }),
      ]);
    });
  });

  it("rejects a literal null that would delete the author's volumes, at its line", () => {
    const tree = { config: "defaultTemplates: [sidecar, x]\n", "templates/x": "spec:\n  volumes: null\n" };
    expect(errorsOf(tree)).toEqual([
      expect.objectContaining({ path: "templates/x", line: 2, message: expect.stringContaining("$patch: delete") }),
    ]);
  });

  it.each([
    ["a volume", "spec:\n  volumes:\n  - name: istio-data\n    $patch: delete\n", 3, "deletes spec.volumes[0]"],
    ["all volumes", "spec:\n  volumes:\n  - $patch: replace\n", 3, "deletes spec.volumes[0]"],
  ])("blames the line that deletes %s, not the template that needs it", (_what, text, line, words) => {
    const errors = errorsOf({ config: "defaultTemplates: [sidecar, x]\n", "templates/x": text });
    expect(errors).toEqual([
      expect.objectContaining({ path: "templates/x", line, message: expect.stringContaining(words) }),
    ]);
    expect(errors[0]?.message).toContain("so an API server rejects the injected pod: ");
  });
});
