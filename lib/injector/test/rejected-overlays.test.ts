// Well-typed overlays that any API server rejects: none of them lints clean or publishes, and the message names the line.

import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { MISTAKEN_OVERLAYS, REJECTED_OVERLAYS } from "../../../test/support/wrong-overlays.ts";
import { compileRelease, lintTree } from "../release/compile-release.ts";
import type { TreeFinding } from "../release/tree-finding.ts";

describe("an overlay that any API server rejects", () => {
  it.each(REJECTED_OVERLAYS)("neither lints clean nor compiles to be published: $what", ({ overlay, line, says }) => {
    const tree = {
      config: "defaultTemplates: [agent]\n",
      "templates/agent": overlay,
      "samples/web": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
    };
    const { findings, release } = lintTree([tree]);
    expect(release).toBeUndefined();
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "error",
        path: "templates/agent",
        line,
        message: expect.stringContaining(says),
      }),
    );
    expect(() => compileRelease([tree])).toThrow(OutriggerError);
  });
});

describe("a tree of overlays that platform engineers get wrong", () => {
  it("is rejected for each of them in one run, at the line that wrote it", () => {
    const templates = MISTAKEN_OVERLAYS.map(([, overlay], at) => [`templates/t${at}`, overlay] as const);
    const tree = { ...Object.fromEntries(templates), "samples/web": SAMPLE };
    const { findings, release } = lintTree([tree]);
    expect(release).toBeUndefined();
    const errors = new Set(findings.filter(({ severity }) => severity === "error").map((each) => placeOf(each)));
    const missed = MISTAKEN_OVERLAYS.filter(
      ([, overlay], at) => !errors.has(`templates/t${at}:${blamedLine(overlay)}`),
    );
    expect(MISTAKEN_OVERLAYS.length).toBeGreaterThan(80);
    expect(missed.map(([what]) => what)).toEqual([]);
  });
});

const SAMPLE = "kind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: web, image: web}]}\n";

function placeOf({ path, line }: TreeFinding): string {
  return `${path}:${line}`;
}

function blamedLine(overlay: string): number {
  return overlay.split("\n").findIndex((line) => line.endsWith("#!")) + 1;
}
