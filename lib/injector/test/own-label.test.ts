// A tree with a label of its own: pods ask by it alone, and what Istio's injector adds to the same pods stays.
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { injectedByIstiod } from "../../../test/support/istiod-injection.ts";
import { injectPod } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { uninjectPod } from "../manifest/uninject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { readStatus } from "../undo/injection-status.ts";

const KEY = "logs.example.com/inject";

const TREE = {
  config: `mesh: none\ndefaults: none\ninjectionLabel: ${KEY}\ndefaultTemplates: [logs]\n`,
  "templates/logs": `
metadata:
  annotations:
    logs.example.com/version: "1"
spec:
  initContainers:
    - name: log-shipper
      image: registry.example/logs:1
      restartPolicy: Always
  containers:
    - name: log-tail
      image: registry.example/tail:1
`,
};

const injector = (changes = "") => loadRelease(compileRelease([{}, { ...TREE, config: TREE.config + changes }]));

const AUTHOR: Pod = {
  metadata: {
    name: "web",
    labels: { app: "web" },
    annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080" },
  },
  spec: {
    containers: [
      { name: "web", image: "web:1", readinessProbe: { httpGet: { path: "/ready", port: 8080 } } },
      { name: "worker", image: "worker:1" },
    ],
  },
};

function asOutrigger(pod: Pod, by: Injector = injector()): Pod {
  const result = injectPod(by, { pod, namespace: "shop", parameters: {} });
  if (!result.injected) throw new Error(result.message);
  return result.pod;
}

const namesOf = ({ spec }: Pod) =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name);

describe("injectionLabel", () => {
  it("takes the place of Istio's label, as label and as annotation", () => {
    const decide = (labels: Record<string, string>, annotations = {}, policy = "policy: disabled\n") => {
      const pod: Pod = { metadata: { labels, annotations }, spec: { containers: [{ name: "web", image: "web" }] } };
      const result = injectPod(injector(policy), { pod, namespace: "shop", parameters: {} });
      return [result.injected, result.reason];
    };
    expect(decide({ [KEY]: "true" })).toEqual([true, "opted-in"]);
    expect(decide({}, { [KEY]: "true" })).toEqual([true, "opted-in"]);
    expect(decide({ "sidecar.istio.io/inject": "true" })).toEqual([false, "policy-disabled"]);
    expect(decide({ [KEY]: "false" }, {}, "")).toEqual([false, "opted-out"]);
    expect(decide({ "sidecar.istio.io/inject": "false" }, {}, "")).toEqual([true, "policy-enabled"]);
    // A revision's name leaves the decision to the policy.
    expect(decide({ [KEY]: "v2" }, {}, "")).toEqual([true, "policy-enabled"]);
  });

  it("is named in the reason", () => {
    const pod: Pod = { metadata: { labels: { [KEY]: "false" } }, spec: { containers: [] } };
    expect(injectPod(injector(), { pod, namespace: "shop", parameters: {} })).toMatchObject({
      message: `the pod opts out with ${KEY}: "false"`,
    });
  });

  it("has records of its own, with nothing of Istio's in the pod", () => {
    const injected = asOutrigger(AUTHOR);
    expect(Object.keys(injected.metadata?.annotations ?? {}).filter((key) => key.includes("istio"))).toEqual([]);
    expect(readStatus(injected)).toMatchObject({ trust: "whole", initContainers: ["log-shipper"] });
    expect(uninjectPod(injector(), injected)).toEqual(AUTHOR);
    expect(asOutrigger(injected)).toEqual(injected);
  });

  it("records what the author set in an injected container under a key of its own", () => {
    const tail = { name: "log-tail", image: "auto", args: ["-v"] };
    const author: Pod = { ...AUTHOR, spec: { containers: [...(AUTHOR.spec?.containers ?? []), tail] } };
    const injected = asOutrigger(author);
    expect(injected.metadata?.annotations).toHaveProperty(["outrigger/overrides"]);
    expect(injected.metadata?.annotations).not.toHaveProperty(["proxy.istio.io/overrides"]);
    expect(asOutrigger(injected)).toEqual(injected);
    expect(uninjectPod(injector(), injected)).toEqual(author);
  });

  it.each<[string, ((pod: Pod) => Pod)[]]>([
    ["after Istio's", [injectedByIstiod, asOutrigger]],
    ["before Istio's, and again after it", [asOutrigger, injectedByIstiod, asOutrigger]],
    ["before Istio's, which comes again", [asOutrigger, injectedByIstiod, asOutrigger, injectedByIstiod]],
    ["after Istio's, which comes again", [injectedByIstiod, asOutrigger, injectedByIstiod, asOutrigger]],
  ])("keeps what Istio's injector adds: %s", (_order, webhooks) => {
    const pod = webhooks.reduce((current, webhook) => webhook(current), AUTHOR);
    expect(namesOf(pod).toSorted()).toEqual(["istio-init", "istio-proxy", "log-shipper", "log-tail", "web", "worker"]);
    expect(namesOf(pod).indexOf("istio-init")).toBeLessThan(namesOf(pod).indexOf("istio-proxy"));
    // The agent's probes and metrics are Istio's to write, and to take back.
    expect(pod.spec?.containers.find(({ name }) => name === "web")?.readinessProbe?.httpGet?.port).toBe(15020);
    expect(pod.metadata?.annotations).toMatchObject({
      "prometheus.io/port": "15020",
      "logs.example.com/version": "1",
      "sidecar.istio.io/status": expect.stringContaining("istio-proxy"),
      "outrigger/status": expect.stringContaining("log-shipper"),
    });
    const again = asOutrigger(pod);
    expect(namesOf(again).toSorted()).toEqual(namesOf(pod).toSorted());
    expect(asOutrigger(again)).toEqual(again);
    expect(uninjectPod(injector(), pod)).toEqual(injectedByIstiod(AUTHOR));
  });

  it("has an annotation of its own for the templates that a pod names", () => {
    const named = (key: string) => {
      const pod = { ...AUTHOR, metadata: { annotations: { [key]: "gateway" } } };
      return () => namesOf(asOutrigger(pod)).includes("log-shipper");
    };
    expect(named("inject.istio.io/templates")()).toBe(true);
    expect(named("outrigger/templates")).toThrow("annotation outrigger/templates");
  });

  it("leaves annotations of Istio's to its injector to judge", () => {
    const annotations = { "proxy.istio.io/config": "x", "sidecar.istio.io/proxyCPU": "much" };
    const injected = asOutrigger({ ...AUTHOR, metadata: { annotations } });
    expect(injected.metadata?.annotations).toMatchObject(annotations);
  });

  it("is what keeps them: without it, the record of Istio's injection is written over", () => {
    const config = "mesh: none\ndefaults: none\ndefaultTemplates: [logs]\n";
    const pod = asOutrigger(injectedByIstiod(AUTHOR), loadRelease(compileRelease([{}, { ...TREE, config }])));
    expect(pod.metadata?.annotations?.["sidecar.istio.io/status"]).not.toContain("istio-proxy");
  });
});

describe("config key injectionLabel", () => {
  it.each([
    ["5", "must be a label's key"],
    ["a b", "must be a name of at most 63"],
    ["sidecar.istio.io/inject", "is Istio's; leave the key out"],
    ["istio-injection", "is Istio's"],
    ["istio.io/rev", "is Istio's"],
  ])("refuses %s", (value, message) => {
    const config = `injectionLabel: ${value}\n`;
    expect(() => compileRelease([{}, { config }])).toThrow(
      expect.objectContaining({ code: "config-invalid", message: expect.stringContaining(message) }),
    );
  });
});
