import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { workloadControllers } from "./workload-controllers.ts";

const WEB = "/apis/apps/v1/namespaces/shop/deployments/web";

describe("deploymentController()", () => {
  it("removes new pods beyond those that are wanted, down ones first, and is complete", async () => {
    const objects = new Map<string, JsonObject>();
    const put = (path: string, object: JsonObject) => objects.set(path, object) as unknown as JsonObject;
    const scale = (replicas: number) => {
      const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image: "app" }] } };
      put(WEB, { ...objects.get(WEB), metadata: { name: "web", namespace: "shop" }, spec: { replicas, template } });
    };
    const isDown = (pod: JsonObject) => JSON.stringify(pod).includes("-bbbbb");
    const controllers = workloadControllers({
      api: { objects, put } as never,
      now: () => Date.UTC(2026, 10, 23),
      admit: (pod) => pod,
      fateOf: (pod) => (isDown(pod) ? {} : { readyAfter: 0 }),
    });
    scale(4);
    await controllers.tick();
    await controllers.tick();
    expect(controllers.podsOf(WEB)).toHaveLength(4);
    scale(3);
    await controllers.tick();
    await controllers.tick();
    expect(controllers.podsOf(WEB).map(({ isReady }) => isReady)).toEqual([true, true, true]);
    expect(objects.get(WEB)?.["status"]).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
  });
});
