import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { type FailedInjection, findOrigin } from "./value-origin.ts";

const author: Pod = {
  metadata: { name: "web", labels: { a: "1" }, annotations: { a: "1", b: "2", unread: "3" } },
  spec: {
    containers: [
      { name: "app", image: "app", args: ["x"] },
      { name: "agent", image: "auto", args: ["x"], tty: true },
    ],
  },
};

/** What an injection makes of a pod, and what is wrong with it. */
function originOf(inject: (pod: Pod) => Pod, isWrong: (pod: Pod) => boolean, more: Partial<FailedInjection> = {}) {
  return findOrigin({
    author,
    injected: inject(author),
    steps: ["spec", "hostname"],
    inject,
    isWrong,
    isRead: (key) => key !== "unread",
    injectedNames: new Set(["agent"]),
    ...more,
  });
}

const withHostname = (pod: Pod, hostname: string | undefined): Pod => ({
  ...pod,
  spec: { containers: [], ...pod.spec, ...(hostname !== undefined && { hostname }) },
});
const annotation = ({ metadata }: Pod, key: string) => metadata?.annotations?.[key];
const hasHostname = ({ spec }: Pod) => typeof spec?.hostname === "string";

describe("findOrigin()", () => {
  it.each([
    ['metadata.annotations["b"]', "annotation-invalid", (pod: Pod) => withHostname(pod, annotation(pod, "b"))],
    ['metadata.labels["a"]', "pod-invalid", (pod: Pod) => withHostname(pod, pod.metadata?.labels?.["a"])],
    [
      'metadata.annotations["b"]',
      "annotation-invalid",
      (pod: Pod) => withHostname(pod, annotation(pod, "b")?.replace(/^/, "x-")),
    ],
  ])("finds %s, whose value is written", (path, code, inject) => {
    expect(originOf(inject, hasHostname)).toMatchObject({ path, code });
  });

  it.each([
    ["asks for it", (pod: Pod) => withHostname(pod, annotation(pod, "b") && "literal")],
    ["chooses it", (pod: Pod) => withHostname(pod, annotation(pod, "b") === "2" ? "this" : "that")],
    ["must be as it is for it", (pod: Pod) => withHostname(pod, annotation(pod, "b") === "2" ? "this" : undefined)],
    ["is not read by its key", (pod: Pod) => withHostname(pod, annotation(pod, "unread"))],
    ["names the pod", (pod: Pod) => withHostname(pod, pod.metadata?.name)],
  ])("finds nothing where the author's part only %s", (_, inject) => {
    expect(originOf(inject, hasHostname)).toBeUndefined();
  });

  it("finds nothing where the same is wrong with a pod that gives the template nothing", () => {
    expect(originOf((pod) => withHostname(pod, annotation(pod, "b") ?? "literal"), hasHostname)).toBeUndefined();
  });

  it("finds nothing where the value is written elsewhere, and what is wrong stays without it", () => {
    const inject = (pod: Pod): Pod => ({
      ...withHostname(pod, annotation(pod, "b") && "literal"),
      metadata: { ...pod.metadata, labels: { copy: annotation(pod, "b") ?? "" } },
    });
    expect(originOf(inject, hasHostname)).toBeUndefined();
  });

  it("finds a structure by its contents: an empty one that opens the same branch is not the cause", () => {
    const key = "sidecar.istio.io/userVolume";
    const pod: Pod = { ...author, metadata: { annotations: { [key]: '{"a":{}}' } } };
    const read = (each: Pod) => withHostname(each, Object.keys(JSON.parse(annotation(each, key) ?? "{}"))[0]);
    expect(originOf(read, hasHostname, { author: pod, injected: read(pod) })?.path).toBe(
      `metadata.annotations[${JSON.stringify(key)}]`,
    );
    const opened = (each: Pod) => withHostname(each, annotation(each, key) && "literal");
    expect(originOf(opened, hasHostname, { author: pod, injected: opened(pod) })).toBeUndefined();
  });

  it("finds the field that the author set in an injected container, and in no other", () => {
    const isWrongIn = (name: string) => (pod: Pod) =>
      pod.spec?.containers.some((each) => each.name === name && each.args !== undefined) === true;
    const inject = (pod: Pod) => pod;
    expect(originOf(inject, isWrongIn("agent"))).toEqual({
      path: "spec.containers[1].args",
      loggedPath: "spec.containers[1].args",
      code: "pod-invalid",
    });
    expect(originOf(inject, isWrongIn("app"))).toBeUndefined();
  });

  it("finds a value of the proxy's settings, and none of which only a branch depends", () => {
    const key = "proxy.istio.io/config";
    const text = "holdApplicationUntilProxyStarts: true\nstatusPort: 70000";
    const pod: Pod = { ...author, metadata: { annotations: { [key]: text } } };
    const written = (each: Pod) => withHostname(each, /statusPort: (\d+)/.exec(annotation(each, key) ?? "")?.[1]);
    const opened = (each: Pod) =>
      withHostname(each, /Starts: true$/m.test(annotation(each, key) ?? "") ? "literal" : undefined);
    expect(originOf(written, hasHostname, { author: pod, injected: written(pod) })?.path).toBe(
      `metadata.annotations[${JSON.stringify(key)}]`,
    );
    expect(originOf(opened, hasHostname, { author: pod, injected: opened(pod) })).toBeUndefined();
  });

  it("learns nothing of a pod that cannot be injected", () => {
    expect(originOf((pod) => withHostname(pod, "literal"), hasHostname, { inject: () => undefined })).toBeUndefined();
  });

  it("tries fifty entries at most, each eight times", () => {
    const annotations = Object.fromEntries(Array.from({ length: 4096 }, (_, at) => [`key-${at}`, "x"]));
    let asked = 0;
    const inject = (pod: Pod) => {
      asked += 1;
      return withHostname(pod, "literal");
    };
    const crowd: Pod = { ...author, metadata: { annotations } };
    expect(originOf(inject, hasHostname, { author: crowd })).toBeUndefined();
    expect(asked).toBeLessThan(410);
  });
});
