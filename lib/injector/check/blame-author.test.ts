import { metadataKeys, OutriggerError } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { blameAuthor } from "./blame-author.ts";

const container = { name: "web", image: "web" };
const podWith = (annotations: Readonly<Record<string, string>>, spec: object = {}): Pod =>
  ({ metadata: { annotations }, spec: { containers: [container], ...spec } }) as Pod;

const FAILED = new OutriggerError("template-render", "Cannot render template");
const TOO_LONG = new OutriggerError("template-render", "Cannot render template", { cause: new RangeError("too long") });

describe("blameAuthor()", () => {
  it.each([
    ["a volume that is no JSON", { "sidecar.istio.io/userVolume": "{" }, "annotation-invalid"],
    ["a mount that is no JSON", { "sidecar.istio.io/userVolumeMount": "{" }, "annotation-invalid"],
    ["an environment that is no JSON", { "apm.datadoghq.com/env": "{" }, "annotation-invalid"],
    ["an environment that is a list", { "apm.datadoghq.com/env": "[]" }, "annotation-invalid"],
    ["an environment of objects", { "apm.datadoghq.com/env": '{"a":{}}' }, "annotation-invalid"],
    ["an environment", { "apm.datadoghq.com/env": '{"a":"b","c":1}' }, undefined],
    ["any other annotation", { toString: "{" }, undefined],
  ])("judges %s", (_what, annotations, code) => {
    const blame = () => blameAuthor(podWith(annotations), FAILED, () => undefined);
    if (code === undefined) expect(blame).not.toThrow();
    else expect(blame).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [{ $patch: "replace" }],
    [{ containers: [{ ...container, $patch: "delete" }] }],
    [{ volumes: [{ name: "v", emptyDir: { $retainKeys: ["a"] } }] }],
  ])("names the spec that has a directive: %j", (spec) => {
    const blame = () => blameAuthor(podWith({}, spec), FAILED, () => undefined);
    expect(blame).toThrow(expect.objectContaining({ code: "pod-invalid", path: "spec" }));
  });

  it.each(["initContainers", "containers"])("names a container of %s that has no name", (list) => {
    const blame = () => blameAuthor(podWith({}, { [list]: [container, { name: null }] }), FAILED, () => undefined);
    expect(blame).toThrow(expect.objectContaining({ code: "pod-invalid", path: `spec.${list}[1]` }));
  });

  it("says nothing of an error that names the author's part already", () => {
    const error = new OutriggerError("annotation-invalid", "Cannot read it");
    expect(() => blameAuthor(podWith({ "apm.datadoghq.com/env": "{" }), error, () => undefined)).not.toThrow();
  });

  it("tries a limit that was exceeded with a pod of one container of the same name", () => {
    const annotations = { [metadataKeys.templates]: "own", other: "x" };
    const pod = podWith(annotations, { containers: [container, { name: "second", image: "i" }], hostNetwork: true });
    const tried: Pod[] = [];
    const onlyOne = (small: Pod) => {
      tried.push(small);
      if (small.spec?.containers.length !== 1) throw TOO_LONG;
    };
    const message = "Cannot render template for this pod: make the pod smaller";
    expect(() => blameAuthor(pod, TOO_LONG, onlyOne)).toThrow(
      expect.objectContaining({ code: "pod-invalid", message, path: "spec" }),
    );
    const small = { name: "app", annotations: { [metadataKeys.templates]: "own" } };
    expect(tried[0]).toEqual({ metadata: small, spec: { containers: [{ name: "web", image: "app" }] } });
  });

  it("names the longest annotation where a limit is exceeded only with annotations", () => {
    const annotations = { [metadataKeys.templates]: "a-long-name", short: "x", long: "xx" };
    expect(() => blameAuthor(podWith(annotations), TOO_LONG, () => undefined)).toThrow(
      expect.objectContaining({ code: "annotation-invalid", path: 'metadata.annotations["long"]' }),
    );
  });

  it.each([
    ["no container", { metadata: {}, spec: { containers: [] } }],
    ["no spec", {}],
  ])("tries a pod of %s with one of any name", (_what, pod) => {
    const tried: Pod[] = [];
    expect(() => blameAuthor(pod as unknown as Pod, TOO_LONG, (small) => tried.push(small))).toThrow("smaller");
    const spec = { containers: [{ name: "app", image: "app" }] };
    expect(tried).toEqual([{ metadata: { name: "app", annotations: {} }, spec }]);
  });

  it("blames no author for a limit that every pod exceeds, or for another error", () => {
    const fails = () => {
      throw TOO_LONG;
    };
    expect(() => blameAuthor(podWith({}), TOO_LONG, fails)).not.toThrow();
    expect(() => blameAuthor(podWith({}), FAILED, () => undefined)).not.toThrow();
    expect(() => blameAuthor(podWith({}), new RangeError("too long"), () => undefined)).not.toThrow();
  });
});
