import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { causeOf, troubleOf } from "./pod-trouble.ts";

const STATUS = {
  "sidecar.istio.io/status": JSON.stringify({ containers: ["istio-proxy"], initContainers: ["istio-init"] }),
};

const pod = (containerStatuses: readonly JsonObject[], status: JsonObject = {}, name = "web-1"): JsonObject => ({
  metadata: { name, annotations: STATUS },
  status: { containerStatuses, ...status },
});
const waiting = (reason: string, name = "app", more: JsonObject = {}) => ({
  name,
  ready: false,
  restartCount: 0,
  state: { waiting: { reason } },
  ...more,
});
const ended = (exitCode: number, reason: string) => ({ lastState: { terminated: { exitCode, reason } } });

describe("troubleOf()", () => {
  it.each<[string, JsonObject, object | undefined]>([
    ["a ready container", { name: "app", ready: true, restartCount: 5 }, undefined],
    ["one that is starting", { name: "app", ready: false, restartCount: 0, state: { running: {} } }, undefined],
    [
      "one that was restarted",
      { name: "app", ready: false, restartCount: 2, state: { running: {} }, ...ended(137, "OOMKilled") },
      { why: "it is not ready, exit code 137, OOMKilled, 2 restarts", isFinal: false, isOwn: false, isInjected: false },
    ],
    [
      "one that crashes for the third time",
      waiting("CrashLoopBackOff", "app", { restartCount: 3, ...ended(1, "Error") }),
      { why: "CrashLoopBackOff, exit code 1, 3 restarts", isFinal: true, isOwn: false },
    ],
    [
      "one that crashes for the second time",
      waiting("CrashLoopBackOff", "app", { restartCount: 2, ...ended(1, "Error") }),
      { isFinal: false },
    ],
    [
      "one that waits for something else, however often",
      waiting("ContainerCreating", "app", { restartCount: 9 }),
      { isFinal: false },
    ],
    [
      "an image that is gone",
      waiting("ImagePullBackOff"),
      { why: "ImagePullBackOff", isFinal: true, isOwn: true, isInjected: false },
    ],
    [
      "the sidecar's image that is gone",
      waiting("ImagePullBackOff", "istio-proxy"),
      { isFinal: true, isOwn: false, isInjected: true },
    ],
    ["an injected init container", waiting("ImagePullBackOff", "istio-init"), { isOwn: false, isInjected: true }],
    ["an image that is tried for the first time", waiting("ErrImagePull"), { isFinal: false, isOwn: false }],
    ["a wrong name of an image", waiting("InvalidImageName"), { isFinal: true }],
    ["a missing ConfigMap", waiting("CreateContainerConfigError"), { isFinal: true, isOwn: false }],
    ["what cannot be made", waiting("CreateContainerError"), { isFinal: true }],
    ["what cannot be run", waiting("RunContainerError"), { isFinal: true }],
  ])("of %s", (_, status, expected) => {
    const found = troubleOf([pod([status])]);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ pod: "web-1", container: status["name"], ...expected });
  });

  it("is the one that does not pass by itself, and otherwise the first", () => {
    const late = pod([waiting("ContainerCreating", "app", { restartCount: 1 })], {}, "late");
    const gone = pod([waiting("ContainerCreating"), waiting("ImagePullBackOff", "other")], {}, "gone");
    expect(troubleOf([late, gone])).toMatchObject({ pod: "gone", container: "other" });
    expect(troubleOf([late, pod([waiting("PodInitializing")], {}, "later")])).toMatchObject({ pod: "late" });
    expect(troubleOf([])).toBeUndefined();
  });

  it("counts no restart from before", () => {
    const crashing = waiting("CrashLoopBackOff", "app", { restartCount: 5 });
    expect(troubleOf([pod([crashing])], new Map([["app", 4]]))).toMatchObject({
      why: "CrashLoopBackOff, 1 restarts",
      isFinal: false,
    });
    expect(troubleOf([pod([crashing])], new Map([["app", 2]]))).toMatchObject({ isFinal: true });
    const running = { name: "app", ready: false, restartCount: 5, state: { running: {} } };
    expect(troubleOf([pod([running])], new Map([["app", 5]]))).toBeUndefined();
  });

  it("is that no node takes the pod, where no container says more", () => {
    const condition = (status: string, message?: string) => ({
      conditions: [
        { type: "PodScheduled", status, reason: "Unschedulable", ...(message !== undefined && { message }) },
      ],
    });
    expect(troubleOf([pod([], condition("False", "0/3 nodes"))])).toEqual({
      pod: "web-1",
      container: "-",
      why: "Unschedulable: 0/3 nodes",
    });
    expect(troubleOf([pod([], condition("False"))])?.why).toBe("Unschedulable: ");
    expect(troubleOf([pod([], condition("True"))])).toBeUndefined();
    expect(troubleOf([pod([waiting("ImagePullBackOff")], condition("False", "x"))])).toMatchObject({
      container: "app",
    });
  });
});

describe("causeOf()", () => {
  it("says where, and whose", () => {
    const trouble = { pod: "web-1", container: "app", why: "ImagePullBackOff" };
    const cause = { pod: "web-1", container: "app", why: "pod web-1, container app: ImagePullBackOff" };
    expect(causeOf({ ...trouble, isOwn: true })).toEqual({ ...cause, isOwn: true });
    expect(causeOf({ ...trouble, isOwn: false, isFinal: true })).toEqual(cause);
  });
});
