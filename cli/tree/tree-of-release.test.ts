import { compileRelease, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { settingsTree } from "./tree-of-release.ts";

/** What comes back of a tree, over what is shipped. */
function restored(own: SourceTree, shipped: SourceTree = SHIPPED) {
  const release = compileRelease([SHIPPED, own]);
  const { tree, lost } = settingsTree(release, shipped);
  return { release, lost, tree, again: () => compileRelease([shipped, tree]) };
}

describe("settingsTree()", () => {
  it("gives back every setting of a release, and loses none", () => {
    const own = {
      config: `policy: disabled
defaultTemplates:
- sidecar
- {name: sidecar, match: {podLabels: {a: b, c: [d, e]}, namespaces: [shop]} }
neverInjectSelector:
- matchExpressions: [{key: a, operator: Exists}]
- matchLabels: {b: c}
alwaysInjectSelector:
- matchExpressions: [{key: d, operator: In, values: [e, f]}]
`,
      mesh: "enableTracing: false\naccessLogFile: /dev/stdout\ndefaultConfig: {concurrency: 0, drainDuration: 5s}\n",
      "values/10-mine": "global: {hub: mine}\n",
      namespaces: "shop: {annotations: {a: b} }\n",
    };
    const { release, lost, again } = restored(own);
    expect(lost).toEqual([]);
    for (const key of ["config", "values", "meshConfig", "namespaceAnnotations"] as const)
      expect(again()[key]).toEqual(release[key]);
  });

  it.each([
    "ingressControllerMode: UNSPECIFIED\n",
    "outboundTrafficPolicy: {mode: REGISTRY_ONLY}\n",
    "defaultConfig: {controlPlaneAuthPolicy: NONE}\n",
    "defaultConfig: {statNameLength: 0}\n",
    "enableAutoMtls: false\nlocalityLbSetting: {enabled: false}\n",
    "defaultServiceExportTo: []\n",
  ])("writes the zeros of %j over defaults that are none", (mesh) => {
    const { release, lost, again } = restored({ mesh });
    expect(lost).toEqual([]);
    expect(again().meshConfig).toEqual(release.meshConfig);
    expect(release.meshConfig).not.toEqual(compileRelease([SHIPPED]).meshConfig);
  });

  it("writes no namespaces where there are none, and no values of an operator that has none", () => {
    const own = { config: "neverInjectSelector:\n- matchExpressions: [{key: a, operator: Exists}]\n" };
    const { tree } = restored(own);
    expect(tree).not.toHaveProperty("namespaces");
    expect(tree["config"]).not.toContain("values:");
    expect(tree["config"]).toContain("defaults: none");
  });

  it("names the templates and partials that have to come from elsewhere: those that are not shipped as they were", () => {
    const own = {
      "templates/agent": "spec: {priority: 1}\n",
      "partials/proxy-image": "image: mine\n",
      "templates/sidecar": SHIPPED["templates/sidecar"] as string,
    };
    expect(restored(own).lost).toEqual(["partials/proxy-image", "templates/agent"]);
  });

  it("comes to the same settings whatever is shipped now", () => {
    const other = { ...SHIPPED, "values/00-default": "global:\n  hub: other\n", mesh: "enableTracing: true\n" };
    const { release, lost, again } = restored({}, other);
    expect(lost).toEqual([]);
    expect(again().meshConfig).toEqual(release.meshConfig);
    expect(again().values).toMatchObject({ global: { hub: "registry.example/shipped" } });
  });

  it("names a setting that does not come back, in order with the templates", () => {
    const own = {
      "templates/agent": "spec: {}\n",
      proxyconfigs:
        "apiVersion: networking.istio.io/v1beta1\nkind: ProxyConfig\nmetadata: {name: a, namespace: a}\nspec: {concurrency: 2}\n",
    };
    expect(restored(own).lost).toEqual(["proxyConfigs", "templates/agent"]);
  });
});
