import { describe, expect, it } from "vitest";
import { lintTree } from "../compile-release.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

/** What is found in a tree whose template has a branch that its sample does not take. */
function findingsIn(branch: string, before = "", after = "") {
  const template = `spec:\n  containers:\n  - name: agent\n    image: agent:1\n${before}    {{#if (eq (lookup metadata.labels "acme.io/ship") "true")}}\n${branch}    {{/if}}\n${after}`;
  return lintTree([{ config: "defaultTemplates: [x]\n", "templates/x": template, "samples/web": SAMPLE }]).findings;
}

function errorsIn(branch: string, before = "", after = "") {
  return findingsIn(branch, before, after).filter(({ severity }) => severity === "error");
}

/** Names the line of a mistake by its number in the branch. */
const IN_BRANCH = 5;

describe("checkBranches() of a branch that no sample takes", () => {
  it.each<[string, string, number, string]>([
    ["a port out of range", "    ports:\n    - containerPort: 70000\n", 2, "containerPort must be"],
    [
      "a protocol that there is not",
      "    ports:\n    - containerPort: 80\n      protocol: HTTP\n",
      3,
      "protocol must be",
    ],
    ["a variable's name", "    env:\n    - {name: 'a=b', value: c}\n", 2, "name must"],
    ["a quantity", "    resources:\n      limits: {cpu: much}\n", 2, "must be a quantity"],
    ["an image", "    imagePullPolicy: Sometimes\n", 1, "imagePullPolicy must be"],
    ["a probe", "    livenessProbe:\n      periodSeconds: 5\n", 1, "livenessProbe"],
    [
      "two handlers",
      "    livenessProbe:\n      httpGet: {port: 1}\n      tcpSocket: {port: 1}\n",
      3,
      "must not be set",
    ],
    ["a variable without a name", "    env:\n    - value: c\n", 2, "needs name"],
    ["an unknown field", "    imagee: agent:2\n", 1, "is not a field of a Pod"],
    ["a value of another type", "    command: sh\n", 1, "must be a list"],
    [
      "a lifecycle of two kinds",
      "    lifecycle:\n      preStop:\n        exec: {command: [a]}\n        sleep: {seconds: 1}\n",
      4,
      "must not be set",
    ],
    ["a limit below its request", "    resources:\n      requests: {cpu: 2}\n      limits: {cpu: 1}\n", 2, "cpu"],
    ["a text instead of a number", "    securityContext: {runAsUser: root}\n", 1, "must be an integer"],
  ])("is an error with the line: %s", (_, branch, line, words) => {
    expect(errorsIn(branch)).toEqual([
      {
        severity: "error",
        path: "templates/x",
        line: IN_BRANCH + line,
        column: expect.any(Number),
        message: expect.stringContaining(words),
      },
    ]);
  });

  it.each<[string, string, number, string]>([
    ["an image's name", "  - name: second\n    image: 'agent:'\n", 2, "must be the name of an image"],
    ["a container's name", "  - name: Second_One\n    image: agent\n", 1, "name must"],
    ["no containers", "  initContainers: null\n", 1, "is null"],
    ["a label's value", "metadata:\n  labels:\n    tier: 'a b'\n", 3, "tier"],
    [
      "a volume of two kinds",
      "  volumes:\n  - name: a\n    emptyDir: {}\n    hostPath: {path: /a}\n",
      4,
      "must not be set",
    ],
    ["a volume's name", "  volumes:\n  - name: A_b\n    emptyDir: {}\n", 2, "name must"],
    ["a priority class without its value", "  priorityClassName: high\n", 1, "needs spec.priority"],
    ["a policy", "  restartPolicy: Sometimes\n", 1, "restartPolicy must"],
  ])("is an error with the line: %s", (_, branch, line, words) => {
    expect(errorsIn("", "", `{{#if metadata.labels.ship}}\n${branch}{{/if}}\n`)).toEqual([
      expect.objectContaining({ line: IN_BRANCH + 2 + line, message: expect.stringContaining(words) }),
    ]);
  });

  it("names a mount that the container has already, and one that a branch gives twice", () => {
    const before = "    volumeMounts:\n    - {name: agent, mountPath: /a}\n";
    const after = "  volumes:\n  - {name: agent, emptyDir: {}}\n  - {name: b, emptyDir: {}}\n";
    const errors = errorsIn("    - {name: b, mountPath: /a}\n", before, after);
    expect(errors).toEqual([expect.objectContaining({ line: 8, message: expect.stringContaining("mountPath") })]);
  });

  it.each([
    [
      "a value that only the pod decides",
      '    ports:\n    - containerPort: {{int (lookup metadata.annotations "acme.io/port")}}\n',
    ],
    ["a text with a part of the pod", "    env:\n    - {name: A, value: 'x {{metadata.name}}'}\n"],
    [
      "a limit that only the pod decides",
      '    resources:\n      requests: {cpu: 2}\n      limits: {cpu: {{lookup metadata.annotations "acme.io/cpu"}} }\n',
    ],
  ])("leaves %s to the pod", (_, branch) => {
    expect(errorsIn(branch)).toEqual([]);
  });

  it("is an error besides a slip of the same kind in a value, which is said at the value alone", () => {
    const wrong = "    securityContext: {{values.context}}\n";
    const branch = `    ports:\n    - containerPort: "80"\n  initContainers:\n  - name: prepare\n    image: agent:1\n${wrong}`;
    const template = `spec:\n  containers:\n  - name: agent\n    image: agent:1\n${wrong}    {{#if (eq (lookup metadata.labels "acme.io/ship") "true")}}\n${branch}    {{/if}}\n`;
    const tree = { config: "defaultTemplates: [x]\n", "templates/x": template, "samples/web": SAMPLE };
    const { findings } = lintTree([{ ...tree, "values/10": 'context: {runAsUser: "5"}\n' }]);
    expect(findings.map(({ path, line, message }) => `${path}:${line}: ${message}`)).toEqual([
      expect.stringMatching(/^templates\/x:8: .*containerPort must be a 32-bit integer: write it without quotes/),
      expect.stringMatching(/^values\/10:1: .*runAsUser must be an integer: write it without quotes/),
    ]);
  });

  it("lets two branches that exclude each other write the same", () => {
    const env = (color: string) =>
      `    {{#if (eq metadata.labels.color "${color}")}}\n    - {containerPort: 80, hostPort: 80, name: web}\n    {{/if}}\n`;
    expect(errorsIn("", `    ports:\n${env("red")}${env("blue")}`)).toEqual([]);
  });

  it("judges what a template adds to each container of the pod", () => {
    const loop =
      "  {{#each spec.containers}}\n  - name: {{name}}\n    {{#if ../metadata.labels.debug}}\n    ports: [{containerPort: 70000}]\n    {{/if}}\n  {{/each}}\n";
    expect(errorsIn("", "", loop)).toEqual([expect.objectContaining({ line: 10 })]);
    expect(errorsIn("", "", loop.replace("70000", "8080"))).toEqual([]);
  });

  it.each([
    ["a volume", "    volumeMounts:\n    - {name: dta, mountPath: /data}\n", "", 7, 'a volume of the pod, not "dta"'],
    ["a claim", "    resources:\n      claims: [{name: gpu}]\n", "", 7, 'not "gpu"'],
    [
      "a container",
      "",
      "  {{#if metadata.labels.ship}}\n  - name: second\n    args: [a]\n  {{/if}}\n",
      8,
      "has this container: complete it",
    ],
  ])("warns of %s that no template and no sample has, because a pod may bring it", (_, branch, after, line, words) => {
    expect(findingsIn(branch, "", after)).toEqual([
      expect.objectContaining({ severity: "warning", line, message: expect.stringContaining(words) }),
    ]);
  });

  it("is silent about what the pods of a sample bring", () => {
    const mount = "    volumeMounts:\n    - {name: dump, mountPath: /dump}\n";
    const template = `spec:\n  {{#if metadata.labels.dump}}\n  containers:\n  - name: web\n${mount}  {{/if}}\n`;
    const sample = `${SAMPLE.slice(0, -2)}, volumes: [{name: dump, emptyDir: {}}]}\n`;
    const tree = { config: "defaultTemplates: [x]\n", "templates/x": template };
    expect(lintTree([{ ...tree, "samples/web": sample }]).findings).toEqual([]);
    expect(lintTree([{ ...tree, "samples/web": SAMPLE }]).findings).toHaveLength(1);
    const changing =
      "{{#if metadata.labels.dump}}\nspec:\n  volumes:\n  - {name: dump, persistentVolumeClaim: {readOnly: true}}\n{{/if}}\n";
    const claimed = sample.replace("emptyDir: {}", "persistentVolumeClaim: {claimName: dump}");
    expect(lintTree([{ ...tree, "templates/x": changing, "samples/web": claimed }]).findings).toEqual([]);
    expect(lintTree([{ ...tree, "templates/x": changing, "samples/web": SAMPLE }]).findings).toHaveLength(1);
  });

  it("leaves it to the pods where a branch deletes all volumes: one without any loses nothing", () => {
    const after = "  {{#if metadata.labels.ship}}\n  volumes:\n  - $patch: replace\n  {{/if}}\n";
    expect(errorsIn("", "", after)).toEqual([]);
  });
});
