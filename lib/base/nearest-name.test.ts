import { describe, expect, it } from "vitest";
import { nearestName, suggestName } from "./nearest-name.ts";

describe("nearestName()", () => {
  it("finds a known name that is a few edits away", () => {
    expect(nearestName("lables", ["labels", "annotations"])).toBe("labels");
    expect(nearestName("HUB", ["hub", "tag"])).toBe("hub");
    expect(nearestName("zebra", ["hub", "tag"])).toBeUndefined();
    expect(nearestName("x", [])).toBeUndefined();
  });

  it("takes the first of names that are equally near", () => {
    expect(nearestName("tap", ["tag", "tab"])).toBe("tag");
  });

  it("finds the only name that begins so, from four letters on", () => {
    expect(nearestName("sha256", ["sha256sum", "sub"])).toBe("sha256sum");
    expect(nearestName("trim", ["trimPrefix", "trimSuffix"])).toBeUndefined();
    expect(nearestName("sha", ["sha256sum"])).toBeUndefined();
  });

  it("finds a name as far as its caller allows", () => {
    expect(nearestName("aip", ["domain", "api"])).toBeUndefined();
    expect(nearestName("aip", ["domain", "api"], Number.POSITIVE_INFINITY)).toBe("api");
    expect(nearestName("x", ["certificate"], Number.POSITIVE_INFINITY)).toBe("certificate");
  });
});

describe("suggestName()", () => {
  it("says nothing where no name is near", () => {
    expect(suggestName("hubb", ["hub"])).toBe(', did you mean "hub"');
    expect(suggestName("zebra", ["hub"])).toBe("");
  });
});
