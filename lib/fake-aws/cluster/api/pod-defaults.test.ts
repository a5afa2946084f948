import { admittedForm, type Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { defaultedPod } from "./pod-defaults.ts";

const spec = { containers: [{ name: "app", image: "app:1" }], restartPolicy: "Never" };

describe("defaultedPod()", () => {
  it("is the form in which an API server sends the pod, in its own namespace", () => {
    const pod: Pod = { metadata: { name: "web", namespace: "shop" }, spec };
    expect(defaultedPod(pod)).toEqual(admittedForm(pod, { namespace: "shop" }));
    expect(defaultedPod(pod).spec).toMatchObject({ restartPolicy: "Never", dnsPolicy: "ClusterFirst" });
  });

  it("adds what admission adds to the containers that a webhook has injected", () => {
    const sent = defaultedPod<Pod>({ metadata: { name: "web" }, spec });
    const injected = {
      ...sent,
      spec: { containers: [...(sent.spec?.containers ?? []), { name: "own", image: "own:1" }] },
    };
    expect(defaultedPod<Pod>(injected).spec?.containers[1]?.volumeMounts).toHaveLength(1);
  });
});
