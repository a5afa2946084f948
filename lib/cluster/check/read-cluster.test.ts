import { type JsonObject, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../kube/kube-client.ts";
import { readInstalled } from "../objects/installed-webhooks.ts";
import { readConflictingWebhooks, readNet, readPermissions, readVersion, requiredPermissions } from "./read-cluster.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MUTATING = `${GROUP}/mutatingwebhookconfigurations`;
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${POLICIES.slice(0, -"ies".length)}ybindings`;
const LABELS = { "outrigger/revision": "default", "outrigger/deployment": "dev" };

/** An API server that answers paths with an object, the items of a list, or an error. */
function server(answers: Readonly<Record<string, JsonObject | readonly JsonObject[] | Error>>) {
  const listed: string[] = [];
  const kube = {
    get: async (path: string) => answers[path],
    async *list(path: string) {
      listed.push(path);
      const answer = answers[path] ?? [];
      if (answer instanceof Error) throw answer;
      yield* answer as readonly JsonObject[];
    },
  } as unknown as KubeClient;
  return { kube, listed };
}

const unserved = new OutriggerError("cluster-kind-unknown", "404 page not found");

describe("readVersion()", () => {
  it.each([
    [{ gitVersion: "v1.33.4-eks-99d6cc0" }, "1.33.4-eks-99d6cc0"],
    [{}, "of unknown version"],
  ])("of %j is %s", async (version, expected) => {
    expect(await readVersion(server({ "/version": version }).kube)).toBe(expected);
  });
});

describe("readPermissions()", () => {
  const ask = async (
    isAllowed: (attributes: JsonObject) => boolean,
    installed: Parameters<typeof readPermissions>[1],
  ) => {
    const asked: JsonObject[] = [];
    const review = async (path: string, { spec }: { readonly spec: { readonly resourceAttributes: JsonObject } }) => {
      expect(path).toBe("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
      asked.push(spec.resourceAttributes);
      return { status: { allowed: isAllowed(spec.resourceAttributes) } };
    };
    const found = await readPermissions({ review } as unknown as KubeClient, installed, "istio-system");
    return { asked, found };
  };

  it("names what is asked about: the verb, the kind with its group, the object and the namespace", async () => {
    const { found } = await ask(({ verb }) => verb !== "patch", []);
    const allowed = found.filter(({ isAllowed }) => isAllowed).map(({ what }) => what);
    const denied = found.filter(({ isAllowed }) => !isAllowed).map(({ what }) => what);
    expect(allowed).toContain("list namespaces");
    expect(allowed).toContain("get configmaps istio in istio-system");
    expect(denied).toContain(
      "patch mutatingwebhookconfigurations.admissionregistration.k8s.io outrigger-sidecar-injector",
    );
    expect(denied.every((what) => what.startsWith("patch "))).toBe(true);
    expect(allowed.some((what) => what.startsWith("patch "))).toBe(false);
  });

  it("asks nothing twice, and takes an answer without a verdict for no", async () => {
    const { asked } = await ask(() => true, []);
    expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(asked.length);
    const review = async () => ({});
    const found = await readPermissions({ review } as unknown as KubeClient, [], "istio-system");
    expect(found.some(({ isAllowed }) => isAllowed)).toBe(false);
  });

  it("asks about the objects of the revisions and tags that are installed", async () => {
    const of = (name: string, labels: JsonObject) =>
      readInstalled({ metadata: { name, labels: { ...LABELS, ...labels } } });
    const { asked } = await ask(
      () => true,
      [
        of("outrigger-sidecar-injector-1-30", { "outrigger/revision": "1-30" }),
        of("outrigger-revision-tag-prod", { "outrigger/revision": "1-30", "outrigger/tag": "prod" }),
      ],
    );
    const names = asked.filter(({ resource }) => resource === "mutatingwebhookconfigurations").map(({ name }) => name);
    expect(names).toContain("outrigger-sidecar-injector-1-30");
    expect(names).not.toContain("outrigger-sidecar-injector");
  });
});

describe("readNet()", () => {
  const resources = (...names: readonly string[]) => ({
    kind: "APIResourceList",
    resources: names.map((name) => ({ name })),
  });

  it("reads the deployment's policies and bindings, and what the API server says of their expressions", async () => {
    const expressionWarnings = [{ fieldRef: "spec.validations[0].expression", warning: "undefined field" }];
    const policy = { metadata: { name: "net", labels: LABELS }, status: { typeChecking: { expressionWarnings } } };
    const binding = { metadata: { name: "net-binding", labels: LABELS } };
    const others = { metadata: { name: "other", labels: { ...LABELS, "outrigger/deployment": "prod" } } };
    const net = await readNet(server({ [POLICIES]: [policy, others], [BINDINGS]: [binding, others] }).kube, "dev");
    expect(net).toEqual({
      isServed: true,
      bindings: [expect.objectContaining(binding)],
      policies: ["net"],
      warnings: ["spec.validations[0].expression: undefined field"],
    });
  });

  it("knows a cluster that serves no such policies, and asks it for nothing more", async () => {
    const { kube, listed } = server({ [BINDINGS]: unserved, [GROUP]: resources("mutatingwebhookconfigurations") });
    expect(await readNet(kube, "dev")).toEqual({ isServed: false, bindings: [], policies: [], warnings: [] });
    expect(listed).toEqual([BINDINGS]);
  });

  it.each([
    ["the caller may not list them", new OutriggerError("cluster-denied", "not allowed"), {}],
    ["something else answers", unserved, {}],
    ["a proxy answers for the whole group", unserved, { kind: "Page" }],
    ["the server has them after all", unserved, resources("validatingadmissionpolicybindings")],
  ])("does not say that it has none where %s", async (_, error, group) => {
    await expect(readNet(server({ [BINDINGS]: error, [GROUP]: group }).kube, "dev")).rejects.toThrow(error);
  });
});

describe("readConflictingWebhooks()", () => {
  const configuration = (name: string, webhook: string, namespaceSelector: JsonObject, labels: JsonObject = {}) => ({
    metadata: { name, labels },
    webhooks: [{ name: webhook, namespaceSelector, objectSelector: {} }],
  });
  const labelled = (label: string, value: string) => ({ matchLabels: { [label]: value } });
  const namespaces = new Map([
    ["shop", { "istio-injection": "enabled" }],
    ["canary", { "istio.io/rev": "1-30" }],
    ["plain", {}],
  ]);
  const conflicting = (objects: readonly JsonObject[], installed: Parameters<typeof readConflictingWebhooks>[2] = []) =>
    readConflictingWebhooks(server({ [MUTATING]: objects }).kube, "dev", installed, namespaces);
  const ISTIO = "namespace.sidecar-injector.istio.io";
  const ENABLED = labelled("istio-injection", "enabled");

  const LINKERD = "linkerd-proxy-injector.linkerd.io";

  it.each([
    [ISTIO, { isIstios: true, isMesh: true, isBeside: false }],
    ["rev.sidecar-injector.outrigger", { isIstios: false, isMesh: false, isBeside: false }],
    [LINKERD, { isIstios: false, isMesh: true, isBeside: true }],
    ["consul-connect-injector.io", { isIstios: false, isMesh: true, isBeside: true }],
  ])("finds the injector %s with the namespaces whose pods are ours too", async (webhook, what) => {
    expect(await conflicting([configuration("theirs", webhook, ENABLED)])).toEqual([
      { name: "theirs", namespaces: ["shop"], ...what },
    ]);
  });

  it("leaves out its own, what adds no sidecar, and injectors of other namespaces", async () => {
    const found = await conflicting([
      configuration("ours", ISTIO, ENABLED, LABELS),
      configuration("vault", "vault.hashicorp.com", ENABLED),
      configuration("elsewhere", ISTIO, labelled("istio.io/rev", "other")),
    ]);
    expect(found).toEqual([]);
  });

  it("takes an injector of another deployment for a conflict", async () => {
    const labels = { ...LABELS, "outrigger/deployment": "prod" };
    expect(await conflicting([configuration("prod", ISTIO, ENABLED, labels)])).toHaveLength(1);
  });

  it("compares with what is installed: another revision has other namespaces", async () => {
    const labels = { ...LABELS, "outrigger/revision": "1-30" };
    const installed = [readInstalled({ metadata: { name: "outrigger-sidecar-injector-1-30", labels } })];
    const objects = [
      configuration("default", ISTIO, ENABLED),
      configuration("same", ISTIO, labelled("istio.io/rev", "1-30")),
    ];
    expect(await conflicting(objects, installed)).toEqual([
      { name: "same", namespaces: ["canary"], isIstios: true, isMesh: true, isBeside: false },
    ]);
  });
});

describe("requiredPermissions()", () => {
  it("asks about every rule of the roles, by name and namespace where they are limited to them", () => {
    const required = requiredPermissions({ revisions: ["default"], tags: [], istioNamespace: "istio-system" });
    const asked = required.map(({ features: _, ...attributes }) => attributes);
    const group = "admissionregistration.k8s.io";
    const name = "outrigger-sidecar-injector";
    expect(asked).toContainEqual({ group, resource: "mutatingwebhookconfigurations", verb: "list" });
    expect(asked).toContainEqual({ group, resource: "mutatingwebhookconfigurations", verb: "patch", name });
    expect(asked).toContainEqual({ group: "", resource: "pods", verb: "create", namespace: "outrigger-probe" });
    expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(asked.length);
    const featuresOf = (verb: string) =>
      required.find((one) => one.resource === "mutatingwebhookconfigurations" && one.verb === verb)?.features;
    expect(featuresOf("list")).toEqual(["register", "check", "registration", "pods", "explain", "off"]);
    expect(featuresOf("delete")).toEqual(["register", "off"]);
  });
});
