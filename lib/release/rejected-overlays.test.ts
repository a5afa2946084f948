// Well-typed overlays that any API server rejects: none of them lints clean or publishes, and the message names the line.
import { describe, expect, it } from "vitest";
import { REJECTED_OVERLAYS } from "../../test/support/rejected-overlays.ts";
import { OutriggerError } from "../errors.ts";
import { compileRelease } from "./compile-release.ts";
import { lintTree } from "./lint-tree.ts";

describe("an overlay that any API server rejects", () => {
  it.each(REJECTED_OVERLAYS)("neither lints clean nor compiles to be published: %s", (_what, overlay, line, words) => {
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
        message: expect.stringContaining(words),
      }),
    );
    expect(() => compileRelease([tree])).toThrow(OutriggerError);
  });
});
