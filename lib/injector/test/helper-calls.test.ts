// Every helper in a custom template, with texts of a pod's author that are odd: none fails, and what it gives is the same a second time.
import { describe, expect, it } from "vitest";
import { ODD_TEXTS } from "../../../test/support/generated-pods.ts";
import { HELPER_CALLS, TEXT } from "../../../test/support/helper-calls.ts";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

const ANNOTATIONS = Object.entries(HELPER_CALLS)
  .map(([name, call]) => `    agent.example.com/${name}: {{toJson ${call}}}\n`)
  .join("");

describe("a template that calls every helper", async () => {
  const custom = `metadata:\n  annotations:\n${ANNOTATIONS}`;
  const layer = { "templates/custom": custom, config: "defaultTemplates: [sidecar, custom]\n" };
  const injector = loadRelease(compileRelease([await shippedTreeUntried(), layer]));

  it.each(ODD_TEXTS)("renders for %j, and for what it rendered", (text) => {
    const pod = {
      metadata: { name: "web", labels: { app: "web" }, annotations: { [TEXT]: text } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    };
    const request = { pod, namespace: "shop", parameters: {} };
    const injected = injectPod(injector, request);
    if (!injected.injected) throw new Error(injected.reason);
    const rendered = Object.keys(injected.pod.metadata?.annotations ?? {}).filter((key) => key.startsWith("agent."));
    // What is missing, or no map, leaves its entry out.
    expect(rendered.length).toBeGreaterThan(Object.keys(HELPER_CALLS).length - 10);
    expect(injectPod(injector, { ...request, pod: injected.pod })).toMatchObject({ injected: true, patch: [] });
  });
});
