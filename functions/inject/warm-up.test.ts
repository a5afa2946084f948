import { readRelease } from "outrigger:bundled-release";
import { injectPod, loadRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { POD, warmUp } from "./warm-up.ts";

describe("warmUp()", () => {
  it("injects a pod whose shape the release ships", () => {
    const injector = loadRelease(readRelease());
    const shipped = injector.templates.shapes().length;
    const { injected } = injectPod(injector, { pod: POD, namespace: "default", parameters: {} });
    expect([injected, injector.templates.shapes().length]).toEqual([true, shipped]);
  });

  it("reads the release, and is silent when it cannot", () => {
    let reads = 0;
    warmUp(() => {
      reads += 1;
      throw new Error("damaged");
    });
    expect(reads).toBe(1);
  });
});
