import { describe, expect, it } from "vitest";
import { lintTree } from "../release/compile-release.ts";
import { loadRelease, type Release } from "../release/load-release.ts";
import type { SourceTree } from "../release/source-tree.ts";
import type { Origin } from "./marks.ts";
import { type TracedInjector, traceInjection } from "./trace-injection.ts";

const AGENT = `metadata:
  labels:
    agent.example.com/of: {{metadata.name}}
spec:
  containers:
  - name: agent
    image: agent:1
{{#each spec.containers}}
  - name: {{name}}
    {{> environment}}
{{/each}}
`;
const ENVIRONMENT = "env:\n- name: NOTE\n  value: |\n    one\n    two\n";

describe("traceInjection()", () => {
  it("credits the author, lines of templates and partials, and steps", () => {
    const pod = {
      metadata: { name: "web", annotations: { "prometheus.io/scrape": "true" } },
      spec: { containers: [{ name: "web", image: "web:1", env: [{ name: "OWN", value: "1" }] }] },
    };
    expect(linesOf(pod)).toEqual([
      ["metadata:", "pod"],
      ["  annotations:", "pod"],
      ['    prometheus.io/scrape: "true"', "pod"],
      [expect.stringMatching(/^ {4}proxy.istio.io\/overrides: /), "container-overrides"],
      [expect.stringMatching(/^ {4}sidecar.istio.io\/status: /), "injection-record"],
      ["  labels:", "templates/custom:2"],
      ["    agent.example.com/of: web", "templates/custom:3"],
      ["  name: web", "pod"],
      ["spec:", "pod"],
      ["  containers:", "pod"],
      ["  - image: agent:1", "templates/custom:7"],
      ["    name: agent", "templates/custom:6"],
      ["  - env:", "pod"],
      ["    - name: NOTE", "partials/environment:2"],
      ["      value: |", "partials/environment:3"],
      ["        one", "partials/environment:3"],
      ["        two", "partials/environment:3"],
      ["    - name: OWN", "pod"],
      ['      value: "1"', "pod"],
      ["    image: web:1", "pod"],
      ["    name: web", "pod"],
    ]);
  });

  it("credits the author with an injected container's field that the author overrides, the same value included", () => {
    const containers = [
      { name: "web", image: "web:1" },
      { name: "agent", image: "agent:1", tty: true },
    ];
    const lines = linesOf({ metadata: { name: "web" }, spec: { containers } });
    expect(lines.filter(([text]) => /agent:1$|tty:/.test(text))).toEqual([
      ["    image: agent:1", "pod"],
      ["    tty: true", "pod"],
    ]);
    expect(lines.find(([text]) => text.includes("proxy.istio.io/overrides"))?.[1]).toBe("container-overrides");
  });
});

it("traceInjection() credits a step with a value that it writes over a template's, the same value included", () => {
  const template =
    "spec:\n  containers:\n  - name: istio-proxy\n    image: proxy:1\n    env:\n    - name: ISTIO_META_NETWORK\n      value: {{network}}\n    - name: NOTE\n      value: x\n";
  const tree = { "templates/custom": template, "values/10-a": "global: {network: net1}\n" };
  const lines = linesOf({ metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web:1" }] } }, tree);
  const env = lines.filter(
    ([text]) => /ISTIO_META_NETWORK|value: net1|NOTE|value: x/.test(text) && !text.includes("status"),
  );
  expect(env).toEqual([
    ["    - name: NOTE", "templates/custom:8"],
    ["      value: x", "templates/custom:9"],
    ["    - name: ISTIO_META_NETWORK", "cluster-environment"],
    ["      value: net1", "cluster-environment"],
  ]);
});

it("traceInjection() credits a step with annotations that it writes for the proxy, and the author with those it keeps", () => {
  const tree = { "templates/custom": "spec:\n  containers:\n  - name: istio-proxy\n    image: proxy:1\n" };
  const metadata = { name: "web", annotations: { "prometheus.io/scrape": "true" } };
  const lines = linesOf({ metadata, spec: { containers: [{ name: "web", image: "web:1" }] } }, tree);
  expect(lines.filter(([text]) => text.includes("prometheus.io"))).toEqual([
    ["    prometheus.io/path: /stats/prometheus", "prometheus-merge"],
    ['    prometheus.io/port: "15020"', "prometheus-merge"],
    ['    prometheus.io/scrape: "true"', "pod"],
  ]);
});

it("traceInjection() follows a template that says which keys of an item stay", () => {
  const template =
    "spec:\n  volumes:\n  - $retainKeys: [name, emptyDir]\n    name: shared\n    emptyDir:\n      medium: Memory\n";
  const volumes = [{ name: "shared", hostPath: { path: "/tmp" } }];
  const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web:1" }], volumes } };
  const lines = linesOf(pod, { "templates/custom": template });
  expect(lines.find(([text]) => text.includes("medium: Memory"))?.[1]).toBe("templates/custom:6");
  // The record, in one line, says what the template took away.
  expect(lines.some(([text]) => /^[ -]*hostPath/.test(text))).toBe(false);
});

it("traceInjection() credits the template with the image that a container of the author's asks for, and the author with another", () => {
  const template = "spec:\n  containers:\n  - name: agent\n    image: agent:1\n";
  const imageOf = (image: string) => {
    const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "agent", image }] } };
    return linesOf(pod, { "templates/custom": template }).filter(([text]) => text.includes("image:"));
  };
  expect(imageOf("auto")).toEqual([["  - image: agent:1", "templates/custom:4"]]);
  expect(imageOf("agent:1")).toEqual([["  - image: agent:1", "pod"]]);
});

function linesOf(pod: object, own: SourceTree = {}): readonly (readonly [string, string])[] {
  const lines = traceInjection(traced(own), { pod, namespace: "default", parameters: {} })?.lines ?? [];
  return lines.map(({ text, origin }) => [text, name(origin)]);
}

function traced(own: SourceTree): TracedInjector {
  const config = "policy: enabled\ndefaultTemplates: [custom]\n";
  const tree = { config, mesh: "{}", "templates/custom": AGENT, "partials/environment": ENVIRONMENT, ...own };
  const { release, findings } = lintTree([tree]);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return { injector: loadRelease(release as Release), compiled: (release as Release).templates };
}

function name(origin: Origin): string {
  if (origin.kind === "template") return `${origin.path}:${origin.line}`;
  return origin.kind === "step" ? origin.step : "pod";
}
