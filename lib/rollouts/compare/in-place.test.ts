import type { JsonObject } from "@outrigger/base";
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { judgePod } from "./judge-pod.ts";

/** A proxy and the init container that prepares its network, with the same resources. */
const mesh = (cpu: string, hasInit: boolean, policy: string) =>
  loadRelease(
    compileRelease([
      {
        config: "defaultTemplates: [mesh]\npolicy: enabled\n",
        "templates/mesh": [
          "spec:",
          "  containers:",
          "  - name: istio-proxy",
          "    image: proxy:1",
          `    resizePolicy: [{resourceName: cpu, restartPolicy: ${policy}}]`,
          `    resources: {requests: {cpu: ${cpu}}}`,
          ...(hasInit ? ["  initContainers:", "  - name: istio-init", "    image: proxy:1"] : []),
          ...(hasInit ? [`    resources: {requests: {cpu: ${cpu}}}`] : []),
          "",
        ].join("\n"),
      },
    ]),
  );

async function changeOf({ hasInit = false, policy = "NotRequired" }) {
  const [before, after] = [mesh("100m", hasInit, policy), mesh("200m", hasInit, policy)];
  const settings = { channel: "stable", cluster: {}, parameters: {} };
  const pod: Pod = { metadata: { namespace: "shop" }, spec: { containers: [{ name: "app", image: "app:1" }] } };
  const result = injectPod(before, { pod, namespace: "shop", ...settings, release: "1" });
  if (!result.injected) throw new Error(result.message);
  const { verdict } = await judgePod(result.pod as JsonObject, {
    servedFor: () => [{ ...settings, injector: after, release: "2" }],
    releaseOf: async () => before,
  });
  return verdict.state === "outdated" ? verdict.inPlace : verdict;
}

describe("inPlaceOf()", () => {
  const amounts = { requests: { cpu: "200m" } };
  const proxy = { list: "containers", name: "istio-proxy", amounts };

  it("resizes a proxy as it is: its traffic continues", async () => {
    expect(await changeOf({})).toMatchObject({ images: [], resources: [proxy] });
    expect(JSON.stringify(await changeOf({}))).not.toContain("caution");
  });

  it("is cautious with a proxy that restarts for it", async () => {
    expect(await changeOf({ policy: "RestartContainer" })).toMatchObject({
      resources: [{ ...proxy, caution: "traffic" }],
    });
  });

  it("is cautious with an init container that has run, whose resources nobody can change", async () => {
    const init = { list: "initContainers", name: "istio-init", amounts: {}, caution: "ended" };
    expect(await changeOf({ hasInit: true })).toMatchObject({ resources: [proxy, init] });
  });
});
