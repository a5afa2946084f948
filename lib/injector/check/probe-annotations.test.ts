import { describe, expect, it } from "vitest";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import type { SourceTree } from "../release/source-tree.ts";
import { checkProbeAnnotations } from "./probe-annotations.ts";

const KEY = "readiness.status.sidecar.istio.io/periodSeconds";

describe("checkProbeAnnotations()", () => {
  it("denies the pod when the number that its author gives fits no probe", async () => {
    const shipped: SourceTree = await shippedTree();
    const injector = loadRelease(compileRelease([shipped]));
    const inject = (value: string) =>
      injectPod(injector, {
        pod: { metadata: { annotations: { [KEY]: value } }, spec: { containers: [{ name: "web", image: "web" }] } },
        namespace: "default",
        parameters: {},
      });
    expect(inject("2147483647").injected).toBe(true);
    expect(() => inject("2147483648")).toThrow(
      expect.objectContaining({ code: "annotation-invalid", path: `metadata.annotations["${KEY}"]` }),
    );
  });

  it("says nothing when another field is wrong, or the author did not give this one", () => {
    const path = "spec.containers[0].readinessProbe.periodSeconds";
    expect(() => checkProbeAnnotations({}, path)).not.toThrow();
    expect(() => checkProbeAnnotations({ [KEY]: "5" }, "spec.containers[0].image")).not.toThrow();
    expect(() => checkProbeAnnotations({ [KEY]: "5" }, "spec.containers[0].livenessProbe.periodSeconds")).not.toThrow();
  });
});
