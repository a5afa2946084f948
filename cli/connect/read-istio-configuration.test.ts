import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { readIstioConfiguration } from "./read-istio-configuration.ts";

const MAPS = "/api/v1/namespaces/istio-system/configmaps";
const PROXY_CONFIGS = "/apis/networking.istio.io/v1beta1/proxyconfigs";
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** Objects by their paths, and lists by theirs; an error is thrown where it is read. */
function cluster(objects: Record<string, JsonObject>, lists: Record<string, readonly JsonObject[] | Error> = {}) {
  const asked: (string | readonly [string, unknown])[] = [];
  const kube: Pick<KubeClient, "get" | "list"> = {
    get: async (path) => {
      asked.push(path);
      return objects[path];
    },
    list: async function* (path, query) {
      asked.push([path, query]);
      const found = lists[path] ?? [];
      if (found instanceof Error) throw found;
      yield* found;
    },
  };
  const read = (revision?: string, namespace = "istio-system") =>
    readIstioConfiguration(kube as KubeClient, { context: "shop", namespace, revision });
  return { asked, read };
}

const named = (name: string, more: JsonObject = {}): JsonObject => ({ metadata: { name, ...more } });
const itemsOf = (text: string) => (parseYaml(text, "list") as { readonly items: readonly JsonObject[] }).items;

describe("readIstioConfiguration()", () => {
  it.each<[string | undefined, string]>([
    [undefined, ""],
    ["default", ""],
    ["1-30", "-1-30"],
  ])("reads the ConfigMaps of revision %s", async (revision, suffix) => {
    const [injector, mesh] = [`istio-sidecar-injector${suffix}`, `istio${suffix}`];
    const { read, asked } = cluster({ [`${MAPS}/${injector}`]: named(injector), [`${MAPS}/${mesh}`]: named(mesh) });
    const { file, text } = await read(revision);
    expect(file).toBe("context shop");
    expect(parseYaml(text, "list")).toEqual({
      apiVersion: "v1",
      kind: "List",
      items: [
        { kind: "ConfigMap", ...named(injector) },
        { kind: "ConfigMap", ...named(mesh) },
      ],
    });
    expect(asked).toEqual([
      `${MAPS}/${injector}`,
      `${MAPS}/${mesh}`,
      [PROXY_CONFIGS, undefined],
      [WEBHOOKS, { labelSelector: "app=sidecar-injector" }],
    ]);
  });

  it("does without mesh config, and asks for no path that a namespace's name makes", async () => {
    const path = "/api/v1/namespaces/a%2Fb/configmaps/istio-sidecar-injector";
    const { text } = await cluster({ [path]: named("istio-sidecar-injector") }).read(undefined, "a/b");
    expect(itemsOf(text)).toHaveLength(1);
  });

  it("lists the ProxyConfig resources, the oldest first, and the webhooks of all revisions", async () => {
    const at = (name: string, day?: string) =>
      named(name, { namespace: "shop", uid: "1", ...(day && { creationTimestamp: `2026-01-${day}T00:00:00Z` }) });
    const { read } = cluster(
      { [`${MAPS}/istio-sidecar-injector`]: named("istio-sidecar-injector") },
      {
        [PROXY_CONFIGS]: [
          at("second", "02"),
          at("third", "03"),
          at("twin", "03"),
          { ...at("first", "01"), spec: { concurrency: 1 } },
          at("none"),
        ],
        [WEBHOOKS]: [named("istiod"), named("tag")],
      },
    );
    const resource = (name: string, spec?: JsonObject) => ({
      apiVersion: "networking.istio.io/v1beta1",
      kind: "ProxyConfig",
      metadata: { name, namespace: "shop" },
      ...(spec && { spec }),
    });
    expect(itemsOf((await read()).text).slice(1)).toEqual([
      resource("none"),
      resource("first", { concurrency: 1 }),
      resource("second"),
      resource("third"),
      resource("twin"),
      { kind: "MutatingWebhookConfiguration", ...named("istiod") },
      { kind: "MutatingWebhookConfiguration", ...named("tag") },
    ]);
  });

  it("does without Istio's resources where the cluster has none, and fails where they cannot be read", async () => {
    const injector = { [`${MAPS}/istio-sidecar-injector`]: named("istio-sidecar-injector") };
    const failing = (error: Error) => cluster(injector, { [PROXY_CONFIGS]: error }).read();
    const { text } = await failing(new OutriggerError("cluster-kind-unknown", "no such kind"));
    expect(itemsOf(text)).toHaveLength(1);
    await expect(failing(new OutriggerError("cluster-denied", "no"))).rejects.toThrow("no");
  });

  it.each<[string | undefined, readonly string[], string]>([
    [undefined, [], "revision default; name istiod's namespace with -n"],
    ["1-31", ["istio", "kube-root-ca.crt"], "revision 1-31; name istiod's namespace with -n"],
    [
      "1-31",
      [
        "istio-sidecar-injector-1-30",
        "istio-1-30",
        "istio-sidecar-injector",
        "istio-sidecar-injector-",
        "my-istio-sidecar-injector",
      ],
      "revision 1-31; name one with --revision: 1-30, default",
    ],
  ])("says of revision %s which there are among %j", async (revision, names, end) => {
    const { read } = cluster({}, { [MAPS]: names.map((name) => named(name)) });
    await expect(read(revision)).rejects.toEqual(
      expect.objectContaining({
        code: "usage",
        message: `Cannot import: namespace istio-system has no injector of ${end}`,
      }),
    );
  });
});
