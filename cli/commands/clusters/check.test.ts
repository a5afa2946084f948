// `outrigger check` through the command line: a sound deployment and cluster, and one thing wrong at a time.

import type { JsonObject } from "@outrigger/base";
import { buildRbac, PROBE_NAMESPACE } from "@outrigger/webhook";
import { parseYaml } from "@outrigger/yaml";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "../../../test/eks/cli-lab.ts";
import { allows, statementsFor } from "../../../test/eks/judge-policy.ts";
import { boundRules, judgeRules } from "../../../test/eks/rbac-authorizer.ts";
import { watchDeployment } from "../../connect/connect-cluster.ts";
import { openDeployment } from "../../connect/deployment.ts";

interface Line {
  readonly id: string;
  readonly section: string;
  readonly level: string;
  readonly seen: string;
  readonly fix?: string;
}

const STATEMENTS = statementsFor("registrar");

const GROUP = "/apis/admissionregistration.k8s.io/v1";

/** A laboratory whose cluster `shop` is registered, and which serves what it publishes. */
async function openRegistered(): Promise<CliLab> {
  const lab = await openCliLab();
  expect((await lab.run("publish")).err).toBe("");
  const made = await lab.register("--phase", "cluster", "--safety-net", "warn");
  expect([made.code, made.err]).toEqual([0, expect.stringContaining("The API server injects a pod")]);
  return lab;
}

async function checkShop(lab: CliLab, ...argv: readonly string[]) {
  const { code, out, err } = await lab.run("check", "--cluster", "shop", "-o", "json", ...argv);
  const lines = (JSON.parse(out) as { readonly checks: readonly Line[] }).checks;
  return { code, err, lines, at: (id: string) => lines.find((line) => line.id === id) };
}

const notOk = (lines: readonly Line[]) => lines.filter(({ level }) => level !== "ok" && level !== "untried");

describe("outrigger check of what is sound", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeAll(async () => {
    lab = await openRegistered();
  });
  afterAll(() => lab.close());

  it("is sound when everything is as it should be, and prints a line a check", async () => {
    const { code, lines } = await checkShop(lab);
    expect(notOk(lines)).toEqual([]);
    expect(code).toBe(0);
    const text = await lab.run("check", "--cluster", "shop");
    expect(text.code).toBe(0);
    const printed = text.out.split("\n").flatMap((line) => /^✔ (\S+) /.exec(line)?.[1] ?? []);
    expect(printed).toEqual(lines.map(({ id }) => id));
    expect(text.out).toMatch(
      /^deployment\n✔ credentials +arn:aws:iam::111122223333:user\/ann in account 111122223333\n/,
    );
    expect(text.out).toMatch(/✔ self-test +it injects: \d+ ms, \d+ ms, \d+ ms/);
    expect(text.out).toMatch(/✔ dry-run +1 of 1 samples injected, as the release decides, in \d+ to \d+ ms/);
    // No call changes anything.
    const writes = lab.api.calls.slice(lab.api.calls.findIndex((call) => call.startsWith("GET /version")));
    expect(writes.filter((call) => !/^GET |dryRun=All|selfsubjectaccessreviews/.test(call))).toEqual([]);
    expect(text.out).not.toMatch(/\/t\/[A-Za-z0-9_-]{43}/);
  });

  it("finds the cluster by a context of the kubeconfig, and its record by its token", async () => {
    const { code, out } = await lab.run("check", "--kubeconfig", "kubeconfig", "--context", "eks", "-o", "json");
    expect(code).toBe(0);
    const { checks } = JSON.parse(out) as { readonly checks: readonly Line[] };
    expect(checks.find(({ id }) => id === "record")?.seen).toBe("shop is registered: default from stable");
  });

  it("checks the deployment and the endpoint alone when no cluster is named", async () => {
    const { code, out } = await lab.run("check", "--url", "https://localhost:1", "-o", "json");
    const { checks } = JSON.parse(out) as { readonly checks: readonly Line[] };
    expect(new Set(checks.map(({ section }) => section))).toEqual(new Set(["deployment", "endpoint"]));
    expect([code, checks.at(-1)?.seen]).toEqual([1, "nothing listens there"]);
  });

  it("refuses both a cluster and a context", async () => {
    const { code, err } = await lab.run("check", "--cluster", "shop", "--context", "eks");
    expect([code, err]).toEqual([2, expect.stringContaining("Cannot use both --cluster and --context")]);
  });
});

describe("outrigger check of what changes", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegistered();
  });
  afterEach(() => lab.close());

  const PARTIAL = "image: mine/proxyv2:1.31.0\n";
  const check = (...argv: readonly string[]) => checkShop(lab, ...argv);

  it("checks with --section prerequisites what registering needs, and says what is missing", async () => {
    await lab.run("unregister", "--yes", "--cluster", "shop");
    lab.api.denied.add("patch mutatingwebhookconfigurations");
    const { code, lines, at } = await check("--section", "prerequisites");
    expect(lines.map(({ id }) => id)).not.toContain("record");
    expect(at("permissions")).toMatchObject({
      level: "error",
      seen: "not allowed: patch mutatingwebhookconfigurations.admissionregistration.k8s.io outrigger-sidecar-injector",
      fix: "outrigger print rbac register | kubectl apply -f -",
    });
    // The certificate of this laboratory is not public, and the cluster has no record that says so.
    expect(at("tls")?.level).toBe("unknown");
    expect(code).toBe(1);
  });

  it("exits 3 when something could not be checked and nothing else was found, and says once what keeps it", async () => {
    lab.services.faults.set("lambda", { status: 403, type: "AccessDeniedException" });
    const { code, out, err } = await lab.run("check", "--cluster", "shop");
    const lines = out.split("\n");
    expect(lines.filter((line) => /^[!✖]/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("?"))).toEqual([
      expect.stringMatching(/^\? functions .*could not be checked: .*lambda:GetFunctionConfiguration/),
      expect.stringMatching(/^\? guardrails +could not be checked, as functions$/),
    ]);
    const made = lines.filter((line) => /^[✔?]/.test(line)).length;
    expect([code, err]).toEqual([3, expect.stringContaining(`2 of ${made} checks could not be made`)]);
  });

  it("needs in AWS every statement of a registrar's policy and no other, as do all commands about clusters", async () => {
    lab.put("/api/v1/namespaces/default/pods/x", {
      metadata: { name: "x", namespace: "default" },
      spec: { containers: [{ name: "x", image: "x" }] },
    });
    const { asked } = lab.services;
    const used = new Set<string>();
    const context = ["--kubeconfig", "kubeconfig", "--context", "eks"];
    for (const argv of [
      ["check", "--cluster", "shop"],
      ["check", ...context],
      ["check", "--section", "registration", "--cluster", "shop"],
      ["pods", "--state", "missing", "--cluster", "shop"],
      ["explain", "po/x", "-n", "default", ...context],
      ["register", "--cluster", "shop", "--ca-file", "ca.pem", "--phase", "enforce"],
      ["token", "rotate", "--cluster", "shop", "--wait", "0"],
      ["unregister", "--yes", "--cluster", "shop"],
    ]) {
      asked.length = 0;
      expect([argv[0], (await lab.run(...argv)).code]).toEqual([argv[0], 0]);
      expect(asked.length).toBeGreaterThan(1);
      expect([argv[0], asked.filter((call) => !STATEMENTS.some((one) => allows(one, call)))]).toEqual([argv[0], []]);
      for (const one of STATEMENTS) if (asked.some((call) => allows(one, call))) used.add(one.Sid);
    }
    // What a rotation that waits asks as well.
    const watch = await watchDeployment(await openDeployment({}, lab.start(["--version"]).io), {});
    asked.length = 0;
    await watch.countCalls("shop")(1, 0);
    for (const one of STATEMENTS) if (asked.some((call) => allows(one, call))) used.add(one.Sid);
    // No call of a registrar's lists: without that right, S3 does not say that an object is missing.
    expect(STATEMENTS.map(({ Sid }) => Sid).filter((Sid) => !used.has(Sid))).toEqual(["ListReleases"]);
  });

  it("needs in a cluster every permission that outrigger print rbac check prints, and no other", async () => {
    lab.namespace(PROBE_NAMESPACE);
    const roles = buildRbac({
      features: ["check"],
      revisions: ["default"],
      tags: [],
      probeNamespaces: [PROBE_NAMESPACE],
      istioNamespace: "istio-system",
      group: "g",
      name: "n",
    });
    lab.namespace("shop", { "istio-injection": "enabled" });
    lab.putPolicyEngine();
    const { forbidden, needless } = await judgeRules(lab.api, boundRules(roles, "g"), async () => {
      const { lines } = await check();
      expect(notOk(lines)).toEqual([]);
    });
    // The deployments of a namespace are tried, where nobody may list them.
    expect(forbidden).toEqual(["list deployments shop"]);
    // The deployments of the namespaces that --namespace names are tried; the probe's own has none.
    const isKnown = (what: string) => what.endsWith("-auto") || what === "list deployments in outrigger-probe";
    expect(needless.filter((what) => !isKnown(what))).toEqual([]);
  });

  it.each([
    ["the tree has no mesh", `mesh: none\n`],
    ["its label is its own, and no pod gets a proxy", "injectionLabel: sidecars.example.com/inject\n"],
  ])("needs, and asks for, nothing of Istio's where %s", async (_, config) => {
    lab.namespace(PROBE_NAMESPACE);
    lab.putPolicyEngine();
    await lab.aws.edit("config", `${config}defaultTemplates: [agent]\n`);
    await lab.aws.edit("templates/agent", "spec: {containers: [{name: agent, image: 'registry.example/agent:1'}]}\n");
    const published = await lab.run("publish", "--accept", "sidecar-gone,container-gone,volume-gone,capture-changed");
    expect(published, published.err).toMatchObject({ code: 0 });
    const registered = await lab.register("--phase", "cluster", "--replace-istio");
    expect(registered, registered.err).toMatchObject({ code: 0 });
    const printed = await lab.run(
      "print",
      "rbac",
      "check",
      "registration",
      "--group",
      "g",
      "--without-istio",
      "-o",
      "json",
    );
    expect(printed.out).not.toMatch(/istio-system/);
    const roles = (JSON.parse(printed.out) as { readonly items: readonly JsonObject[] }).items;
    const { forbidden, needless } = await judgeRules(lab.api, boundRules(roles, "g"), async () => {
      const { lines } = await check();
      expect(notOk(lines)).toEqual([]);
      expect(lines.filter(({ section }) => section === "mesh")).toEqual([]);
      expect((await lab.run("check", "--section", "registration", "--cluster", "shop")).code).toBe(0);
    });
    expect(forbidden).toEqual([]);
    // Bindings of Istio's labels, which a label of its own has no need of.
    const isKnown = (what: string) => /-(auto|rev-namespace|rev-object)$| in outrigger-probe$/.test(what);
    expect(needless.filter((what) => !isKnown(what))).toEqual([]);
  });

  it("finds the stack by its functions, whatever a StackSet has called it, as register and status do", async () => {
    const stack = "arn:aws:cloudformation:eu-west-1:111122223333:stack/StackSet-outrigger-dev-1f2e/1";
    const { outputs, functions } = lab.services;
    const OUTRIGGER_STACK = { Environment: { Variables: { OUTRIGGER_STACK: stack } } };
    functions.set("outrigger-dev-publish", { ...functions.get("outrigger-dev-publish"), ...OUTRIGGER_STACK });
    outputs.set(stack, outputs.get("outrigger-dev") ?? "");
    outputs.delete("outrigger-dev");
    const { at, code } = await check();
    expect([code, at("stack")]).toMatchObject([
      0,
      { level: "ok", seen: expect.stringContaining("StackSet-outrigger-dev-1f2e") },
    ]);
    expect((await lab.run("check", "--section", "registration", "--cluster", "shop")).code).toBe(0);
    expect((await lab.register()).err).toContain("The API server injects a pod");
  });

  it("reports on its line what is wrong with each thing that it reads, with a fix, and exits 1", async () => {
    const { services, aws, api } = lab;
    await aws.edit("partials/proxy-image", PARTIAL);
    expect((await lab.run("publish")).err).toBe("");
    services.functions.delete("outrigger-dev-canary");
    services.alarms.set("outrigger-dev-errors", "ALARM");
    services.logGroups.delete("/aws/lambda/outrigger-dev-inject");
    await aws.edit("values/10-mine", "global: {hub: mine}\n");
    api.edit(`${GROUP}/mutatingwebhookconfigurations/outrigger-sidecar-injector`, "kubectl", (object) => ({
      ...object,
      webhooks: (object["webhooks"] as JsonObject[]).map((webhook) => ({ ...webhook, timeoutSeconds: 3 })),
    }));
    api.put(`${GROUP}/mutatingwebhookconfigurations/istio-sidecar-injector`, {
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "istio-sidecar-injector" },
      webhooks: [
        {
          name: "object.sidecar-injector.istio.io",
          failurePolicy: "Ignore",
          timeoutSeconds: 1,
          clientConfig: { url: "https://127.0.0.1:1/" },
          objectSelector: { matchLabels: { "sidecar.istio.io/inject": "true" } },
        },
      ],
    });
    api.put("/apis/apps/v1/namespaces/istio-system/deployments/istiod", {
      metadata: { name: "istiod", namespace: "istio-system", labels: { app: "istiod" } },
      spec: { template: { spec: { containers: [{ image: "istio/pilot:1.29.1" }] } } },
    });
    api.put("/api/v1/namespaces/default/pods/late", {
      metadata: {
        name: "late",
        namespace: "default",
        labels: { "sidecar.istio.io/inject": "true" },
        creationTimestamp: "2030-01-01T00:00:00Z",
      },
      spec: { containers: [{ name: "app", image: "app" }] },
    });
    const { code, err, at } = await check();
    for (const [id, level, seen] of [
      ["functions", "error", "missing: canary"],
      ["alarms", "error", "in alarm: errors"],
      ["logs", "error", "missing: /aws/lambda/outrigger-dev-inject"],
      ["edits", "warning", "Source differs"],
      ["drift", "error", "timeoutSeconds is 3 and not 10"],
      ["other-injectors", "warning", "istio-sidecar-injector also selects pods of default"],
      ["istiod", "error", "revision default: Proxies of Istio 1.31 are ahead of istiod 1.29"],
      ["injected", "error", "default/late: the call failed and was ignored"],
    ] as const) {
      expect(at(id)).toMatchObject({ level, seen: expect.stringContaining(seen), fix: expect.any(String) });
    }
    expect([code, err]).toEqual([1, expect.stringContaining("checks found something")]);
  });

  it("reports a revision that is off, a stack that is gone, and a cluster that EKS does not know", async () => {
    expect((await lab.run("off", "--kubeconfig", "kubeconfig")).code).toBe(0);
    const off = { level: "error", seen: expect.stringContaining("revision default is off since") };
    expect((await check()).at("webhooks")).toMatchObject(off);
    lab.services.outputs.clear();
    const gone = { level: "error", seen: "there is no stack outrigger-dev" };
    expect((await check("--url", lab.webhook.url)).at("stack")).toMatchObject(gone);
    lab.services.clusters.clear();
    expect((await check()).at("access")).toMatchObject({
      level: "unknown",
      seen: expect.stringContaining('There is no cluster "shop"'),
    });
  });

  it("reports pods whose sidecar is of another release", async () => {
    lab.namespace("cart", { "istio-injection": "enabled" });
    lab.write(
      "pod.yaml",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: cart}\nspec: {containers: [{name: web, image: web}]}\n",
    );
    const { out } = await lab.run("inject", "-f", "pod.yaml", "--cluster", "shop");
    lab.api.put("/api/v1/namespaces/cart/pods/web", parseYaml(out, "pod") as JsonObject);
    expect((await check()).at("current")?.level).toBe("ok");
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    expect((await lab.run("publish")).code).toBe(0);
    expect((await check()).at("current")).toMatchObject({
      level: "warning",
      seen: "1 pods that were looked at: 1 of 1 workloads would come out differently: cart/Pod/web: containers[istio-proxy].image",
      fix: "outrigger restart --cluster shop, or look first: outrigger pods --cluster shop",
    });
  });
});
