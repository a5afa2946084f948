import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import {
  editContainer,
  editContainers,
  findContainer,
  findContainerInPod,
  withAnnotations,
  withMetadata,
  withoutKeys,
  withSpec,
} from "./pod-edit.ts";

const [A, B]: readonly [Container, Container] = [{ name: "a" }, { name: "b" }];
const INIT: Container = { name: "b", image: "init" };
const POD: Pod = {
  metadata: { name: "web", annotations: { x: "1" } },
  spec: { containers: [A, B], initContainers: [INIT, { name: "c" }] },
};

describe("findContainer() and findContainerInPod()", () => {
  it("find by name, containers before init containers", () => {
    expect(findContainer([A, B], "b")).toBe(B);
    expect(findContainer(undefined, "b")).toBeUndefined();
    expect(findContainerInPod(POD, "b")).toBe(B);
    expect(findContainerInPod(POD, "c")).toEqual({ name: "c" });
    expect(findContainerInPod(POD, "d")).toBeUndefined();
    expect(findContainerInPod({}, "a")).toBeUndefined();
  });
});

describe("editContainer()", () => {
  const edit = (container: Container): Container => ({ ...container, image: "new" });

  it("leaves a pod without the container, or without a list, as it is", () => {
    for (const pod of [{}, { spec: { containers: [] } }, POD]) expect(editContainer(pod, "x", edit)).toBe(pod);
    const { initContainers } = POD.spec as NonNullable<Pod["spec"]>;
    expect(editContainer({ spec: { initContainers } } as never, "c", edit).spec).toEqual({
      initContainers: [INIT, { name: "c", image: "new" }],
    });
  });

  it("edits the first of the name, in one list", () => {
    expect(editContainer(POD, "b", edit).spec).toEqual({ ...POD.spec, containers: [A, { name: "b", image: "new" }] });
    expect(editContainer(POD, "a", edit).spec?.containers[0]).toEqual({ name: "a", image: "new" });
    expect(editContainer(POD, "c", edit).spec?.initContainers).toEqual([INIT, { name: "c", image: "new" }]);
  });

  it("returns the pod itself where nothing changes", () => {
    expect(editContainer(POD, "a", (container) => container)).toBe(POD);
    expect(editContainer(POD, "d", edit)).toBe(POD);
    const empty: Pod = {};
    expect(editContainer(empty, "a", edit)).toBe(empty);
  });
});

describe("editContainers()", () => {
  it("replaces one list", () => {
    expect(editContainers(POD, "initContainers", () => [A]).spec).toEqual({ containers: [A, B], initContainers: [A] });
  });

  it("returns the pod itself where nothing changes", () => {
    expect(editContainers(POD, "containers", (list) => list)).toBe(POD);
    const without: Pod = { spec: { containers: [] } };
    expect(editContainers(without, "initContainers", () => [A])).toBe(without);
    expect(editContainers({}, "containers", () => [A])).toEqual({});
  });
});

describe("the other edits", () => {
  it("change one part and keep the rest", () => {
    expect(withSpec(POD, { hostname: "h" })).toEqual({ ...POD, spec: { ...POD.spec, hostname: "h" } });
    expect(withMetadata(POD, { namespace: "n" })).toEqual({ ...POD, metadata: { ...POD.metadata, namespace: "n" } });
    expect(withMetadata({}, { namespace: "n" })).toEqual({ metadata: { namespace: "n" } });
    expect(withAnnotations(POD, { y: "2" }).metadata).toEqual({ name: "web", annotations: { x: "1", y: "2" } });
    expect(withAnnotations({}, { y: "2" })).toEqual({ metadata: { annotations: { y: "2" } } });
  });

  it("withoutKeys() returns the map itself where it has none of them", () => {
    const map = { a: 1, b: 2 };
    expect(withoutKeys(map, ["b", "c"])).toEqual({ a: 1 });
    expect(withoutKeys(map, ["c", "toString"])).toBe(map);
    expect(withoutKeys(map, [])).toBe(map);
  });
});
