import { describe, expect, it } from "vitest";
import { checkJsonAnnotations } from "./json-annotations.ts";

const cause = new Error("a render failed");

describe("checkJsonAnnotations()", () => {
  it.each(["sidecar.istio.io/userVolume", "sidecar.istio.io/userVolumeMount", "apm.datadoghq.com/env"])(
    "names %s where it is no JSON object",
    (key) => {
      for (const text of ["{", "[]", "1", "null", ""]) {
        expect(() => checkJsonAnnotations({ other: "{}", [key]: text }, cause)).toThrow(
          expect.objectContaining({ code: "annotation-invalid", path: `metadata.annotations[${key}]`, cause }),
        );
      }
      expect(() => checkJsonAnnotations({ [key]: '{"a":{}}' }, cause)).not.toThrow();
    },
  );

  it("accepts anything in other annotations", () => {
    expect(() => checkJsonAnnotations({ other: "{" }, cause)).not.toThrow();
    expect(() => checkJsonAnnotations({}, cause)).not.toThrow();
  });
});
