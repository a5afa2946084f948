import { valuesSchema } from "@outrigger/injector";
import { meshFields, podRules, valueRules } from "@outrigger/mesh";
import { expect, it } from "vitest";
import { templateNames } from "../model/state.ts";
import { keysAt, valuesAt } from "./completions.ts";

const optionsAt = (text: string, path = "templates/a") => keysAt(path, text, (text.split("\n").at(-1) ?? "").length);
const at = (text: string, path?: string) => optionsAt(text, path).map(({ label }) => label);

it("keysAt() knows the fields of a Pod, its spec, its containers and what is in them", () => {
  expect(at("")).toEqual(expect.arrayContaining(["metadata", "spec"]));
  expect(at("spec:\n  ")).toContain("containers");
  expect(at("spec:\n  containers:\n  - name: a\n    ")).toContain("image");
  expect(at("spec:\n  containers:\n  - ")).toContain("image");
  expect(at("spec:\n  containers:\n    - name: a\n      ")).toContain("image");
  expect(at("spec:\n  containers:\n  - name: a\n    readinessProbe:\n      httpGet:\n        ")).toContain("port");
  expect(at("spec:\n  containers:\n  - name: a\n    resources:\n      limits: {}\n    ")).toContain("image");
});

it("keysAt() says the type of each field, and whether it is required", () => {
  const fields = optionsAt("spec:\n  containers:\n  - ");
  const of = (name: string) => fields.find(({ label }) => label === name)?.detail;
  expect(of("name")).toBe("string, required");
  expect(of("args")).toBe("list of string");
  expect(of("env")).toBe("list of object");
});

it("keysAt() reads over template tags, and knows nothing in a map of free keys", () => {
  expect(at("spec:\n  {{#if native}}\n  initContainers:\n  {{/if}}\n  - ")).toContain("restartPolicy");
  expect(at("metadata:\n  labels:\n    ")).toEqual([]);
  expect(at("nonsense:\n  ")).toEqual([]);
});

const VALUES = {
  global: {
    hub: "registry.example",
    imagePullPolicy: "",
    imagePullSecrets: [],
    proxy: { logLevel: "warning", excludeInboundPorts: "", privileged: false, resources: { limits: { cpu: "2" } } },
  },
};

const valuesOf = (path: string, text: string) => {
  const [, above = "", indent = "", key = ""] = /^([\s\S]*?)([ -]*)([\w./-]+): $/.exec(text) ?? [];
  return valuesAt(path, above + indent, indent.length, key).map(({ label }) => label);
};

it("keysAt() has the values of the tree with what each takes", () => {
  templateNames.value = { ...templateNames.value, schema: valuesSchema(VALUES), mesh: meshFields() };
  expect(at("", "values/1")).toEqual(["global"]);
  expect(at("global:\n  ", "values/1")).toEqual(["hub", "imagePullPolicy", "imagePullSecrets", "proxy"]);
  const options = optionsAt("global:\n  proxy:\n    ", "values/1");
  expect(options.map(({ label, detail }) => [label, detail])).toEqual([
    ["logLevel", podRules.level.use],
    ["excludeInboundPorts", podRules.ports.use],
    ["privileged", "true or false"],
    ["resources", undefined],
  ]);
  expect(optionsAt("global:\n  ", "values/1")[0]?.detail).toBe(valueRules.hub.use);
  expect(optionsAt("global:\n  ", "values/1")[2]?.detail).toBe(valueRules.secretName.use);
  expect(at("nonsense:\n  ", "values/1")).toEqual([]);
});

it("keysAt() has the fields of a mesh with what each takes", () => {
  const options = optionsAt("defaultConfig:\n  ", "mesh");
  expect(options.find(({ label }) => label === "statusPort")).toMatchObject({
    detail: podRules.port.use,
    apply: "statusPort: ",
  });
  expect(at("defaultConfig:\n  tracing:\n    ", "mesh")).toContain("zipkin");
  expect(at("extensionProviders:\n- name: a\n  ", "mesh")).toContain("zipkin");
  expect(at("defaultConfig:\n  proxyMetadata:\n    ", "mesh")).toEqual([]);
});

it.each(["samples/a", "templates/a"])(
  "keysAt() has the annotations of a pod in %s, and the fields of a Pod",
  (path) => {
    const options = optionsAt("metadata:\n  annotations:\n    ", path);
    expect(options.find(({ label }) => label === "sidecar.istio.io/logLevel")).toMatchObject({
      detail: podRules.level.use,
      info: expect.stringContaining("level"),
    });
    // The injector's own notes are no one's to write.
    expect(options.map(({ label }) => label)).not.toContain("sidecar.istio.io/status");
    expect(at("spec:\n  ", path)).toContain("containers");
    expect(at("", "config")).toEqual([]);
  },
);

it("valuesAt() has the texts that there are, as YAML writes them", () => {
  templateNames.value = { ...templateNames.value, schema: valuesSchema(VALUES), mesh: meshFields() };
  expect(valuesOf("values/1", "global:\n  proxy:\n    logLevel: ")).toEqual(
    expect.arrayContaining(['""', "trace", "critical", '"off"']),
  );
  expect(valuesOf("values/1", "global:\n  proxy:\n    privileged: ")).toEqual(["true", "false"]);
  expect(valuesOf("values/1", "global:\n  imagePullPolicy: ")).toEqual(['""', "Always", "IfNotPresent", "Never"]);
  expect(valuesOf("values/1", "global:\n  hub: ")).toEqual([]);
  expect(valuesOf("mesh", "defaultConfig:\n  interceptionMode: ")).toEqual(["REDIRECT", "TPROXY", "NONE"]);
  expect(valuesOf("mesh", "ingressControllerMode: ")).toContain('"OFF"');
  expect(valuesOf("mesh", "enableTracing: ")).toEqual(["true", "false"]);
  expect(valuesOf("samples/a", "metadata:\n  annotations:\n    prometheus.istio.io/merge-metrics: ")).toEqual([
    '"true"',
    '"false"',
  ]);
});
