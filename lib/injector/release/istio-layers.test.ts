import { ISTIO_RELEASES } from "@outrigger/mesh";
import { beforeAll, describe, expect, it } from "vitest";
import { imageTagOf } from "../../../test/reference/measured-releases.ts";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { compileRelease, lintTree } from "./compile-release.ts";
import { withIstioRelease } from "./istio-layers.ts";
import type { SourceTree } from "./source-tree.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

describe("withIstioRelease()", () => {
  it("leaves nothing of Istio below a tree without a mesh, whose pods get nothing by themselves", () => {
    const { findings, release } = lintTree([shipped, { config: "mesh: none\n" }]);
    expect(findings).toEqual([]);
    expect(release?.config.defaultTemplates).toEqual([{ name: "none", match: { namespaces: [] } }]);
    expect(release?.values).toEqual({});
    expect(release?.templates.templates).toEqual({});
    expect(compileRelease([{ config: "mesh: none\n" }, {}]).config).toEqual(release?.config);
    const again = lintTree([shipped, { config: "mesh: istio\n" }]).release;
    expect(again?.config.defaultTemplates).toEqual(["sidecar"]);
  });

  it.each(ISTIO_RELEASES)("gives %s its image tag and no finding", (istio) => {
    const { findings, release } = lintTree([shipped, { config: JSON.stringify({ istio }) }]);
    expect(findings).toEqual([]);
    expect(release?.config.istio).toBe(istio);
    expect(release?.values["global"]).toMatchObject({ tag: imageTagOf(istio) });
  });

  it("leaves the tag and a partial that the tree says", () => {
    const own = {
      config: 'istio: "1.29"',
      "values/10": 'global:\n  tag: "1.29.2"\n',
      "partials/env-processors": "- name: OWN\n  value: x\n",
    };
    const { values, templates } = compileRelease([shipped, own]);
    expect(values["global"]).toMatchObject({ tag: "1.29.2" });
    expect(JSON.stringify(templates.partials["env-processors"])).toContain("OWN");
  });

  it("warns of a tag of another release, at its line", () => {
    const own = { config: 'istio: "1.31"', "values/10": "global:\n  tag: 1.29.2-debug\n" };
    const { findings, release } = lintTree([shipped, own]);
    expect(findings).toEqual([
      {
        severity: "warning",
        path: "values/10",
        line: 2,
        column: 3,
        message: expect.stringMatching(/^global\.tag 1\.29\.2-debug is not of Istio 1\.31, .*: remove the tag/),
      },
    ]);
    expect(release?.warnings).toEqual([expect.stringContaining("(values/10, line 2, column 3)")]);
  });

  it.each(["1.29", "1.31"] as const)("gives complete values without a tag that of %s", (istio) => {
    const config = JSON.stringify({ istio, defaults: "none" });
    const below = Object.fromEntries(Object.entries(shipped).filter(([path]) => !path.startsWith("samples/")));
    const values = (own: string) => compileRelease([below, { config, "values/10": own }]).values;
    expect(values("global: {hub: registry.example}")).toEqual({
      global: { hub: "registry.example", tag: imageTagOf(istio) },
    });
    expect(values("global: {tag: mine}")).toEqual({ global: { tag: "mine" } });
  });

  it("lets a tree of one release under another have the last word", () => {
    const layers = [shipped, { config: 'istio: "1.28"' }, { config: "istio: development" }];
    expect(Object.keys(withIstioRelease(layers)[0] ?? {}).some((path) => path.startsWith("releases/"))).toBe(false);
    expect(compileRelease(layers).config.istio).toBe("development");
  });

  it("rejects a release that is not text or not known, with the way out", () => {
    const known = ISTIO_RELEASES.map((release) => JSON.stringify(release)).join(", ");
    expect(known).toMatch(/^"1\.28", "1\.29", .*"development"$/);
    const message = (istio: string) => lintTree([shipped, { config: `istio: ${istio}\n` }]).findings[0]?.message;
    expect(message("1.30")).toBe(
      'Cannot use config key "istio": it must be text: put the release in quotes, like istio: "1.30"',
    );
    expect(message('"1.27"')).toBe(
      `Cannot use config key "istio": it must be one of ${known}: Istio 1.27 is not supported`,
    );
    expect(message("1.30.3")).toContain(', did you mean "1.30"');
  });

  it("rejects layers for releases in a tree that is not the shipped one", () => {
    const { findings } = lintTree([shipped, { "releases/1.30/partials/env-otel": "" }]);
    expect(findings).toMatchObject([{ severity: "error", path: "releases/1.30/partials/env-otel" }]);
  });

  it("ships no layer for a release that is not known, and no entry that the base does not have", () => {
    const bases = new Set(Object.keys(shipped));
    for (const path of bases) {
      const [, release, entry = ""] = /^releases\/([^/]+)\/(.+)$/.exec(path) ?? [];
      if (release === undefined) continue;
      expect(ISTIO_RELEASES).toContain(release);
      if (!entry.startsWith("values/")) expect(bases).toContain(entry);
    }
  });
});
