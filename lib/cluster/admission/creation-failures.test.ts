import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../kube/kube-client.ts";
import { readLastingFailures } from "./creation-failures.ts";

const eventOf = (reason: string, name: string, second: number): JsonObject => ({
  reason,
  involvedObject: { kind: "ReplicaSet", namespace: "shop", name },
  lastTimestamp: new Date(second * 1000).toISOString(),
  message: "exceeded quota: q",
});

/** A cluster with these events. */
function clusterWith(events: readonly JsonObject[]) {
  const asked: string[] = [];
  const kube = {
    async *list(path: string, { fieldSelector = "" }: { readonly fieldSelector?: string } = {}) {
      asked.push(`${path} ${fieldSelector}`);
      for (const event of events) {
        const { name } = event["involvedObject"] as JsonObject;
        const isMeant = fieldSelector.includes(`reason=${event["reason"]}`);
        if (isMeant && (!fieldSelector.includes(".name=") || fieldSelector.endsWith(`.name=${name}`))) yield event;
      }
    },
  } as unknown as KubeClient;
  return { kube, asked };
}

describe("readLastingFailures()", () => {
  it("leaves out a failure after which the controller has made a pod, and no other", async () => {
    const { kube } = clusterWith([
      eventOf("FailedCreate", "fixed", 10),
      eventOf("SuccessfulCreate", "fixed", 12),
      eventOf("SuccessfulCreate", "broken", 8),
      eventOf("FailedCreate", "broken", 9),
      // Events have whole seconds: which came first is not known.
      eventOf("SuccessfulCreate", "undecided", 11),
      eventOf("FailedCreate", "undecided", 11),
    ]);
    const owners = (await readLastingFailures(kube)).map(({ owner }) => owner);
    expect(owners).toEqual(["ReplicaSet/undecided", "ReplicaSet/broken"]);
  });

  it("asks about the newest twenty controllers at most", async () => {
    const many = Array.from({ length: 30 }, (_, index) => eventOf("FailedCreate", `web-${index}`, index));
    const { kube, asked } = clusterWith([
      ...many,
      ...many.map((_, index) => eventOf("SuccessfulCreate", `web-${index}`, 99)),
    ]);
    expect(await readLastingFailures(kube)).toHaveLength(10);
    expect(asked).toHaveLength(21);
    expect(asked[1]).toBe(
      "/api/v1/namespaces/shop/events reason=SuccessfulCreate,involvedObject.kind=ReplicaSet,involvedObject.name=web-29",
    );
  });
});
