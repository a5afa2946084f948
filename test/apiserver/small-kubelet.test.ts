import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, objectOf } from "@outrigger/base";
import { expect, it } from "vitest";
import { startSmallKubelet } from "./support/small-kubelet.ts";

const pod = (name: string, metadata: JsonObject = {}): JsonObject => ({
  metadata: { namespace: "shop", name, ...metadata },
  spec: { containers: [{ name: "app", image: "app:1" }] },
});

it("writes a pod's status once, and to a pod that is left half deleted until it is gone", async () => {
  const deleted = pod("gone", { deletionTimestamp: "2026-01-02T00:00:00Z" });
  const pods = new Map([pod("web"), deleted].map((one) => [String(objectOf(one["metadata"])["name"]), one]));
  const written: string[] = [];
  let changed = () => {};
  const kubelet = startSmallKubelet({
    admin: {
      async *list() {
        yield* [...pods.values()];
      },
    } as unknown as Parameters<typeof startSmallKubelet>[0]["admin"],
    setStatus: async (path, status) => {
      const name = path.slice("/api/v1/namespaces/shop/pods/".length);
      written.push(name);
      const known = pods.get(name);
      if (known === deleted && written.filter((one) => one === name).length === 2) pods.delete(name);
      else pods.set(name, Object.assign(known ?? {}, { status }));
      changed();
      return {};
    },
    watch: (_path, call) => {
      changed = call;
      return { stop: async () => {} };
    },
  });
  await expect.poll(() => pods.size).toBe(1);
  await pause(500);
  await kubelet.stop();
  expect(written).toEqual(["web", "gone", "gone"]);
});
