import { describe, expect, it } from "vitest";
import { isImageReference } from "./image-reference.ts";

describe("isImageReference()", () => {
  it.each([
    "web",
    "web:1",
    "auto",
    "library/web:1.27.3-alpine",
    "localhost:5000/web",
    "Registry.example/web:1",
    "[fd00::1]:5000/web",
    "registry.example/team/a__b/c-d.e:V1_2",
    `web@sha256:${"a".repeat(64)}`,
    `registry.example/web:1@sha256:${"0".repeat(64)}`,
  ])("takes %s", (text) => {
    expect(isImageReference(text)).toBe(true);
  });

  it.each([
    "",
    "web:",
    "web:1:2",
    "web@",
    "web@sha256:1",
    "registry.example/",
    "registry.example//web",
    "registry.example/Web:1",
    "https://registry.example/web",
    "web 1",
    " web",
    "-web",
    `web:${"1".repeat(129)}`,
  ])("does not take %j", (text) => {
    expect(isImageReference(text)).toBe(false);
  });
});
