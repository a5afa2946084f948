import { compileRelease, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { branchesIn, branchPowers, isCni, otherBranches, powersOf } from "./branch-powers.ts";

const CONFIG = "defaultTemplates: [own]\n";

/** The powers of the branches of a template, as `kind value path:line:column`. */
function powersIn(template: string, more: SourceTree = {}) {
  const tree = { config: CONFIG, "templates/own": template, ...more };
  return branchPowers(compileRelease([tree]), tree).map(
    ({ kind, value, path, line, column }) => `${kind} ${value} ${path}:${line}:${column}`,
  );
}

/** The same without the places. */
const valuesIn = (template: string) => powersIn(template).map((text) => text.replace(/ templates\/own:.*/, ""));

const branch = (text: string) => `{{#if (lookup metadata.annotations "a.example/b")}}\n${text}{{/if}}\n`;

describe("branchPowers()", () => {
  it("finds what each branch would add, with the line that writes it", () => {
    expect(powersIn(branch("spec:\n  hostPID: true\n  hostIPC: true\n"))).toEqual([
      "hostPID  templates/own:3:3",
      "hostIPC  templates/own:4:3",
    ]);
  });

  it("finds it in the item that has the same name, whatever is before it in the pod", () => {
    const containers = ["a", "b"].map((name) => `  - name: ${name}\n    image: ${name}:1\n`).join("");
    expect(powersIn(`spec:\n  containers:\n${containers}`)).toEqual([
      "image a:1 templates/own:4:5",
      "image b:1 templates/own:6:5",
    ]);
    expect(
      powersIn(
        "spec:\n  containers:\n  - image: a:1\n    securityContext:\n      capabilities:\n        add: [A, B]\n    name: a\n",
      ),
    ).toEqual(["image a:1 templates/own:3:5", "capability A templates/own:6:15", "capability B templates/own:6:18"]);
  });

  it("has an asterisk for what a pod decides", () => {
    expect(valuesIn("spec:\n  volumes:\n  - name: a\n    hostPath: {path: '/run/{{metadata.name}}'}\n")).toEqual([
      "hostPath /run/*",
    ]);
    expect(valuesIn("spec:\n  hostPID: {{metadata.labels.a}}\n")).toEqual(["hostPID *"]);
  });

  it("says nothing of a value that only a pod decides, where the question is what is admitted", () => {
    const tree: SourceTree = {
      config: CONFIG,
      "templates/own":
        "spec:\n  hostPID: {{metadata.labels.a}}\n  serviceAccountName: '{{metadata.name}}'\n  volumes:\n  - name: a\n    secret: {secretName: 'x-{{metadata.name}}'}\n",
    };
    const release = compileRelease([tree]);
    const kindsOf = (isAdmitted: boolean) =>
      branchPowers(release, tree, { isAdmitted: () => isAdmitted }).map(({ kind }) => kind);
    // A service account is judged wherever it leads.
    expect(kindsOf(false)).toEqual(["secret", "serviceAccountName"]);
    expect(kindsOf(true)).toEqual([]);
  });

  it.each([
    ["a null", "spec:\n  hostAliases: null\n", ["field spec.hostAliases"]],
    ["a directive", "spec:\n  hostAliases:\n  - $patch: replace\n", ['field spec.hostAliases[0]["$patch"]']],
    [
      "a null deep in a list",
      "spec:\n  containers:\n  - name: a\n    image: b\n    command: null\n",
      ["image b", "field spec.containers[0].command"],
    ],
  ])("finds what is taken away, by %s", (_what, template, expected) => {
    expect(valuesIn(template)).toEqual(expected);
  });

  it("takes a container without an image, and one that a pod names, for the author's", () => {
    expect(valuesIn("spec:\n  containers:\n  - name: web\n    command: [sh]\n")).toEqual([
      "field spec.containers[web].command",
    ]);
    expect(valuesIn("spec:\n  initContainers:\n  - name: web\n    command: [sh]\n")).toEqual([
      "field spec.initContainers[web].command",
    ]);
    const each = "spec:\n  containers:\n  {{#each spec.containers}}\n  - name: {{name}}\n    args: [a]\n  {{/each}}\n";
    expect(valuesIn(each)).toEqual(["field spec.containers[*].args"]);
    expect(valuesIn("spec:\n  containers:\n  - {name: own, image: a, command: [sh]}\n")).toEqual(["image a"]);
  });

  it("takes a volume that no template has for the author's, with a Secret in it", () => {
    const container =
      "spec:\n  containers:\n  - name: own\n    image: a\n    volumeMounts: [{name: theirs, mountPath: /a}]\n";
    expect(valuesIn(container)).toEqual(["image a", "secret *"]);
    expect(valuesIn(`${container}  volumes: [{name: theirs, emptyDir: {}}]\n`)).toEqual(["image a"]);
    const elsewhere = { "templates/other": "spec:\n  volumes: [{name: theirs, emptyDir: {}}]\n" };
    expect(powersIn(container, elsewhere)).toHaveLength(1);
  });

  it("finds nothing in labels that most pods have, and what changes them", () => {
    expect(valuesIn("metadata:\n  labels:\n    other: mesh\n")).toEqual([]);
    expect(valuesIn("metadata:\n  labels:\n    app: mesh\n    app.kubernetes.io/name: mesh\n")).toEqual([
      "field metadata.labels.app",
      "field metadata.labels[app.kubernetes.io/name]",
    ]);
  });

  it("leaves out lists' items that a pod decides", () => {
    expect(
      valuesIn(
        "spec:\n  containers:\n  - name: own\n    image: a\n    securityContext: {capabilities: {add: ['{{metadata.name}}', B]}}\n",
      ),
    ).toEqual(["image a", "capability B"]);
  });

  it("judges only the templates that a tree writes in, and their partials", () => {
    const shipped: SourceTree = {
      config: CONFIG,
      "templates/own": "{{> p}}\n",
      "partials/p": "spec: {hostPID: true}\n",
    };
    const found = (tree: SourceTree) => branchPowers(compileRelease([shipped, tree]), tree).map(({ path }) => path);
    expect(found({})).toEqual([]);
    expect(found({ "partials/p": "spec: {hostIPC: true}\n" })).toEqual(["partials/p"]);
    expect(found({ "templates/own": "{{> p}}\n" })).toEqual([]);
    expect(found({ "templates/other": "spec: {hostIPC: true}\n" })).toEqual(["templates/other"]);
  });
});

describe("isCni()", () => {
  it.each([
    ["{}", false],
    ["pilot: {cni: {enabled: true}}", true],
    ["pilot: {cni: {enabled: false}}", false],
  ])("of the values %s is %s, and istio-init needs nothing then", (values, expected) => {
    const tree: SourceTree = {
      config: CONFIG,
      "values/a": `${values}\n`,
      "templates/own":
        "spec:\n  initContainers:\n  - name: istio-init\n    image: a\n    securityContext: {capabilities: {add: [NET_ADMIN]}}\n",
    };
    const release = compileRelease([tree]);
    expect(isCni(release)).toBe(expected);
    const power = branchPowers(release, tree).find(({ kind }) => kind === "capability");
    expect(power?.isNeeded).toBe(!expected);
  });
});

describe("otherBranches()", () => {
  const read = (tree: SourceTree) => branchesIn(compileRelease([{ config: CONFIG, ...tree }]), tree);
  const OTHER = { "templates/other": "spec: {hostPID: true}\n" };
  const changed = (before: SourceTree, after: SourceTree) =>
    powersOf(otherBranches(read(before), read(after)), {}).map(({ kind }) => kind);

  it("are those that another release does not have", () => {
    const own = (text: string) => ({ "templates/own": text, ...OTHER });
    expect(changed(own("spec: {hostIPC: true}\n"), own("spec: {hostIPC: true}\n"))).toEqual([]);
    expect(changed(own("spec: {hostIPC: true}\n"), own("spec: {hostNetwork: true}\n"))).toEqual(["hostNetwork"]);
  });

  it("are all where a volume came or went", () => {
    const own = (name: string) => ({
      "templates/own": `spec:\n  volumes: [{name: ${name}, emptyDir: {}}]\n`,
      ...OTHER,
    });
    const none = { "templates/own": "{}\n", ...OTHER };
    expect(changed(own("a"), own("b"))).toEqual(["hostPID"]);
    expect(changed(none, own("a"))).toEqual(["hostPID"]);
    expect(changed(own("a"), none)).toEqual(["hostPID"]);
    expect(changed(own("a"), own("a"))).toEqual([]);
  });
});
