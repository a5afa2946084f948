import { describe, expect, it } from "vitest";
import { workloadOf } from "./workload-of.ts";

describe("workloadOf()", () => {
  const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "cart-5d4f", uid: "u", controller: true };
  const labels = { "pod-template-hash": "5d4f" };

  it("is the same for all pods of a Deployment, before and after an injection and a new ReplicaSet", () => {
    const pod = { metadata: { generateName: "cart-5d4f-", labels, ownerReferences: [controller] } };
    const injected = {
      metadata: { ...pod.metadata, name: "cart-5d4f-x", annotations: { "sidecar.istio.io/status": "{}" } },
    };
    const next = {
      metadata: {
        generateName: "cart-9c8b-",
        labels: { "pod-template-hash": "9c8b" },
        ownerReferences: [{ ...controller, name: "cart-9c8b" }],
      },
    };
    const cart = { namespace: "shop", kind: "Deployment", name: "cart", apiVersion: "apps/v1" };
    for (const each of [pod, injected, next]) expect(workloadOf(each, "shop")).toEqual(cart);
  });

  it("is the controller of a pod whose name is its own: the executors of a Spark driver, next to the driver", () => {
    const driver = { metadata: { name: "etl-driver" } };
    const executor = (index: number) => ({
      metadata: {
        name: `etl-exec-${index}`,
        ownerReferences: [{ ...controller, apiVersion: "v1", kind: "Pod", name: "etl-driver" }],
      },
    });
    const etl = { namespace: "shop", kind: "Pod", name: "etl-driver", apiVersion: "v1" };
    for (const each of [driver, executor(1), executor(2)]) expect(workloadOf(each, "shop")).toEqual(etl);
    const generated = { metadata: { ...executor(1).metadata, generateName: "etl-exec-" } };
    expect(workloadOf(generated, "shop")).toEqual(etl);
  });

  it("is another workload than that of apps for a StatefulSet of OpenKruise", () => {
    const of = (apiVersion: string) =>
      workloadOf({
        metadata: { name: "db-0", ownerReferences: [{ ...controller, apiVersion, kind: "StatefulSet", name: "db" }] },
      }).kind;
    expect(of("apps/v1")).toBe("StatefulSet");
    expect(of("apps.kruise.io/v1beta1")).toBe("StatefulSet.apps.kruise.io");
  });

  it("is the prefix of a generated name without a controller, and otherwise the pod's own name", () => {
    expect(workloadOf({ metadata: { generateName: "run-", name: "run-x7" } }).name).toBe("run-");
    expect(workloadOf({ metadata: { name: "one" } }).name).toBe("one");
  });
});
