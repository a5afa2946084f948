import { expect, it } from "vitest";
import { yamlScope } from "./yaml-scope.ts";

const POD = `metadata:
  annotations:
    "a.example/b": c
spec:
  containers:
  - name: web
    image: a
  - image: p
    name: istio-proxy
    resources:
      limits:
        memory: 1Gi
      requests:
        cpu: 1
    volumeMounts:
      - mountPath: /a
        readOnly: true
    args:
    - proxy
    - sidecar
  volumes:
    - emptyDir:
        medium: Memory
      name: v
`;

const TEMPLATE = `spec:
  {{#if values.a}}
  initContainers:
  # a comment
  - name: {{values.name}}
    {{#each list}}
    env:
    - name: A
      value: b
    {{/each}}
    command: |
      a script
        text
`;

it.each([
  [POD, "a.example", "metadata › annotations"],
  [POD, "image: a", "spec › containers › web"],
  [POD, "memory", "spec › containers › istio-proxy › resources › limits"],
  [POD, "cpu", "spec › containers › istio-proxy › resources › requests"],
  [POD, "- image: p", "spec › containers"],
  [POD, "name: istio-proxy", "spec › containers › istio-proxy"],
  [POD, "readOnly", "spec › containers › istio-proxy › volumeMounts › /a"],
  [POD, "- sidecar", "spec › containers › istio-proxy › args"],
  [POD, "medium", "spec › volumes › v › emptyDir"],
  [POD, "spec:", ""],
  [TEMPLATE, "value: b", "spec › initContainers › {{values.name}} › env › A"],
  [TEMPLATE, "  text", "spec › initContainers › {{values.name}} › command"],
  [TEMPLATE, "{{#each", ""],
])("yamlScope() finds where a line is, %#", (text, line, scope) => {
  const lines = text.split("\n");
  const at = lines.findIndex((one) => one.includes(line));
  expect(yamlScope(lines, at).join(" › ")).toBe(scope);
});

it("yamlScope() reads any text to its end", () => {
  expect(yamlScope([], 3)).toEqual([]);
  expect(yamlScope(["- - a", "  - b"], 1)).toEqual(["a"]);
  expect(yamlScope(["}}", "  : :", "\t- x:", "    y"], 3).length).toBeLessThan(4);
});
