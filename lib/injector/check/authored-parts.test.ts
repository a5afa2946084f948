import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { findCause } from "./authored-parts.ts";

const pod: Pod = {
  metadata: { name: "web", labels: { a: "1" }, annotations: { a: "1", b: "2", c: "3" } },
  spec: {
    containers: [{ name: "app", image: "app", args: ["x"] }],
    volumes: [{ name: "a" }, { name: "b" }],
    hostname: "web",
  },
};

describe("findCause()", () => {
  it.each([
    ['metadata.annotations["b"]', (rest: Pod) => rest.metadata?.annotations?.["b"] === undefined],
    ['metadata.labels["a"]', (rest: Pod) => rest.metadata?.labels?.["a"] === undefined],
    ["metadata.name", (rest: Pod) => rest.metadata?.name !== "web"],
    ["spec.hostname", (rest: Pod) => rest.spec?.hostname === undefined],
    ["spec.volumes[1]", (rest: Pod) => rest.spec?.volumes?.length !== 2 && rest.spec?.volumes?.at(-1)?.name !== "b"],
    ["spec.containers[0].args", (rest: Pod) => rest.spec?.containers[0]?.args === undefined],
    ["spec.containers[0].name", (rest: Pod) => rest.spec?.containers[0]?.name !== "app"],
  ])("finds %s", (path, isGone) => {
    expect(findCause(pod, isGone)?.path).toBe(path);
  });

  it("names the first of several parts that only together are the cause", () => {
    const isGone = ({ metadata }: Pod) =>
      metadata?.annotations?.["a"] === undefined && metadata?.annotations?.["c"] === undefined;
    expect(findCause(pod, isGone)?.path).toBe('metadata.annotations["a"]');
  });

  it("names none of the parts that have nothing to do with the result", () => {
    const four: Pod = { ...pod, metadata: { annotations: { a: "1", b: "2", c: "3", d: "4" } } };
    const isGone = ({ metadata }: Pod) =>
      metadata?.annotations?.["b"] === undefined && metadata?.annotations?.["c"] === undefined;
    expect(findCause(four, isGone)?.path).toBe('metadata.annotations["b"]');
  });

  it("finds parts of several groups that only together are the cause", () => {
    const isGone = ({ metadata, spec }: Pod) =>
      metadata?.annotations?.["b"] === undefined && spec?.hostname === undefined;
    expect(findCause(pod, isGone)?.path).toBe('metadata.annotations["b"]');
    const isNameless = ({ metadata, spec }: Pod) => metadata?.name !== "web" && spec?.containers[0]?.args === undefined;
    expect(findCause(pod, isNameless)?.path).toBe("spec.containers[0].args");
  });

  it("finds them in a pod that cannot be injected without its names", () => {
    const isGone = ({ metadata, spec }: Pod) =>
      metadata?.name === "web" && metadata.annotations?.["b"] === undefined && spec?.hostname === undefined;
    expect(findCause(pod, isGone)?.path).toBe('metadata.annotations["b"]');
  });

  it("finds nothing if no part is the cause", () => {
    expect(findCause(pod, () => false)).toBeUndefined();
  });

  it("asks about twice the logarithm of the number of parts", () => {
    const annotations = Object.fromEntries(Array.from({ length: 4096 }, (_, at) => [`key-${at}`, ""]));
    let asked = 0;
    const cause = findCause({ metadata: { annotations } }, ({ metadata }) => {
      asked += 1;
      return metadata?.annotations?.["key-3000"] === undefined;
    });
    expect(cause?.path).toBe('metadata.annotations["key-3000"]');
    expect(asked).toBeLessThanOrEqual(25);
  });

  it.each([
    ["hostNetwork my secret", 'spec["hostNetwork my secret"]'],
    ["hostname[x", 'spec["hostname[x"]'],
    ["nodeSelector.secret", 'spec["nodeSelector.secret"]'],
    ["secret", "spec.secret"],
  ])("logs no key of an unknown field of the author's: %j", (key, path) => {
    const pod = { spec: { containers: [], [key]: 1 } } as unknown as Pod;
    const cause = findCause(pod, ({ spec }) => !Object.hasOwn(spec ?? {}, key));
    expect(cause).toMatchObject({ path, loggedPath: "spec" });
  });

  it.each<[string, Pod, (rest: Pod) => boolean]>([
    [
      "metadata.labels",
      { metadata: { labels: Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`key-${at}`, ""])) } },
      ({ metadata }) => metadata?.labels?.["key-3000"] === undefined,
    ],
    [
      "spec",
      { spec: { containers: [], volumes: Array.from({ length: 5001 }, (_, at) => ({ name: `v-${at}` })) } },
      ({ spec }) => spec?.volumes?.length === 0,
    ],
  ])("names %s as a whole, after six tries at most, when it has thousands of parts", (path, large, isGone) => {
    let asked = 0;
    const cause = findCause(large, (rest) => {
      asked += 1;
      return isGone(rest);
    });
    expect(cause).toMatchObject({ path, loggedPath: path, code: "pod-invalid" });
    expect(asked).toBeLessThanOrEqual(6);
  });
});
