// A tree with a label of its own beside Istio's injector, on a real API server: both webhooks are called for the same pods of public
// manifests, in both orders, and each pod has what both add.
import { createServer, type Server } from "node:https";
import type { JsonObject } from "@outrigger/base";
import { containersOf, createPatch, metadataOf, type Pod } from "@outrigger/pod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { labCertificate } from "../eks/lab-certificate.ts";
import { realPods } from "../pod-validation/pod-cases.ts";
import { turnOf } from "../support/in-turn.ts";
import { injectedByIstiod } from "../support/istiod-injection.ts";
import { bodyOf, closing, listening } from "../support/loopback.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

/** Each commit sends a part of the pods, on all of which the same is asked. */
const turn = turnOf("Pods beside Istio's injector", 4);

const KEY = "logs.example.com/inject";
const OTHER_KEY = "sidecars.example.com/inject";
const OURS = ["log-shipper"];
const THEIRS = ["istio-init", "istio-proxy"];

const TEMPLATE = `spec:
  initContainers:
  - name: log-shipper
    image: registry.example/logs:1
    restartPolicy: Always
`;

/** Istio's webhooks for the default revision, by the facts of its chart's mutatingwebhook.yaml. */
function istiosConfiguration(name: string, url: string, ca: string, reinvocationPolicy: "Never" | "IfNeeded") {
  const absent = (key: string) => ({ key, operator: "DoesNotExist" });
  const [injection, rev, inject] = ["istio-injection", "istio.io/rev", "sidecar.istio.io/inject"];
  const isNotOut = { key: inject, operator: "NotIn", values: ["false"] };
  const selectors = [
    ["namespace", [{ key: injection, operator: "In", values: ["enabled"] }], [isNotOut]],
    ["object", [absent(injection), absent(rev)], [{ key: inject, operator: "In", values: ["true"] }, absent(rev)]],
  ] as const;
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name, labels: { app: "sidecar-injector", "istio.io/rev": "default" } },
    webhooks: selectors.map(([part, ofNamespace, ofPod]) => ({
      name: `${part}.sidecar-injector.istio.io`,
      clientConfig: { url: `${url}/inject`, caBundle: btoa(ca) },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
      namespaceSelector: { matchExpressions: ofNamespace },
      objectSelector: { matchExpressions: ofPod },
      failurePolicy: "Fail",
      reinvocationPolicy,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    })),
  } as unknown as JsonObject;
}

/** A pod of a manifest without what it refers to by name, which this API server does not have. */
function asCreated({ metadata, spec }: Pod, namespace: string): JsonObject {
  const { labels, annotations } = metadata ?? {};
  const {
    serviceAccountName: _a,
    serviceAccount: _b,
    priorityClassName: _c,
    priority: _d,
    ...others
  } = spec ?? { containers: [] };
  const { runtimeClassName: _e, overhead: _f, nodeName: _g, ...own } = others;
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { generateName: "beside-", namespace, labels, annotations },
    spec: own,
  } as unknown as JsonObject;
}

const namesIn = (pod: JsonObject) => containersOf(pod["spec"]).map(({ name }) => String(name));

describe("a tree with a label of its own beside Istio's injector, on a real API server", { timeout: 600_000 }, () => {
  let lab: RealLab;
  let istiod: Server;
  let calls = 0;
  let url: string;
  const pods: Pod[] = [];
  beforeAll(async () => {
    istiod = createServer(await labCertificate(), async (request, response) => {
      const { request: asked, apiVersion } = JSON.parse(await bodyOf(request)) as {
        apiVersion: string;
        request: { uid: string; object: Pod };
      };
      calls += 1;
      const patch = btoa(JSON.stringify(createPatch(asked.object, injectedByIstiod(asked.object))));
      const answer = { uid: asked.uid, allowed: true, patchType: "JSONPatch", patch };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ apiVersion, kind: "AdmissionReview", response: answer }));
    });
    url = `https://localhost:${await listening(istiod)}`;
    lab = await openRealLab();
    await lab.allow();
    lab.write("mine/config.yaml", `mesh: none\ninjectionLabel: ${KEY}\ndefaultTemplates: [log-shipper]\n`);
    lab.write("mine/templates/log-shipper.hbs", TEMPLATE);
    const published = await lab.run("publish", "--dir", "mine", "--force");
    expect(published, published.err).toMatchObject({ code: 0 });
    await lab.namespace("plain");
    await lab.namespace("shop", { "istio-injection": "enabled", [KEY]: "true" });
    await lab.until("the service accounts are there", async () => {
      const paths = ["plain", "shop"].map((name) => `/api/v1/namespaces/${name}/serviceaccounts/default`);
      return (await Promise.all(paths.map((path) => lab.api.admin.get(path)))).every((one) => one !== undefined);
    });
    for (const { pod } of realPods().filter(({ verdict }) => verdict === "accepted")) {
      if (pods.length === 200) break;
      const { metadata, spec } = pod as Pod;
      // Istio's own gateways and components, which have its proxy or opt out of it.
      const isIstios =
        metadata?.labels?.["sidecar.istio.io/inject"] !== undefined ||
        namesIn(pod).some((name) => THEIRS.includes(name));
      if (spec?.hostNetwork === true || isIstios) continue;
      const made = await lab.api.admin
        .createDryRun("/api/v1/namespaces/plain/pods", asCreated(pod as Pod, "plain"))
        .catch(() => undefined);
      if (made !== undefined) pods.push(pod as Pod);
    }
  }, 300_000);
  afterAll(async () => {
    await lab?.close();
    await closing(istiod);
  });

  const istios = async (name: string, policy: "Never" | "IfNeeded") => {
    const certificate = await labCertificate();
    await lab.apply(istiosConfiguration(name, url, certificate.cert, policy));
  };
  it("has 200 pods", () => expect(pods).toHaveLength(200));

  it("says before the first write whose pods they are too, and registers without a flag and without a word of its own about Istio", async () => {
    await istios("istio-sidecar-injector", "Never");
    const { code, err, out } = await lab.register("--phase", "cluster");
    expect([code, err], err).toEqual([
      0,
      expect.stringContaining(
        "istio-sidecar-injector also injects pods of 1 namespace (shop): pods keep what each adds\n",
      ),
    ]);
    expect((out + err).replaceAll("istio-sidecar-injector", "")).not.toMatch(/istio/i);
    const check = await lab.run("check", "--cluster", "shop");
    expect(check.out).toMatch(
      /^✔ other-injectors +istio-sidecar-injector also selects pods of shop: pods keep what each adds$/m,
    );
    expect(check.out.replaceAll("istio-sidecar-injector", "").match(/.*istio.*/gi)).toBeNull();
  });

  it.each([
    ["istio-sidecar-injector", "Never"],
    ["istio-sidecar-injector", "IfNeeded"],
    ["zz-istio-sidecar-injector", "Never"],
    ["zz-istio-sidecar-injector", "IfNeeded"],
  ] as const)("gives each pod both: %s, reinvocation %s", async (name, policy) => {
    for (const other of ["istio-sidecar-injector", "zz-istio-sidecar-injector"]) {
      const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${other}`;
      if (other !== name) await lab.api.admin.remove(path);
    }
    await istios(name, policy);
    const probe = { metadata: {}, spec: { containers: [{ name: "app", image: "app:1" }] } };
    const make = (pod: Pod) => lab.api.admin.createDryRun("/api/v1/namespaces/shop/pods", asCreated(pod, "shop"));
    await lab.until("both are called", async () => {
      const names = namesIn(await make(probe));
      return [...OURS, ...THEIRS].every((each) => names.includes(each));
    });
    const before = calls;
    const wrong: string[] = [];
    const sent = pods.filter((_, at) => turn.has(at % turn.shares));
    for (const pod of sent) {
      const made = await make(pod);
      const names = namesIn(made);
      const wanted = [...OURS, ...THEIRS, ...namesIn(pod as JsonObject)];
      const { annotations } = metadataOf(made);
      const isWhole =
        names.toSorted().join() === wanted.toSorted().join() &&
        annotations["outrigger/status"]?.includes("log-shipper") === true &&
        annotations["sidecar.istio.io/status"]?.includes("istio-proxy") === true &&
        annotations["prometheus.io/port"] === "15020";
      if (!isWhole) wrong.push(`${String(pod.metadata?.name)}: ${names.join(", ")}`);
    }
    expect(wrong).toEqual([]);
    // Once for each pod, and once more where Istio's is called again.
    expect(calls - before).toBeGreaterThanOrEqual(sent.length);
  });

  it("says what becomes of the registration when the key changes, with the command, and selects by the new one after it", async () => {
    lab.write("mine/config.yaml", `mesh: none\ninjectionLabel: ${OTHER_KEY}\ndefaultTemplates: [log-shipper]\n`);
    const published = await lab.run("publish", "--dir", "mine", "--force");
    expect(published.code, published.err).toBe(0);
    expect(published.out + published.err).toContain(
      `The webhooks of shop select pods by another label than ${OTHER_KEY} until you run "outrigger register --cluster shop"`,
    );
    const { out } = await lab.run("check", "--cluster", "shop");
    expect(out).toMatch(
      new RegExp(
        `^✖ drift +label by which webhooks of revision default select is ${KEY} and not ${OTHER_KEY}. Fix: outrigger register --cluster shop`,
        "m",
      ),
    );
    await lab.namespace("shop", { [OTHER_KEY]: "true" });
    const again = await lab.register();
    expect(again.code, again.err).toBe(0);
    expect((await lab.run("check", "--section", "registration", "--cluster", "shop")).out).toContain("No difference");
  });
});
