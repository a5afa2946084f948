import { expect, it } from "vitest";
import { whySidecarsStay } from "./plan-restart.ts";

const POD = { metadata: { name: "web-1" }, spec: { nodeName: "node-1" } };

it.each<[version: string | undefined, stays: boolean]>([
  ["v1.31.9-eks-5d632ec", true],
  ["1.9.0", true],
  ["v1.32.0", false],
  ["v2.0.0", false],
  ["unknown", false],
  [undefined, false],
])("whySidecarsStay() of a kubelet %s: %s", async (version, stays) => {
  const asked = { kubeletOf: async () => version, named: [], canResize: true };
  const image = { list: "initContainers", name: "istio-proxy", caution: undefined } as never;
  const why = await whySidecarsStay(asked, POD, [image]);
  expect(why).toEqual(
    stays
      ? `pod web-1: the kubelet of its node node-1 is ${version}, and starts no native sidecar again for a new image (1.32 does): restart it`
      : undefined,
  );
  expect(await whySidecarsStay(asked, { ...POD, spec: {} }, [image])).toBeUndefined();
  expect(await whySidecarsStay(asked, POD, [])).toBeUndefined();
});
