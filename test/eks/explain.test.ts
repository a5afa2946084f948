// `outrigger explain` of workloads in a cluster, and offline with a namespace's labels, through the command line.

import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { workloadKinds } from "@outrigger/pod";
import { buildRbac } from "@outrigger/webhook";
import { parseYaml } from "@outrigger/yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliLab } from "./cli-lab.ts";
import { boundRules, judgeRules } from "./rbac-authorizer.ts";
import { openRegisteredLab } from "./registered-lab.ts";
import { putDeployment } from "./usual-failures.ts";

const INJECT = "sidecar.istio.io/inject";
const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

describe("outrigger explain", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegisteredLab({ others: ["plain"] });
  });
  afterEach(() => lab.close());

  const put = (place: string, object: JsonObject) => lab.api.put(place, object);
  const deployment = (namespace: string, labels: JsonObject = {}, podLabels: JsonObject = {}, spec: JsonObject = {}) =>
    putDeployment(lab, { namespace, labels, podLabels, spec });
  const explain = async (workload: string, namespace: string) => {
    const { code, out, err } = await lab.run("explain", workload, "-n", namespace, ...KUBECONFIG);
    expect([code, err]).toEqual([0, ""]);
    return out;
  };

  it("says which webhook sends the pod, what the served release decides, and what runs", async () => {
    deployment("shop");
    lab.write(
      "web.yaml",
      `apiVersion: v1\nkind: Pod\nmetadata: {name: web-1, namespace: shop, labels: {app: web}}\nspec: {containers: [{name: web, image: web}]}\n`,
    );
    const { out } = await lab.run("inject", "-f", "web.yaml", "--cluster", "shop");
    put("/api/v1/namespaces/shop/pods/web-1", parseYaml(out, "pod") as JsonObject);
    put("/api/v1/namespaces/shop/pods/web-2", {
      metadata: { name: "web-2", namespace: "shop", labels: { app: "web" }, creationTimestamp: "2020-01-01T00:00:00Z" },
      spec: { containers: [{ name: "web", image: "web" }] },
      status: { containerStatuses: [{ name: "web", state: { waiting: { reason: "ErrImagePull" } } }] },
    });
    const mirrored = { "kubernetes.io/config.mirror": "1" };
    put("/api/v1/namespaces/shop/pods/proxy", {
      metadata: { name: "proxy", namespace: "shop", annotations: mirrored },
      spec: { containers: [{ name: "web", image: "web" }] },
    });
    expect(await explain("pod/proxy", "shop")).toContain(
      "no sidecar: it mirrors a static pod of its node, which no webhook",
    );
    const text = await explain("deploy/web", "shop");
    expect(text).toMatch(/^Release [0-9a-f]{12} \(stable\)\n\ndeploy\/web, namespace shop\n/);
    expect(text).toContain(
      "  Sent to the webhook: outrigger-sidecar-injector, namespace (for namespaces labelled istio-injection)\n",
    );
    expect(text).toContain("  Injected (policy-enabled)");
    expect(text).toContain("  Running: 2 pods, 1 with a sidecar\n");
    expect(text).toMatch(/web-1, \d+[dhms] old: registry\.example\/shipped\/proxyv2, as it would be injected now\n/);
    expect(text).toMatch(/web-2, \d+d old: no sidecar: it is older than the webhook \(restart what owns it/);
    expect(text).toContain("…); its own container web: ErrImagePull\n");
    expect(text).not.toContain("Check this");
    // What the webhook of IAM roles for service accounts adds to every container is no release's.
    const role = { name: "AWS_ROLE_ARN", value: "arn:aws:iam::111122223333:role/web" };
    lab.api.edit("/api/v1/namespaces/shop/pods/web-1", "kube-controller-manager", ({ spec, ...pod }) => ({
      ...pod,
      spec: {
        ...objectOf(spec),
        containers: objectsOf(objectOf(spec)["containers"]).map((one) => ({ ...one, env: [role] })),
      },
    }));
    expect(await explain("deploy/web", "shop")).toMatch(/web-1, .*, as it would be injected now\n/);
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    await lab.run("publish");
    expect(await explain("deployments.apps/web", "shop")).toContain("now it would be mine/proxyv2: restart it");
  });

  it("names the label that is on the Deployment, and what each webhook lacks", async () => {
    deployment("plain", { [INJECT]: "true" });
    const text = await explain("deploy/web", "plain");
    expect(text).toContain("  Not sent to any webhook:\n");
    expect(text).toContain(
      "    outrigger-sidecar-injector, namespace (for namespaces labelled istio-injection): the namespace has no label istio-injection=enabled\n",
    );
    expect(text).toContain(`Check this: The label ${INJECT} is on the Deployment and not on its pod template`);
    expect(text).toMatch(
      /\n {2}If it were sent:\n {4}Injected \(policy-enabled\)[\s\S]*\n {2}No pod of it runs\n {2}Result: no sidecar, because no webhook is called\n/,
    );
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ["inject: enabled", { [INJECT]: "enabled" }, {}, 'is "enabled", which means nothing'],
    ["another revision", { "istio.io/rev": "1-9" }, {}, "which is not registered (there is default)"],
    ["the host's network", {}, { hostNetwork: true }, "spec.hostNetwork"],
  ])("names %s", async (_what, labels, spec, sentence) => {
    deployment("plain", {}, labels, spec);
    expect(await explain("deploy/web", "plain")).toContain(sentence);
  });

  it("never says under Fail that a failed call was ignored", async () => {
    deployment("shop");
    put("/api/v1/namespaces/shop/pods/web-2", {
      metadata: { name: "web-2", namespace: "shop", labels: { app: "web" }, creationTimestamp: "2030-01-01T00:00:00Z" },
      spec: { containers: [{ name: "web", image: "web" }] },
    });
    expect(await explain("deploy/web", "shop")).toContain("no sidecar: the call failed and was ignored");
    await lab.register("--phase", "enforce");
    const text = await explain("deploy/web", "shop");
    expect(text).toContain("no sidecar: it was made before failed calls rejected pods");
    expect(text).not.toContain("ignored");
  });

  it("says what the API server warns of, and what it was not asked", async () => {
    deployment("shop");
    lab.api.warning = 'spec.containers[0]: a "restricted" level would refuse it';
    expect(await explain("deploy/web", "shop")).toContain(
      '    it warns: spec.containers[0]: a "restricted" level would refuse it\n',
    );
    lab.api.authorize = (method, path) =>
      method === "POST" || path.endsWith("/events") ? 'User "ann" cannot create resource "pods"' : undefined;
    const text = await explain("deploy/web", "shop");
    expect(text).toContain("  API server: not asked, because not allowed to create pods in shop\n");
    expect(text).toContain("  Pods that could not be made: not known, because Not allowed in cluster eks");
  });

  it("says that only dry runs are sent in the phase audit", async () => {
    deployment("shop");
    await lab.register("--phase", "audit");
    expect(await explain("deploy/web", "shop")).toContain(
      "namespace (for namespaces labelled istio-injection): only dry runs are sent (phase audit)",
    );
  });

  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "a", image: "a" }] } };
  const selector = { matchLabels: { app: "x" } };
  it.each<[string, string, JsonObject]>([
    ["sts/x", "/apis/apps/v1/namespaces/shop/statefulsets/x", { selector, template }],
    ["ds/x", "/apis/apps/v1/namespaces/shop/daemonsets/x", { selector, template }],
    ["rs/x", "/apis/apps/v1/namespaces/shop/replicasets/x", { selector, template }],
    ["job/x", "/apis/batch/v1/namespaces/shop/jobs/x", { selector, template }],
    ["cj/x", "/apis/batch/v1/namespaces/shop/cronjobs/x", { jobTemplate: { spec: { template } } }],
    ["ro/x", "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/x", { selector, template }],
    ["po/x", "/api/v1/namespaces/shop/pods/x", template.spec],
  ])("explains %s and the pods of it", async (workload, place, spec) => {
    put(place, { metadata: { name: "x", namespace: "shop" }, spec });
    if (workload !== "po/x") {
      put("/api/v1/namespaces/shop/pods/x-1", {
        metadata: {
          name: "x-1",
          namespace: "shop",
          labels: { app: "x" },
          ownerReferences: [{ kind: "Job", name: "x-29000000" }],
        } as never,
        spec: template.spec,
      });
    }
    put("/api/v1/namespaces/shop/pods/other", { metadata: { name: "other", namespace: "shop" }, spec: template.spec });
    const text = await explain(workload, "shop");
    expect(text).toContain(
      "  Sent to the webhook: outrigger-sidecar-injector, namespace (for namespaces labelled istio-injection)\n",
    );
    expect(text).toContain("  Running: 1 pod, 0 with a sidecar\n");
  });

  it("needs in a cluster every permission that outrigger print rbac explain prints, and no other", async () => {
    const roles = buildRbac({
      features: ["explain"],
      revisions: ["default"],
      tags: [],
      probeNamespaces: [],
      istioNamespace: "istio-system",
      group: "g",
      name: "n",
    });
    lab.putPolicyEngine();
    const judged = await judgeRules(lab.api, boundRules(roles, "g"), async () => {
      for (const { kind, api, plural, template: way, names } of workloadKinds) {
        const of = { selector: kind === "ReplicationController" ? selector.matchLabels : selector, template };
        const spec = way.length === 0 ? template.spec : { ...of, jobTemplate: { spec: { template } } };
        put(`${api}/namespaces/shop/${plural}/y`, { metadata: { name: "y", namespace: "shop" }, spec });
        await explain(`${names[0]}/y`, "shop");
      }
    });
    // A pod is tried where a person may create pods, and only there.
    expect(judged).toEqual({ forbidden: ["create pods shop"], needless: [] });
  });

  it("explains with the shipped release, and says so, when the deployment cannot be asked", async () => {
    deployment("shop");
    await lab.aws.store.deleteParameters(["/outrigger/dev/clusters/shop"]);
    const { code, out, err } = await lab.run("explain", "deploy/web", "-n", "shop", ...KUBECONFIG);
    expect([code, err]).toEqual([0, expect.stringContaining("no record of this cluster")]);
    expect(out).toContain("(shipped)\n");
  });

  it("answers offline for a namespace with the labels that are given", async () => {
    lab.write(
      "deploy.yaml",
      `apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: web, labels: {${INJECT}: "true"}}\n  spec: {template: {spec: {containers: [{name: web, image: web}]}}}\n`,
    );
    const on = await lab.run(
      "explain",
      "-f",
      "deploy.yaml",
      "-n",
      "shop",
      "--namespace-label",
      "istio-injection=enabled",
    );
    expect([on.code, on.out]).toEqual([
      0,
      expect.stringContaining(
        "Sent to the webhook: revision default, namespace (for namespaces labelled istio-injection)\n",
      ),
    ]);
    const off = await lab.run("explain", "-f", "deploy.yaml", "--namespace-label", "team=a", "--json");
    const [pod] = JSON.parse(off.out).pods;
    expect(pod.selection.map(({ isSent }: { readonly isSent: boolean }) => isSent)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(pod.mistakes[0]).toContain("is on the Deployment and not on its pod template");
  });

  it.each([
    [["check", "--section", "registration"], { drift: [] }],
    [["pods", "--state", "missing"], { uninjected: [] }],
  ])("is not alone with a context: %j reads the cluster by it too", async (command, expected) => {
    const shop = lab.services.clusters.get("shop");
    lab.services.clusters.set("shop", { ...shop, endpoint: "https://127.0.0.1:1" });
    const words = [...command, "--cluster", "shop", "--json"];
    expect((await lab.run(...words)).code).toBe(3);
    const { code, out, err } = await lab.run(...words, ...KUBECONFIG);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject(expected);
  });

  it.each([
    [["explain"], 2, "'-f, --filename <file>'"],
    [["explain", "deploy/web", "-f", "x"], 2, "both a workload and --filename"],
    [["explain", "web", ...KUBECONFIG], 2, "name a workload as deploy/web; the kinds are po, deploy, sts"],
    [["explain", "deploy/gone", ...KUBECONFIG], 3, "There is no Deployment gone in namespace default"],
    [["explain", "deploy/web", "--namespace-label", "a=b"], 2, "Cannot use --namespace-label with a cluster"],
    [["explain", "-f", "x", "--namespace-label", "a"], 2, "write key=value"],
  ])("refuses %j", async (argv, code, message) => {
    const ran = await lab.run(...argv);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(message)]);
  });
});
