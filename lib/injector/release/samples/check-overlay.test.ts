import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { overlayFaults } from "./check-overlay.ts";

const faults = (overlay: JsonObject) => overlayFaults(overlay).map(({ reason: _, ...fault }) => fault);

describe("overlayFaults()", () => {
  it.each<[string, JsonObject]>([
    ["part of a container", { spec: { containers: [{ name: "app" }] } }],
    [
      "directives",
      {
        metadata: { labels: { $patch: "replace" } },
        spec: { containers: [{ name: "a", $patch: "delete" }], volumes: [{ name: "v", $patch: "replace" }] },
      },
    ],
    ["nothing", {}],
  ])("finds nothing in %s", (_what, overlay) => {
    expect(overlayFaults(overlay)).toEqual([]);
  });

  it("says whether a field or its value is wrong, and whose", () => {
    expect(faults({ spec: { contaners: [] } })).toEqual([{ steps: ["spec", "contaners"], part: "key" }]);
    expect(faults({ spec: { hostNetwork: "yes" } })).toEqual([{ steps: ["spec", "hostNetwork"], part: "value" }]);
    const resources = { limits: { cpu: "much" } };
    expect(faults({ spec: { containers: [{ name: "a", resources }] } })).toEqual([
      { steps: ["spec", "containers", 0, "resources", "limits", "cpu"], part: "value", isValueFault: true },
    ]);
  });

  const app = (fields: JsonObject) => ({ spec: { containers: [{ name: "app", ...fields }] } });

  it.each<[JsonObject, string]>([
    [app({ limits: { cpu: "1" } }), "is not a field of a Pod: it belongs into spec.containers.resources"],
    [app({ securityContext: { fsGroup: 1 } }), "is not a field of a Pod: it belongs into spec.securityContext"],
    [
      app({ env: [{ name: "A", secretKeyRef: {} }] }),
      "is not a field of a Pod: it belongs into spec.containers.env.valueFrom",
    ],
    [{ spec: { env: [] } }, "is not a field of a Pod: it belongs into spec.containers"],
    [app({ livenessProbe: { http: {} } }), 'is not a field of a Pod, did you mean "httpGet"'],
    [app({ zebra: {} }), 'is not a field of a Pod; "kubectl explain'],
    [{ spec: { hostNetwork: "true" } }, "must be true or false: write it without quotes"],
    [app({ securityContext: { runAsUser: "1000" } }), "must be an integer: write it without quotes"],
    [app({ securityContext: { runAsUser: "nobody" } }), "must be an integer"],
    [{ apiVersion: "apps/v1", kind: "Deployment" }, "apiVersion must be v1 or absent"],
    [{ kind: "Deployment" }, "kind must be Pod or absent"],
  ])("says of %j how to fix it", (overlay, words) => {
    const reason = overlayFaults(overlay)[0]?.reason ?? "";
    expect(reason).toContain(words);
    if (words.endsWith("must be an integer")) expect(reason.endsWith(words)).toBe(true);
  });

  it("finds directives that do not exist, at their place", () => {
    expect(faults({ spec: { $patch: "merge" } })).toEqual([{ steps: ["spec", "$patch"], part: "value" }]);
    expect(faults({ spec: { containers: [{ name: "a" }, { name: "b", $patch: "x" }] } })).toEqual([
      { steps: ["spec", "containers", 1, "$patch"], part: "value" },
    ]);
  });

  it("finds items without the key by which they are merged", () => {
    expect(faults({ spec: { containers: [{ image: "a" }] } })).toMatchObject([{ steps: ["spec", "containers", 0] }]);
    expect(faults({ spec: { volumes: [{ name: "v" }, { emptyDir: {} }] } })).toMatchObject([
      { steps: ["spec", "volumes", 1] },
    ]);
  });

  it.each(["containers", "initContainers", "ephemeralContainers"])("finds a null in place of spec.%s", (list) => {
    expect(faults({ spec: { [list]: null } })).toMatchObject([{ steps: ["spec", list] }]);
  });
});
