// A sidecar without a mesh: what an injection does for Istio's proxy is done only where there is one.

import { type JsonObject, metadataKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { injectPod } from "../inject-pod.ts";
import type { InjectRequest, InjectResult } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { readStatus } from "../undo/injection-status.ts";

const LOGS = `spec:
  containers:
  {{#if (eq metadata.labels.logs "yes")}}
  - name: fluent-bit
    image: fluent-bit:3
  {{/if}}
  initContainers:
  {{#if (eq metadata.labels.logs "yes")}}
  - name: enable-core-dump
    image: mine:1
  {{/if}}
`;
const SCRAPED = { "prometheus.io/scrape": "true", "prometheus.io/port": "9090", "prometheus.io/path": "/m" };
const probe = (port: number | string) => ({ httpGet: { path: "/ready", port } });

const POD = (labels: Record<string, string>, annotations: Record<string, string> = SCRAPED): Pod => ({
  metadata: { name: "web", labels, annotations },
  spec: {
    initContainers: [
      { name: "istio-init", image: "theirs:1" },
      { name: "migrate", image: "migrate:1" },
      { name: "istio-validation", image: "theirs:2" },
    ],
    containers: [{ name: "app", image: "app:1", readinessProbe: probe(8080), livenessProbe: probe("http") }],
  },
});

function inject(pod: Pod, config = "", more: Partial<InjectRequest> = {}): Extract<InjectResult, { injected: true }> {
  const tree = {
    config: `defaultTemplates: [logs]\n${config}`,
    "templates/logs": LOGS,
    mesh: "enablePrometheusMerge: true\ndefaultConfig: {holdApplicationUntilProxyStarts: true}\n",
    "samples/logged":
      'kind: Pod\nmetadata: {name: web, labels: {logs: "yes"}}\nspec: {containers: [{name: web, image: web}]}\n',
  };
  const injector = loadRelease(compileRelease([tree]));
  const result = injectPod(injector, { pod, namespace: "shop", parameters: {}, ...more });
  if (!result.injected) throw new Error(result.message);
  return result;
}

const MESHED = { parameters: { ISTIO_META_NETWORK: "net-1", ISTIO_META_CLUSTER_ID: "c" } };
const pathsOf = ({ patch }: { readonly patch: readonly { readonly path: string }[] }) => patch.map(({ path }) => path);
const RECORD = "/metadata/annotations/sidecar.istio.io~1status";

describe("a pod that gets a sidecar and no proxy", () => {
  it("keeps its scrape annotations, its probes and the order of its containers", () => {
    const pod = POD({ logs: "yes" });
    const { pod: made, patch } = inject(pod);
    const { [metadataKeys.status]: status, ...annotations } = made.metadata?.annotations ?? {};
    expect(status).toContain("fluent-bit");
    expect(annotations).toEqual(SCRAPED);
    expect(made.spec?.containers).toContainEqual(pod.spec?.containers[0]);
    const initContainers = made.spec?.initContainers?.map(({ name }) => name);
    const own = initContainers?.filter((name) => name !== "enable-core-dump");
    expect(own).toEqual(["istio-init", "migrate", "istio-validation"]);
    expect(patch.map(({ path }) => path.split("/").slice(0, 3).join("/"))).not.toContain("/metadata/labels");
  });

  it("may scrape a port that only a proxy would reserve", () => {
    const scraped = { "prometheus.io/port": "15090" };
    expect(inject(POD({ logs: "yes" }, scraped)).pod.metadata?.annotations).toMatchObject(scraped);
  });

  it("is changed by nothing when it is injected again, and restored when the sidecar is no longer for it", () => {
    const first = inject(POD({ logs: "yes" }));
    expect(inject(first.pod).patch).toEqual([]);
    const relabelled = { ...first.pod, metadata: { ...first.pod.metadata, labels: {} } } as Pod;
    expect(inject(relabelled).pod).toEqual(inject(POD({})).pod);
  });

  it("has the mesh's steps with the proxy that another injector gave it, and without the setting as the reference", () => {
    const proxied = POD({ logs: "yes" });
    const istio = { name: "istio-proxy", image: "proxyv2", env: [{ name: "PROXY_CONFIG", value: "{}" }] };
    const pod = { ...proxied, spec: { ...proxied.spec, containers: [...(proxied.spec?.containers ?? []), istio] } };
    expect(inject(pod as Pod).pod.metadata?.annotations).toMatchObject({ "prometheus.io/port": "15020" });
    const reference = inject(proxied, "compatibility: reference\n").pod.metadata?.annotations;
    expect(reference).toMatchObject({ "prometheus.io/port": "15020" });
  });
});

describe("a pod to which nothing is added", () => {
  it.each<[string, Pod]>([
    ["with annotations", POD({})],
    ["without annotations and labels", { metadata: { name: "web" }, spec: { containers: [{ name: "app" }] } } as Pod],
  ])("%s gets the record of the injection and nothing else", (_, pod) => {
    const result = inject(pod, "", MESHED);
    const before = pod as JsonObject;
    const { annotations, ...metadata } = result.pod.metadata ?? {};
    const { [metadataKeys.status]: status, ...others } = annotations ?? {};
    expect({
      ...result.pod,
      metadata: { ...metadata, ...(pod.metadata?.annotations && { annotations: others }) },
    }).toEqual(before);
    expect(result.patch).toHaveLength(1);
    expect(RECORD.startsWith(pathsOf(result)[0] as string)).toBe(true);
    expect(readStatus(result.pod)).toMatchObject({ trust: "whole", containers: [], initContainers: [], notes: [] });
    expect(status).toBeDefined();
    expect(inject(result.pod, "", MESHED).patch).toEqual([]);
  });
});

describe("a pod that no default template is for", () => {
  const entry = (name: string, match: string) => `- {name: ${name}, match: ${match} }\n`;
  const container = (name: string) => `spec: {containers: [{name: ${name}, image: "${name}:1"}]}\n`;
  const injector = loadRelease(
    compileRelease([
      {
        config: `defaultTemplates:\n${entry("logs", '{podLabels: {logs: "yes"} }')}${entry("vault", "{namespaces: [till]}")}${entry("certs", "{podLabels: {tier: [web, api]}, namespaces: [shop]}")}`,
        "templates/logs": container("logs"),
        "templates/vault": container("vault"),
        "templates/certs": container("certs"),
        mesh: "enablePrometheusMerge: true\ndefaultConfig: {holdApplicationUntilProxyStarts: true}\n",
      },
    ]),
  );
  const inject = (pod: Pod, namespace: string) => injectPod(injector, { pod, namespace, ...MESHED });

  it("is not touched, and each of the others gets what is for it, in the order of the list", () => {
    for (const logs of [undefined, "yes", "no"]) {
      for (const tier of [undefined, "web", "api", "batch"]) {
        for (const namespace of ["shop", "till", "mail"]) {
          const pod = POD({ ...(logs && { logs }), ...(tier && { tier }) });
          const wanted = [
            ...(logs === "yes" ? ["logs"] : []),
            ...(namespace === "till" ? ["vault"] : []),
            ...(namespace === "shop" && (tier === "web" || tier === "api") ? ["certs"] : []),
          ];
          const result = inject(pod, namespace);
          if (wanted.length === 0) expect(result).toMatchObject({ injected: false, reason: "no-template" });
          else expect(result).toMatchObject({ injected: true, templates: wanted });
          if (!result.injected) continue;
          expect(result.pod.metadata?.annotations).toMatchObject(SCRAPED);
          expect(inject(result.pod, namespace)).toMatchObject({ injected: true, patch: [] });
        }
      }
    }
  });
});

describe("the order of containers", () => {
  const template = (name: string) =>
    `spec:\n  initContainers: [{name: ${name}-init, image: "${name}:1"}]\n  containers: [{name: ${name}, image: "${name}:1"}]\n`;
  const NAMES = ["vault", "certs", "logs"];
  const templates = Object.fromEntries(NAMES.map((name) => [`templates/${name}`, template(name)]));

  function order(config: string, annotations: Record<string, string> = {}) {
    const injector = loadRelease(compileRelease([{ config, ...templates }]));
    const request = { pod: POD({}, annotations), namespace: "shop", parameters: {} };
    const result = injectPod(injector, request);
    if (!result.injected) throw new Error(result.message);
    expect(injectPod(injector, { ...request, pod: result.pod })).toMatchObject({ patch: [] });
    const { initContainers = [], containers = [] } = result.pod.spec ?? {};
    expect(initContainers.map(({ name }) => name)).toEqual([
      ...containers.slice(0, -1).map(({ name }) => `${name}-init`),
      ...["istio-init", "migrate", "istio-validation"],
    ]);
    expect(containers.at(-1)?.name).toBe("app");
    return { containers: containers.slice(0, -1).map(({ name }) => name), templates: result.templates };
  }

  const LIST = "defaultTemplates: [vault, certs, logs]\n";
  const NAMED = { "inject.istio.io/templates": "certs,vault" };
  const reversed = (names: readonly string[]) => names.toReversed();

  it("is that of the list without a mesh, and Istio's otherwise: the last one starts first", () => {
    expect(order(`mesh: none\n${LIST}`)).toEqual({ containers: NAMES, templates: NAMES });
    expect(order(LIST)).toEqual({ containers: reversed(NAMES), templates: NAMES });
  });

  it("is that of the names where a pod names its templates, and of an alias", () => {
    expect(order(`mesh: none\n${LIST}`, NAMED).containers).toEqual(["certs", "vault"]);
    expect(order(LIST, NAMED).containers).toEqual(["vault", "certs"]);
    const alias = "aliases: {both: [logs, vault]}\ndefaultTemplates: [both, certs]\n";
    expect(order(`mesh: none\n${alias}`).containers).toEqual(["logs", "vault", "certs"]);
    expect(order(alias).containers).toEqual(["certs", "vault", "logs"]);
  });

  it("is what before says, with a mesh and without one", () => {
    const before = "defaultTemplates: [vault, {name: logs, before: vault}, certs]\n";
    expect(order(`mesh: none\n${before}`).containers).toEqual(["logs", "vault", "certs"]);
    expect(order(before).containers).toEqual(["certs", "logs", "vault"]);
  });

  it("takes a field of the one that starts first, where two write it", () => {
    const grace = (seconds: number) => `spec: {terminationGracePeriodSeconds: ${seconds}}\n`;
    const tree = { "templates/a": grace(1), "templates/b": grace(2) };
    const secondsOf = (config: string) => {
      const injector = loadRelease(compileRelease([{ config: `${config}defaultTemplates: [a, b]\n`, ...tree }]));
      const result = injectPod(injector, { pod: POD({}), namespace: "shop", parameters: {} });
      return result.injected && result.pod.spec?.terminationGracePeriodSeconds;
    };
    expect([secondsOf("mesh: none\n"), secondsOf("")]).toEqual([1, 2]);
  });
});
