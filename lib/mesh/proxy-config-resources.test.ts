import { describe, expect, it } from "vitest";
import { parseProxyConfigResources } from "./proxy-config-resources.ts";

const HEAD = "apiVersion: networking.istio.io/v1beta1\nkind: ProxyConfig\n";
const resource = (name: string, spec = "", extra = "") =>
  `${HEAD}metadata: {name: ${name}, namespace: shop${extra}}\nspec: {${spec}}\n`;

describe("parseProxyConfigResources()", () => {
  it("reads what a resource sets when it has all fields", () => {
    const spec =
      "selector: {matchLabels: {app: web}}, concurrency: 0, environmentVariables: {A: b}, image: {imageType: debug}";
    expect(parseProxyConfigResources(resource("a", spec), "proxyconfigs")).toEqual([
      {
        name: "a",
        namespace: "shop",
        selector: { app: "web" },
        settings: { concurrency: 0, proxyMetadata: { A: "b" }, image: { imageType: "debug" } },
      },
    ]);
  });

  it("reads documents, lists and Lists when they come together", () => {
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [{ metadata: { name: "c", namespace: "ns" } }],
    });
    const text = [resource("a"), "# nothing", list, "- metadata: {name: d, namespace: ns}"].join("\n---\n");
    expect(parseProxyConfigResources(text, "proxyconfigs").map(({ name }) => name)).toEqual(["a", "c", "d"]);
    expect(parseProxyConfigResources("", "proxyconfigs")).toEqual([]);
  });

  it("puts the oldest first when all carry a creation time, and else keeps their order", () => {
    const dated = (name: string, year: number) => resource(name, "", `, creationTimestamp: "${year}-01-01T00:00:00Z"`);
    const names = (...texts: readonly string[]) =>
      parseProxyConfigResources(texts.join("---\n"), "proxyconfigs").map(({ name }) => name);
    expect(names(dated("new", 2026), dated("old", 2020))).toEqual(["old", "new"]);
    expect(names(dated("new", 2026), dated("old", 2020), resource("undated"))).toEqual(["new", "old", "undated"]);
    expect(names(dated("b", 2026), dated("c", 2026), dated("a", 2026))).toEqual(["b", "c", "a"]);
  });

  it("distinguishes an empty selector from a missing one", () => {
    const [all, none] = parseProxyConfigResources(
      `${resource("a")}---\n${resource("b", "selector: {}")}`,
      "proxyconfigs",
    );
    expect(all?.selector).toBeUndefined();
    expect(none?.selector).toEqual({});
  });

  it.each([
    ["text", "must be a resource"],
    ["kind: Sidecar", "has the wrong kind: write kind: ProxyConfig"],
    ["apiVersion: v1\nkind: ProxyConfig", "has the wrong apiVersion"],
    ["kind: ProxyConfig\nmetadata: {name: a}", "has no namespace: add metadata.namespace"],
    ["kind: ProxyConfig\nmetadata: {name: a, namespace: on}", "has no namespace: add metadata.namespace, in quotes"],
    [resource("a", "concurency: 1"), "has an unknown field spec.concurency"],
    [resource("a", "concurrency: two"), "is malformed: spec.concurrency must be a whole number"],
    [resource("a", "concurrency: -1"), "has a negative spec.concurrency"],
    [resource("a", "environmentVariables: {A: 1}"), "spec.environmentVariables.A must be text"],
    [resource("a", "selector: {matchLabels: {app: 'we*'}}"), "wildcard label"],
  ])("names the source and the way out when a resource is %j", (text, problem) => {
    expect(() => parseProxyConfigResources(text, "proxyconfigs")).toThrow(
      expect.objectContaining({
        code: "mesh-invalid",
        path: "proxyconfigs",
        message: expect.stringContaining(problem),
      }),
    );
  });
});
