import type { Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "./compile-release.ts";
import { loadRelease, type Release } from "./load-release.ts";
import type { SourceTree } from "./source-tree.ts";

const POD: Pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };
const AGENT = "spec:\n  containers:\n  - name: agent\n    image: {{values.image}}\n";

/** The smallest tree that injects. */
const BASE: SourceTree = {
  config: "defaultTemplates: [agent]",
  "values/00-default": "image: agent:1\nkept: 1\n",
  "templates/agent": AGENT,
  "samples/plain": "kind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: web, image: web}]}\n",
  "samples/labelled": "kind: Pod\nmetadata: {labels: {app: x}}\nspec: {containers: [{name: web, image: web}]}\n",
};

function inject(release: Release, pod = POD): Pod {
  const result = injectPod(loadRelease(release), { pod, namespace: "default", parameters: {} });
  if (!result.injected) throw new Error(result.message);
  return result.pod;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

function imageOf(pod: Pod, name: string): string | undefined {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  return [...containers, ...initContainers].find((container) => container.name === name)?.image;
}

describe("compileRelease()", () => {
  it("makes a release that injects", () => {
    const release = compileRelease([BASE]);
    expect(release.warnings).toEqual([]);
    expect(imageOf(inject(release), "agent")).toBe("agent:1");
  });

  it("makes plain JSON that injects the same after a round trip", () => {
    const release = compileRelease([BASE]);
    const read = JSON.parse(JSON.stringify(release)) as Release;
    expect(read).toEqual(release);
    expect(inject(read)).toEqual(inject(release));
  });

  it("changes nothing that it is given, and gives the same again", () => {
    const layers = Object.freeze([Object.freeze({ ...BASE }), Object.freeze({ "values/10-mine": "image: mine" })]);
    expect(compileRelease(layers)).toEqual(compileRelease(layers));
  });

  it("makes a release that loading and injecting leave as it is", () => {
    const release = deepFreeze(compileRelease([BASE]));
    expect(imageOf(inject(release), "agent")).toBe("agent:1");
  });

  describe("with layers", () => {
    it("merges values and deletes with null", () => {
      const { values } = compileRelease([BASE, { "values/10-mine": "image: agent:2\nkept: null\nadded: {a: 1}\n" }]);
      expect(values).toEqual({ image: "agent:2", added: { a: 1 } });
    });

    it("lets the layers below count for nothing with `defaults: none`, but for templates, partials and samples", () => {
      const release = compileRelease([
        { ...BASE, mesh: "trustDomain: below\n" },
        { config: "defaults: none", "values/10-mine": "image: agent:2" },
      ]);
      expect(release.values).toEqual({ image: "agent:2" });
      expect(release.meshConfig.trustDomain).toBe("cluster.local");
      expect(imageOf(inject(release), "agent")).toBe("agent:2");
    });

    it("applies mesh config over that of the layers below", () => {
      const { meshConfig } = compileRelease([
        { ...BASE, mesh: "trustDomain: below\nrootNamespace: below\n" },
        { mesh: "trustDomain: above\n" },
      ]);
      expect(meshConfig).toMatchObject({ trustDomain: "above", rootNamespace: "below" });
    });

    it("takes template, partial and sample of a later layer for those of the same name", () => {
      const release = compileRelease([
        { ...BASE, "partials/p": "image: below", "samples/plain": "not a pod" },
        {
          "templates/agent": "spec:\n  containers:\n  - name: agent\n    {{> p}}\n",
          "partials/p": "image: above",
          "samples/plain": BASE["samples/plain"] as string,
        },
      ]);
      expect(imageOf(inject(release), "agent")).toBe("above");
    });

    describe("over the shipped one", () => {
      let shipped: SourceTree;
      beforeAll(async () => {
        shipped = await shippedTree();
      });

      it("finds nothing to warn of in the shipped one", () => {
        expect(compileRelease([shipped]).warnings).toEqual([]);
      });

      it("puts a partial of the user's own into the shipped sidecar", () => {
        const release = compileRelease([shipped, { "partials/proxy-image": "image: mine/{{values.global.hub}}\n" }]);
        expect(imageOf(inject(release), "istio-proxy")).toMatch(/^mine\//);
      });
    });
  });

  it("ships the shapes of the samples' own choice, and not those of what is only tried", () => {
    const more = { "templates/other": "metadata:\n  labels: {a: {{owner.name}} }\n" };
    const templates = compileRelease([BASE, more]).shapes.map(({ template }) => template);
    expect(new Set(templates)).toEqual(new Set(["agent"]));
  });

  it("warns of values that lead nowhere and of fields that no mesh config has, with the place", () => {
    const { warnings } = compileRelease([
      BASE,
      { mesh: "defaultConfg: {}\n", "templates/other": "metadata:\n  name: a\n  labels: {x: {{values.imag}} }\n" },
    ]);
    expect(warnings).toEqual([
      "MeshConfig has no field defaultConfg: it has no effect (in mesh)",
      'In template "other", "values.imag" is not in the values, did you mean "image" (line 3, column 15)',
    ]);
  });

  it("takes a template that grows what the author wrote: undoing gives the author's back before it is written again", () => {
    const { warnings } = compileRelease([
      BASE,
      {
        "templates/grows":
          "metadata:\n  labels:\n    {{#if metadata.labels.app}}\n    app: {{metadata.labels.app}}x\n    {{/if}}\n",
      },
    ]);
    expect(warnings).toEqual([]);
  });

  describe("when a template is wrong", () => {
    const compile = (tree: SourceTree) => () => compileRelease([BASE, tree]);

    it.each<[string, SourceTree, object, string]>([
      [
        "does not parse",
        { "templates/x": "spec:\n  {{#if values.image}}\n" },
        { code: "template-invalid", path: "templates/x", line: 3, column: 1 },
        'template "x": a block is not closed',
      ],
      [
        "names an unknown helper",
        { "templates/x": "metadata:\n  name: {{tolower values.image}}\n" },
        { code: "template-invalid", path: "templates/x", line: 2, column: 9 },
        'did you mean "toLower"',
      ],
      [
        "renders what is no YAML",
        { "templates/x": "metadata:\n  labels: {a: 1\n" },
        { code: "template-render", path: "templates/x", line: 2, column: 11 },
        "does not render valid YAML",
      ],
      [
        "loses a slot",
        { "templates/x": "metadata:\n  name: a # {{owner.name}}\n" },
        { code: "template-render", path: "templates/x", line: 2, column: 13 },
        "write comments as {{! … }}",
      ],
      [
        "renders a field that a Pod does not have",
        { "templates/x": "spec:\n  containers:\n  - name: a\n    imagePulPolicy: Always\n" },
        { code: "overlay-invalid", path: "templates/x", line: 4, column: 5 },
        'spec.containers[0].imagePulPolicy is not a field of a Pod, did you mean "imagePullPolicy"',
      ],
      [
        "renders such a field in a partial, in a loop, under a key that is a tag",
        {
          "templates/x": "spec:\n  containers:\n  {{> loop}}\n",
          "partials/loop":
            "{{#each spec.containers}}\n- name: {{name}}\n  {{printf \"%sProb\" 'liveness'}}: {}\n{{/each}}\n",
        },
        { code: "overlay-invalid", path: "partials/loop", line: 3, column: 3 },
        'did you mean "livenessProbe"',
      ],
      [
        "renders a field like no other",
        { "templates/x": "spec:\n  volumes:\n  - name: a\n    emptyDir: {zzzzzz: 1}\n" },
        { code: "overlay-invalid", path: "templates/x", line: 4, column: 16 },
        '"kubectl explain pod.spec.volumes.emptyDir" lists the known fields',
      ],
      [
        "renders a number for a string",
        { "templates/x": "spec:\n  containers:\n  - name: a\n    env:\n    - name: A\n      value: 1\n" },
        { code: "overlay-invalid", path: "templates/x", line: 6, column: 14 },
        "spec.containers[0].env[0].value must be a string: put it in quotes, or write {{string …}}",
      ],
      [
        "renders a string for a number, from a value",
        { "templates/x": "spec:\n  priority: {{values.image}}\n" },
        { code: "overlay-invalid", path: "templates/x", line: 2, column: 13 },
        "spec.priority must be a 32-bit integer (line 2",
      ],
      [
        "renders a number in quotes, from a value",
        { "templates/x": "spec:\n  priority: {{values.count}}\n", "values/1": "count: '5'\n" },
        { code: "overlay-invalid", path: "templates/x", line: 2, column: 13 },
        "write it without quotes, or {{int …}}",
      ],
      [
        "inserts a value that holds a field that no Pod has",
        { "templates/x": "spec:\n  securityContext: {{values.sc}}\n", "values/1": "sc: {runAsUsr: 1}" },
        { code: "overlay-invalid", path: "values/1", line: 1, column: 6 },
        'spec.securityContext.runAsUsr is not a field of a Pod, did you mean "runAsUser"',
      ],
      [
        "renders an item without its merge key",
        { "templates/x": "spec:\n  containers:\n  - image: a\n" },
        { code: "overlay-invalid", path: "templates/x", line: 3, column: 5 },
        "spec.containers[0] needs name, which identifies items",
      ],
      [
        "renders an empty item",
        { "templates/x": "spec:\n  tolerations:\n  - \n  - key: a\n" },
        { code: "overlay-invalid", path: "templates/x" },
        "spec.tolerations[0] is empty: remove the item",
      ],
      [
        "renders a directive that does not exist",
        { "templates/x": "spec:\n  containers:\n  - name: a\n    $patch: remove\n" },
        { code: "overlay-invalid", path: "templates/x", line: 4, column: 13 },
        "$patch must be delete or replace",
      ],
      [
        "asks for more than any sample's values give",
        { "templates/x": "metadata:\n  name: {{string (int values.image)}}\n" },
        { code: "template-render", path: "templates/x", line: 2, column: 18 },
        'helper "int": an integer is expected',
      ],
    ])("refuses a template that %s", (_what, tree, error, words) => {
      expect(compile(tree)).toThrow(expect.objectContaining(error));
      expect(compile(tree)).toThrow(words);
    });

    it("tries it also where the samples are opted out, and nothing is injected by itself", () => {
      const out = "kind: Pod\nmetadata: {namespace: kube-system, labels: {sidecar.istio.io/inject: 'false'}}\n";
      const tree = {
        config: "policy: disabled\nneverInjectSelector: [{matchExpressions: [{key: x, operator: DoesNotExist}]}]",
        "samples/plain": `${out}spec: {hostNetwork: true, containers: [{name: web}]}\n`,
        "samples/labelled": `${out}spec: {containers: [{name: web}]}\n`,
        "templates/x": "spec:\n  nope: 1\n",
      };
      expect(compile(tree)).toThrow("spec.nope is not a field of a Pod");
    });

    it("tries it under its own name where an alias has the same", () => {
      const tree = { config: "aliases: {x: [agent]}", "templates/x": "spec:\n  hostPIDs: true\n" };
      expect(compile(tree)).toThrow('did you mean "hostPID"');
    });

    it("names the sample that shows it", () => {
      const tree = { "templates/x": "{{#if metadata.labels.app}}\nspecs: {}\n{{/if}}\n" };
      expect(compile(tree)).toThrow(/line 2, column 1\), as samples\/labelled shows$/);
    });

    it("accepts what makes sense only with another template", () => {
      const tree = {
        "templates/x":
          "spec:\n  containers:\n  - name: agent\n    env:\n    - name: A\n      value: b\n    $setElementOrder/env:\n    - name: B\n    - name: A\n",
      };
      expect(compile(tree)().warnings).toEqual([]);
    });

    it("warns only when some samples' values are not for it", () => {
      const tree = { "templates/x": "metadata:\n  labels: {n: {{string (int metadata.labels.app)}} }\n" };
      expect(compile(tree)().warnings).toEqual([
        expect.stringMatching(/template "x".*an integer is expected \(line 2, column 24\), as samples\/labelled shows/),
      ]);
    });
  });

  it.each<[string, SourceTree, object, string]>([
    ["a path means nothing", { "value/x": "" }, { code: "tree-invalid", path: "value/x" }, "values/<name>"],
    ["a layer of values is a list", { "values/x": "[]" }, { code: "values-invalid", path: "values/x" }, "a mapping"],
    [
      "a switch of the values is a text",
      { "values/x": 'pilot: {cni: {enabled: "false"}}' },
      { code: "values-invalid", path: "values/x" },
      "pilot.cni.enabled must be true or false",
    ],
    ...["values/x", "config", "namespaces", "samples/x", "schema"].map((path): [string, SourceTree, object, string] => [
      `${path} has a key twice`,
      { [path]: "a:\n  b: 1\n  b: 2\n" },
      { code: "yaml-invalid", path, line: 3, column: 3 },
      path,
    ]),
    [
      "proxyconfigs have a key twice",
      { proxyconfigs: "kind: ProxyConfig\nkind: ProxyConfig\n" },
      { code: "yaml-invalid", path: "proxyconfigs", line: 2 },
      "proxyconfigs",
    ],
    ["values are no YAML", { "values/x": "a: [" }, { code: "yaml-invalid", path: "values/x", line: 1 }, "values/x"],
    ["namespaces are a list", { namespaces: "[]" }, { code: "config-invalid", path: "namespaces" }, "a mapping"],
    [
      "a namespace's annotation is a number",
      { namespaces: "a: {annotations: {b: 1}}" },
      { code: "config-invalid", path: "namespaces.a" },
      "all strings",
    ],
    ...["openshift.io/sa.scc.uid-range", "openshift.io/sa.scc.supplemental-groups"].map(
      (key): [string, SourceTree, object, string] => [
        `${key} ends above what a pod may have`,
        { namespaces: `a: {annotations: {${key}: 2147483640/10}}` },
        { code: "config-invalid", path: `namespaces.a.annotations.${key}` },
        "2147483647 or below",
      ],
    ),
    [
      "an alias names no template",
      { config: "aliases: {a: [agnet]}" },
      { code: "config-invalid", path: "config.aliases.a" },
      'there is no template "agnet"; use agent',
    ],
    [
      "a default template does not exist",
      { config: "defaultTemplates: [agnet]" },
      { code: "config-invalid", path: "config.defaultTemplates" },
      "use one of agent",
    ],
    ["a sample is no Pod", { "samples/x": "kind: Job" }, { code: "tree-invalid", path: "samples/x" }, "kind: Pod"],
    [
      "a sample has a field of the wrong type",
      { "samples/x": "kind: Pod\nspec: {containers: {}}" },
      { code: "tree-invalid", path: "samples/x" },
      "spec.containers must be a list",
    ],
    [
      "a sample asks for a template that does not exist",
      { "samples/x": "kind: Pod\nmetadata: {annotations: {inject.istio.io/templates: nope}}\nspec: {containers: []}" },
      { code: "tree-invalid", path: "samples/x" },
      'template "nope"',
    ],
    [
      "a sample's annotation is wrong",
      { "samples/x": "kind: Pod\nmetadata: {annotations: {status.sidecar.istio.io/port: x}}\nspec: {containers: []}" },
      { code: "tree-invalid", path: "samples/x" },
      "status.sidecar.istio.io/port",
    ],
    ["mesh is no mesh config", { mesh: "trustDomain: []" }, { code: "mesh-invalid", path: "mesh" }, "trustDomain"],
  ])("refuses a tree when %s", (_what, tree, error, words) => {
    const compile = () => compileRelease([BASE, tree]);
    expect(compile).toThrow(expect.objectContaining(error));
    expect(compile).toThrow(words);
  });
});
