import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
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

  it("finds directives that there are not, at their place", () => {
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
