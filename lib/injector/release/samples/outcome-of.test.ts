import { describe, expect, it } from "vitest";
import { compileRelease } from "../compile-release.ts";
import type { Release } from "../load-release.ts";
import { injectorOf, outcomeOf } from "./outcome-of.ts";
import { samplePods } from "./sample-pods.ts";

const TREE = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: proxy\n    image: proxy\n",
  "samples/web": "kind: Pod\nspec: {containers: [{name: web, image: web}]}\n",
};
const requestOf = () => {
  const [sample] = samplePods([TREE]);
  if (sample === undefined) throw new Error("no sample");
  return sample.request;
};

describe("outcomeOf()", () => {
  it("injects a sample once with one release, and again with another", () => {
    const release = compileRelease([TREE]);
    const other: Release = { ...release, config: { ...release.config, policy: "disabled" } };
    const outcome = outcomeOf(release, requestOf());
    expect(outcome.result).toMatchObject({ injected: true, templates: ["sidecar"] });
    expect(outcomeOf(release, requestOf())).toBe(outcome);
    expect(outcomeOf(other, requestOf()).result).toMatchObject({ injected: false });
    expect(injectorOf(release)).toBe(injectorOf(release));
  });

  it("gives the error of an injection that fails, and throws for a release that cannot be loaded", () => {
    const release = compileRelease([TREE]);
    const config = { ...release.config, defaultTemplates: ["gone"] };
    expect(outcomeOf({ ...release, config }, requestOf()).error).toMatchObject({ code: "config-invalid" });
    expect(() => outcomeOf({ ...release, format: 99 }, requestOf())).toThrow("format 99");
  });
});
