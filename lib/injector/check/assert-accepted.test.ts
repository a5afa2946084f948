import { type JsonObject, metadataKeys, type OutriggerError } from "@outrigger/base";
import { type Container, type Pod, validatePod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { withContainer } from "../decode-pod.ts";
import { injectPod } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

const TEMPLATE = `metadata:
  labels:
    agent: {{metadata.name}}
    {{#each metadata.annotations}}
    {{#if (contains "copied" @key)}}
    copied: {{this}}
    {{/if}}
    {{/each}}
  namespace: {{lookup metadata.annotations "example.com/namespace"}}
spec:
  priorityClassName: {{lookup metadata.annotations "example.com/priority"}}
  containers:
  - name: agent
    image: agent:1
    ports:
    - {name: agent, containerPort: 9100, hostPort: 9100}
    {{#if (or metadata.labels.ship (lookup metadata.annotations "example.com/chosen"))}}
    - {name: a, containerPort: 91, hostPort: {{ternary 70000 70001 (eq "true" metadata.labels.ship)}} }
    {{/if}}
    {{#if metadata.labels.tier}}
    - {name: {{metadata.labels.tier}}, containerPort: 92}
    {{/if}}
    {{#if (lookup metadata.annotations "sidecar.istio.io/logLevel")}}
    - {name: level, containerPort: 93, hostPort: {{ternary 70000 70001 (eq "debug" (lookup metadata.annotations "sidecar.istio.io/logLevel"))}} }
    {{/if}}
    env:
    - {name: SHIP, value: {{default "" metadata.labels.ship}} }
    volumeMounts:
    - {name: agent, mountPath: /agent}
    resources:
      requests: {cpu: 100m}
      limits:
        cpu: {{default "200m" (lookup metadata.annotations "example.com/cpu")}}
  volumes:
  - name: agent
    emptyDir: {}
`;

let injectors: Readonly<Record<"safe" | "reference", Injector>>;

beforeAll(() => {
  const tree = {
    config: "defaultTemplates: [agent]",
    "templates/agent": TEMPLATE,
    "samples/web": "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}",
  };
  const reference = { ...tree, config: `${tree.config}\ncompatibility: reference` };
  injectors = { safe: loadRelease(compileRelease([tree])), reference: loadRelease(compileRelease([reference])) };
});

const APP: Container = { name: "app", image: "app" };

function podOf(annotations: Readonly<Record<string, string>>, spec: object = {}, name = "web"): Pod {
  return { metadata: { name, annotations }, spec: { containers: [APP], ...spec } };
}

function inject(pod: Pod, kind: "safe" | "reference" = "safe") {
  return injectPod(injectors[kind], { pod, namespace: "shop", parameters: {} });
}

const taken = { containers: [{ ...APP, ports: [{ containerPort: 80, hostPort: 9100 }] }] };

describe("injectPod() of a pod that an API server would reject because of the injection", () => {
  it.each([
    [
      "an annotation",
      podOf({ a: "1", "example.com/priority": "Not a name", z: "1" }),
      'metadata.annotations["example.com/priority"]',
      "annotation-invalid",
    ],
    [
      "a limit below the request",
      podOf({ "example.com/cpu": "50m" }),
      'metadata.annotations["example.com/cpu"]',
      "annotation-invalid",
    ],
    [
      "a limit of the template's container, which the author set twice",
      podOf(
        { "example.com/cpu": "50m" },
        { containers: [APP, { name: "agent", image: "a", resources: { limits: { cpu: "10m" } } }] },
      ),
      'metadata.annotations["example.com/cpu"]',
      "annotation-invalid",
    ],
    [
      "another namespace than the request's",
      {
        metadata: { name: "web", namespace: "shop", annotations: { "example.com/namespace": "other" } },
        spec: { containers: [APP] },
      },
      'metadata.annotations["example.com/namespace"]',
      "annotation-invalid",
    ],
    [
      "a limit of the template's container, by naming it",
      podOf({}, { containers: [APP, { name: "agent", image: "a", resources: { limits: { cpu: "10m" } } }] }),
      "spec.containers[1].resources",
      "pod-invalid",
    ],
    [
      "the name of the template's container in another list",
      podOf({}, { initContainers: [{ name: "agent", image: "own" }] }),
      "spec.initContainers[0].name",
      "pod-invalid",
    ],
    [
      "a label that the template reads by its key",
      { metadata: { name: "web", labels: { tier: "a_b" } }, spec: { containers: [APP] } },
      'metadata.labels["tier"]',
      "pod-invalid",
    ],
  ])("denies it and names the cause: %s", (_, pod, path, code) => {
    expect(validatePod(pod)).toEqual([]);
    expect(() => inject(pod)).toThrow(
      expect.objectContaining({
        code,
        path,
        message: expect.stringContaining(
          `change ${withContainer(path, pod as JsonObject)}, which the injection depends on`,
        ),
      }),
    );
  });

  it.each([
    ["a port of the node that the author has", podOf({}, taken), "ports"],
    [
      "annotations, where those of the author leave no room",
      podOf({ note: "x".repeat(262_100) }),
      "metadata.annotations",
    ],
    ["a copy of the pod's name", podOf({}, {}, "x".repeat(64)), "metadata.labels.agent"],
    ["a literal behind a label", { ...podOf({}), metadata: { name: "web", labels: { ship: "true" } } }, "hostPort"],
    [
      "a literal behind a label that it also copies",
      { ...podOf({}), metadata: { name: "web", labels: { ship: "copied" } } },
      "hostPort",
    ],
    ["a literal behind a documented annotation", podOf({ [metadataKeys.logLevel]: "debug" }), "hostPort"],
    ["a literal that an annotation chooses", podOf({ "example.com/chosen": "true" }), "hostPort"],
    ["what it copies from any annotation", podOf({ "other.example/copied": "A b" }), "metadata.labels"],
  ])("is the operator's fault, with the template, where it writes %s", (_, pod, field) => {
    expect(validatePod(pod)).toEqual([]);
    const error = thrown(() => inject(pod)) as OutriggerError;
    expect(error).toMatchObject({ code: "overlay-invalid", path: expect.stringContaining(field) });
    expect(error.message).toContain('correct template "agent"');
    expect(error.logged?.message).toContain('correct template "agent"');
  });

  it("keeps what the author wrote out of the log", () => {
    const error = thrown(() => inject(podOf({ "example.com/priority": "Not a name" })));
    expect(error).toMatchObject({
      logged: {
        message:
          "Cannot inject: an API server would reject the injected pod: a field in spec.priorityClassName is invalid; change metadata.annotations[*], which the injection depends on",
        path: "metadata.annotations[*]",
      },
    });
  });

  it("passes on a pod that was invalid before, and any pod with compatibility: reference", () => {
    const invalid = podOf({ "example.com/priority": "Not a name" }, { hostname: "Not a name" });
    expect(inject(invalid)).toMatchObject({ injected: true });
    expect(inject(podOf({}, taken), "reference")).toMatchObject({ injected: true });
  });
});

function thrown(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe("an error of a template", () => {
  const TAKES = `spec:
  containers:
  - {name: agent, image: agent:1}
  {{#if metadata.labels.ship}}
  hostname: {{default values.host metadata.namespace}}
  {{/if}}
`;
  const errorWith = (values: string, name: string): OutriggerError => {
    const tree = { config: "defaultTemplates: [agent]", "templates/agent": TAKES, "values/10-own": values };
    const metadata = { labels: { ship: "true" }, annotations: { name } };
    const pod = { metadata, spec: { containers: [{ name: "web", image: "web" }] } };
    const injector = loadRelease(compileRelease([tree]));
    return thrown(() => injectPod(injector, { pod, namespace: "", parameters: {} })) as OutriggerError;
  };

  it.each([
    ["names the value that has the wrong text", "host: A_B\nagent: {port: 1}\n", "a", 'value host or template "agent"'],
    ["names none of two values", "host: A_B\nagent: {host: A_B}\n", "a", 'template "agent"'],
    ["names no value where the pod has its text", "host: A_B\n", "A_B", 'template "agent"'],
  ])("%s", (_, values, name, remedy) => {
    const { code, message, logged } = errorWith(values, name);
    expect(code).toBe("overlay-invalid");
    expect(message).toMatch(new RegExp(`; correct ${remedy}$`));
    expect(logged?.message).toMatch(new RegExp(`; correct ${remedy}$`));
  });
});
