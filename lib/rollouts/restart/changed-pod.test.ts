import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { isChanged } from "./changed-pod.ts";

const AT = Date.UTC(2026, 10, 23, 9);
const time = (seconds: number) => new Date(AT + seconds * 1000).toISOString();

/** A pod whose agent was given the image 10 seconds after it was made. */
function podWith(status: JsonObject, image = "registry.example/agent:2", isReady = true): JsonObject {
  return {
    metadata: {
      managedFields: [
        { manager: "kubelet", operation: "Update", subresource: "status", time: time(20) },
        {
          manager: "outrigger",
          operation: "Update",
          time: time(10),
          fieldsV1: { "f:spec": { "f:containers": { 'k:{"name":"agent"}': { "f:image": {} } } } },
        },
      ],
    },
    spec: {
      containers: [
        { name: "app", image: "app:1" },
        { name: "agent", image },
      ],
    },
    status: {
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: time(12) }],
      containerStatuses: [
        { name: "app", image: "another-tag-of/app:1", state: { running: { startedAt: time(0) } } },
        { name: "agent", ...status },
      ],
    },
  } as JsonObject;
}

const running = (image: string, seconds: number, imageID = "") => ({
  image,
  imageID,
  state: { running: { startedAt: time(seconds) } },
});

describe("isChanged()", () => {
  it.each<[string, JsonObject, boolean]>([
    ["its container runs the image", podWith(running("registry.example/agent:2", 11)), true],
    ["its node has not acted yet", podWith(running("registry.example/agent:1", 0)), false],
    [
      "the runtime names another tag of the image, and the container began after the change",
      podWith(running("mirror/agent:2", 11)),
      true,
    ],
    ["the runtime completes the name", podWith(running("docker.io/library/agent:latest", 0), "agent"), true],
    [
      "the digest is the one",
      podWith(running("x", 0, "registry.example/agent@sha256:ab"), "registry.example/agent@sha256:ab"),
      true,
    ],
    [
      "the digest is another",
      podWith(running("x", 0, "registry.example/agent@sha256:cd"), "registry.example/agent@sha256:ab"),
      false,
    ],
    ["its container waits", podWith({ image: "registry.example/agent:1", state: { waiting: {} } }), false],
    ["it is not ready", podWith(running("registry.example/agent:2", 11), undefined, false), false],
  ])("where %s", (_what, pod, expected) => {
    expect(isChanged(pod, {}, AT + 60_000)).toBe(expected);
  });

  it("waits for minReadySeconds, from the last start on", () => {
    const pod = podWith(running("registry.example/agent:2", 30));
    const workload = { spec: { minReadySeconds: 20 } };
    expect([49, 50].map((seconds) => isChanged(pod, workload, AT + seconds * 1000))).toEqual([false, true]);
  });
});
