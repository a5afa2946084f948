import { describe, expect, it } from "vitest";
import { lintSource } from "./lint-source.ts";

const TREE = { config: "defaultTemplates: [agent]\n", "templates/agent": "spec: {}\n" };

describe("lintSource()", () => {
  it.each([
    ["values/10", "agent: {limits: {memory: 2Gi}}\n", 1, /two closing braces end no tag, as in a flow map/],
    [
      "templates/agent",
      `spec: {}\n#${"x".repeat(512_000)}\n`,
      undefined,
      /has 512011 bytes, and a parameter holds 8192; split it in two/,
    ],
    ["mesh", `# ${"é".repeat(4096)}`, undefined, /^Cannot store mesh: it has 8194 bytes, and .*; shorten it$/],
    ["samples/a", "kind: Pod\nspec: {containers: [{name: a, image: <%}]}\n", 2, /writes the braces of a tag/],
  ])("finds an error in %s, and still compiles", (path, text, line, message) => {
    const { findings, release } = lintSource([{}, { ...TREE, [path]: text }]);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors).toEqual([
      expect.objectContaining({ severity: "error", path, message: expect.stringMatching(message) }),
    ]);
    expect(errors[0]?.line).toBe(line);
    expect(release).toBeDefined();
  });

  it("says once that a tag is not closed", () => {
    const { findings } = lintSource([{ ...TREE, "templates/agent": "spec: {{values.a\n" }]);
    expect(findings).toMatchObject([{ severity: "error", path: "templates/agent" }]);
  });

  it("does not ask where the trees below are kept", () => {
    expect(lintSource([{ "values/10": "a: {b: {c: 1}}\n" }, TREE]).findings).toEqual([]);
  });
});
